import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describeGatewayContract } from '../gateway.contract';
import type { GatewayUnderTest } from '../gateway.contract';
import { SandboxBooks } from '../sandbox/sandbox-books';
import { SandboxGateway } from '../sandbox/sandbox-gateway';
import { CountingRandom, ManualClock } from '../testing/environment';
import { GatewayDocument } from '../testing/gateway-document';
import { SECRET, serveGateway } from '../testing/served-gateway';
import { HttpGateway } from './http-gateway';

const document = new GatewayDocument();

async function startServed(): Promise<GatewayUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'http-gateway-'));
  const file = join(folder, 'gateway.sqlite');
  const clock = new ManualClock();
  const random = new CountingRandom();
  const start = async () => {
    const sandbox = SandboxGateway.open({ file, publicUrl: 'http://127.0.0.1:3100', clock, random });
    const server = await serveGateway(sandbox, clock, { document });
    const gateway = new HttpGateway({ url: server.url, secret: SECRET, allowsSandbox: true, clock, random });
    const close = async () => {
      await gateway.close();
      await server.close();
      await sandbox.close();
    };
    return { sandbox, gateway, close };
  };
  let running = await start();
  return {
    gateway: running.gateway,
    nowMs: () => clock.nowMs(),
    advance: (ms) => {
      clock.advance(ms);
    },
    answerChallenge: async ({ redirectUrl }, decision) => {
      const token = redirectUrl.slice(redirectUrl.lastIndexOf('/') + 1);
      await running.sandbox.challenges.answer('page', token, decision);
    },
    totals: async (paymentId) => {
      const books = new SandboxBooks(file);
      const totals = books.countsFor(paymentId);
      books.close();
      return totals;
    },
    restart: async () => {
      await running.close();
      running = await start();
      return running.gateway;
    },
    close: async () => {
      await running.close();
      rmSync(folder, { recursive: true });
    },
  };
}

describeGatewayContract('the sandbox served over HTTP', startServed);

it('what went over the wire meanwhile is as the protocol’s document has it', () => {
  expect(document.problems).toEqual([]);
  const operations = ['register', 'readChallenge', 'authorize', 'capture', 'void', 'refund', 'inquire'];
  for (const operation of operations) expect(document.seen).toContain(`${operation} 200`);
  for (const operation of ['listDisputesOf', 'listDisputeChanges']) expect(document.seen).toContain(`${operation} 200`);
  expect(document.seen).toContain('inquire 404');
  expect(document.seen).toContain('authorize 409');
});
