import type { Clock, Random } from '@app/event-sourcing';
import { CliError, EXIT } from './cli-error';

/** Answers take far less, unless something is wrong. */
const TIMEOUT_MS = 15_000;
/** The API's maximum page size. */
const PAGE_SIZE = 100;

interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

export interface Listed<T> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
}

/** The operator API of the running service. */
export class OperatorApi {
  constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** All items of a list, read page by page. */
  async list<T>(path: string): Promise<readonly T[]> {
    return (await this.listUpTo<T>(path, Infinity)).items;
  }

  /** The first `count` items of a list, read page by page. */
  async listUpTo<T>(
    path: string,
    count: number,
    filter: Readonly<Record<string, string | undefined>> = {},
  ): Promise<Listed<T>> {
    const parameters = new URLSearchParams(
      Object.entries(filter).filter((entry): entry is [string, string] => !!entry[1]),
    );
    const items: T[] = [];
    for (;;) {
      parameters.set('limit', String(Math.min(PAGE_SIZE, count - items.length)));
      const { items: page, nextCursor } = await this.get<Page<T>>(`${path}?${parameters.toString()}`);
      items.push(...page);
      if (nextCursor === null || items.length >= count) return { items, hasMore: nextCursor !== null };
      parameters.set('cursor', nextCursor);
    }
  }

  get<T>(path: string): Promise<T> {
    return this.send('GET', path);
  }

  /**
   * Sent with a key, and once more if the answer is lost: it is done once, and what it shows once is shown.
   *
   * @throws CliError that says so if it may have been done or not.
   */
  async post<T>(path: string, body?: object): Promise<T> {
    const key = this.random.uuid();
    try {
      return await this.send('POST', path, body, key);
    } catch (error) {
      if (!(error instanceof LostAnswer)) throw error;
    }
    try {
      return await this.send('POST', path, body, key);
    } catch (error) {
      if (error instanceof CliError && error.exitCode !== EXIT.unreachable) throw error;
      const why = error instanceof Error ? error.message : String(error);
      throw new CliError(
        `${why}\nThe first answer was lost: it may have been done. List what there is before you repeat it.`,
        EXIT.unreachable,
      );
    }
  }

  patch<T>(path: string, body: object): Promise<T> {
    return this.send('PATCH', path, body);
  }

  async delete(path: string): Promise<void> {
    await this.send('DELETE', path);
  }

  /** @throws CliError with the service's own message if it refuses. */
  private async send<T>(method: string, path: string, body?: object, key?: string): Promise<T> {
    const { signal, clear } = this.clock.deadline(TIMEOUT_MS);
    try {
      const response = await fetch(`${this.url}/admin/v1${path}`, {
        method,
        redirect: 'manual',
        signal,
        headers: {
          Authorization: `Bearer ${this.token}`,
          ...(key === undefined ? {} : { 'Idempotency-Key': key }),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (response.ok) return (text === '' ? null : JSON.parse(text)) as T;
      throw refusalOf(response.status, text);
    } catch (error) {
      if (error instanceof CliError) throw error;
      throw this.unreachable(error);
    } finally {
      clear();
    }
  }

  private unreachable(error: unknown): CliError {
    const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
    const why = cause?.code ?? cause?.message ?? message;
    // Nothing was sent where nobody listens.
    const Kind = cause?.code === 'ECONNREFUSED' ? CliError : LostAnswer;
    return new Kind(
      `The service at ${this.url} does not answer (${why}).\n` +
        `Is it running? If it listens elsewhere, set DATA_DIR to its folder, COUNTERFOIL_URL, or HOST and PORT as it has them.`,
      EXIT.unreachable,
    );
  }
}

/** Whether the service has done what it was asked for is unknown. */
class LostAnswer extends CliError {}

interface Refusal {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details?: readonly { readonly field: string; readonly message: string }[];
  };
}

function refusalOf(status: number, text: string): CliError {
  const refusal = parsed(text);
  if (refusal === null) return new CliError(`The service answered ${status} in a way that it never should.`);
  const { code, message, details = [] } = refusal.error;
  if (status === 401) {
    const hint = "Set OPERATOR_TOKEN to the service's, or DATA_DIR to the folder of the running service.";
    return new CliError(`The service does not take this operator token (${code}).\n${hint}`);
  }
  // After a 503 the outcome is unknown, and the same key reveals it.
  const Kind = status >= 500 ? LostAnswer : CliError;
  return new Kind(
    [`${message} (${code})`, ...details.map(({ field, message: why }) => `  ${field}: ${why}`)].join('\n'),
    status >= 500 ? EXIT.unreachable : EXIT.failed,
  );
}

function parsed(text: string): Refusal | null {
  try {
    const value = JSON.parse(text) as Refusal | null;
    return typeof value?.error.code === 'string' ? value : null;
  } catch {
    return null;
  }
}
