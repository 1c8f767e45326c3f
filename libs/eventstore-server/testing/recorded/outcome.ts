import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceError, status } from '@grpc/grpc-js';
import type { Message } from 'google-protobuf';
import { messageText } from './plain';

/** A call's result: a line per message, and its status last. */
export type Outcome = readonly string[];

/** Matches any text in what is expected. */
export const ANY = '✱';

export function isAlike(expected: Outcome, found: Outcome): boolean {
  return (
    expected.length === found.length &&
    expected.every((line, index) => {
      const parts = line.split(ANY).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
      return new RegExp(`^${parts.join('[^]*')}$`).test(found[index] ?? '');
    })
  );
}

/** The longest wait for a response; reached only if none arrives. */
export const PATIENCE_MS = 60_000;

const NOT_TOLD = ['date', 'server', 'content-type', 'content-length', 'user-agent'];

/** The result of a call with one response. */
export function answered<Response extends Message>(
  begin: (respond: (error: ServiceError | null, response?: Response) => void) => { cancel(): void },
): Promise<Outcome> {
  return new Promise((resolve) => {
    const call = begin((error, response) => {
      clearTimeout(timer);
      resolve(error === null && response !== undefined ? [messageText(response), '0 OK'] : [statusText(error!)]);
    });
    const timer = setTimeout(() => {
      resolve(['no answer']);
      call.cancel();
    }, PATIENCE_MS);
  });
}

/** `9 FAILED_PRECONDITION: message {trailer: value}` */
export function statusText({ code, details, metadata }: Pick<ServiceError, 'code' | 'details' | 'metadata'>): string {
  const told = Object.entries(metadata.getMap()).filter(
    ([name]) => !NOT_TOLD.includes(name) && !name.startsWith('grpc-'),
  );
  const trailers = told.length === 0 ? '' : ` {${told.map(([name, value]) => `${name}: ${String(value)}`).join(', ')}}`;
  return `${code} ${status[code]}: ${details}${trailers}`;
}

export async function until(condition: () => boolean, patienceMs = PATIENCE_MS): Promise<void> {
  const end = performance.now() + patienceMs;
  while (!condition() && performance.now() < end) await sleep(2);
}
