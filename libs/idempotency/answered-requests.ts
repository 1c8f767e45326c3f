import type { RequestSeed } from '@app/platform/asker';
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import canonicalize from 'canonicalize';
import { type AnsweredRequest, answeredRequestDecider, requestStreamId } from '@app/idempotency/domain';
import { noveltyOf } from '@app/idempotency/domain/repetition';
import { assert, type CommandContext, CommandHandling, encodeBase32, type Loaded, Random } from '@app/event-sourcing';
import { Injectable } from '@nestjs/common';
import { type DerivedKey, RequestFingerprints } from '@app/keys/fingerprints';
import { SecretCipher } from '@app/keys/secret-cipher';
import { DerivedRandom } from './derived-random';

const REQUEST_ID_LENGTH = 26;

/** A request with an Idempotency-Key. */
export interface KeyedRequest {
  /** Who sent it: keys of different callers are independent. */
  readonly scope: string;
  /** Method and path. */
  readonly operation: string;
  readonly idempotencyKey: string;
  /** The body; empty if there is none. */
  readonly content: object;
}

export type Answered =
  | { readonly kind: 'answered'; readonly answer: unknown; readonly replayed: boolean }
  | { readonly kind: 'refused'; readonly code: 'IDEMPOTENCY_KEY_REUSED' };

/** A request's identity under one data key. */
interface Identity {
  readonly requestId: string;
  readonly dataKeyId: string;
  readonly fingerprint: string;
  /** Also derived from the Idempotency-Key, which is never stored: log and master key alone do not reveal it. */
  readonly secret: KeyObject;
}

/**
 * Performs a request with an Idempotency-Key once, and returns the same answer to every repeat. Ids and secrets that it
 * creates are derived from the key: a repeat creates the same ones, and the streams that it writes to recognise them.
 * The answer is recorded afterwards. A refused request leaves nothing behind.
 */
@Injectable()
export class AnsweredRequests {
  /** Identical requests wait for each other in this process, so that all of them find the first one's answer. */
  private readonly queues = new Map<string, Promise<unknown>>();

  constructor(
    private readonly handling: CommandHandling,
    private readonly fingerprints: RequestFingerprints,
    private readonly random: Random,
  ) {}

  /**
   * @param act performs the request and returns its answer as JSON. If it throws, the error is rethrown and nothing is
   * recorded.
   * @throws EventStoreUnavailableError, ContentionError: the outcome is unknown; a repeat with the same key reveals it.
   */
  async once(
    request: KeyedRequest,
    context: CommandContext,
    act: (seed: RequestSeed) => Promise<unknown>,
  ): Promise<Answered> {
    const [current, ...older] = this.fingerprints.derivedKeys('requests').map((key) => identityOf(key, request));
    assert(current, 'there is a current data key');
    return this.inTurn(current.requestId, async () => {
      for (const identity of [current, ...older]) {
        const { state } = await this.load(identity);
        if (state !== null) return this.replay(state, identity);
      }
      const { requestId } = current;
      const answer = await act({ requestId, random: new DerivedRandom(current.secret, 'made-up') });
      return this.record(request, current, answer, context);
    });
  }

  private load({ requestId }: Identity): Promise<Loaded<AnsweredRequest | null>> {
    return this.handling.load(answeredRequestDecider, requestStreamId(requestId));
  }

  private async record(
    { operation }: KeyedRequest,
    identity: Identity,
    answer: unknown,
    context: CommandContext,
  ): Promise<Answered> {
    const { requestId, dataKeyId, fingerprint } = identity;
    const encrypted = this.cipherOf(identity).encrypt(JSON.stringify(answer), contextOf(identity));
    const command = { type: 'RecordAnswer', operation, dataKeyId, fingerprint, answer: encrypted } as const;
    const handled = await this.handling.handle(answeredRequestDecider, requestStreamId(requestId), command, context);
    const { state } = handled.loaded;
    // Another process has received the same request and recorded its answer first.
    if (handled.kind === 'accepted' && handled.events.length === 0 && state !== null)
      return this.replay(state, identity);
    return { kind: 'answered', answer, replayed: false };
  }

  private replay(answered: AnsweredRequest, identity: Identity): Answered {
    if (noveltyOf([identity], answered) === 'KEY_REUSED') return { kind: 'refused', code: 'IDEMPOTENCY_KEY_REUSED' };
    const text = this.cipherOf(identity).decryptText(answered.answer, contextOf(identity));
    return { kind: 'answered', answer: JSON.parse(text) as unknown, replayed: true };
  }

  private cipherOf({ secret }: Identity): SecretCipher {
    return new SecretCipher(createHmac('sha256', secret).update('answer').digest(), null, this.random);
  }

  private async inTurn<T>(requestId: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.queues.get(requestId) ?? Promise.resolve()).then(work);
    const settled = turn.catch(() => undefined);
    this.queues.set(requestId, settled);
    try {
      return await turn;
    } finally {
      if (this.queues.get(requestId) === settled) this.queues.delete(requestId);
    }
  }
}

function identityOf({ dataKeyId, key }: DerivedKey, request: KeyedRequest): Identity {
  const { scope, operation, idempotencyKey, content } = request;
  const parts = ['request', scope, operation, idempotencyKey];
  const framed = parts.map((part) => `${Buffer.byteLength(part)}:${part},`).join('');
  const canonical = canonicalize(content);
  assert(canonical, 'a body is a JSON object');
  return {
    requestId: encodeBase32(createHmac('sha256', key).update(`id/${framed}`).digest(), REQUEST_ID_LENGTH),
    dataKeyId,
    fingerprint: createHmac('sha256', key).update(`content/${canonical}`).digest('hex'),
    secret: createSecretKey(createHmac('sha256', key).update(`secret/${framed}`).digest()),
  };
}

function contextOf({ requestId }: Identity): string {
  return `request:${requestId}:answer`;
}
