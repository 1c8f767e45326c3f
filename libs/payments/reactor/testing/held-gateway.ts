import {
  type ChallengeState,
  GatewayOutcomeUnknownError,
  type TransactionOutcome,
  type TransactionRequest,
} from '@app/gateway/port';
import { ScriptedGateway } from './scripted-gateway';

type Held = 'authorize' | 'capture' | 'void' | 'challengeState';

/**
 * A call in transit: the spec decides when its request reaches the gateway, and when, or whether, its answer returns.
 */
export class HeldCall {
  private readonly arrived = Promise.withResolvers<null>();
  private readonly answered = Promise.withResolvers<null>();

  /** The gateway acts now, whether or not anyone still waits for the answer. */
  arrive(): void {
    this.arrived.resolve(null);
  }

  answer(): void {
    this.answered.resolve(null);
  }

  /** The connection breaks: the caller learns at once that the outcome is unknown. */
  lose(): void {
    this.answered.reject(new GatewayOutcomeUnknownError('reset'));
  }

  async carry<T>(act: () => Promise<T>): Promise<T> {
    // The answer may be lost before anyone awaits it.
    this.answered.promise.catch(() => undefined);
    const done = this.arrived.promise.then(act);
    await this.answered.promise;
    return done;
  }
}

/** A scripted gateway whose individual calls can be held in transit, in either direction. */
export class HeldGateway extends ScriptedGateway {
  private readonly held = new Map<Held, HeldCall>();

  /** Holds the next call of the operation, but none after it. */
  hold(operation: Held): HeldCall {
    const call = new HeldCall();
    this.held.set(operation, call);
    return call;
  }

  override authorize(request: TransactionRequest): Promise<TransactionOutcome> {
    return this.carry('authorize', () => super.authorize(request));
  }

  override capture(request: TransactionRequest): Promise<TransactionOutcome> {
    return this.carry('capture', () => super.capture(request));
  }

  override void(request: TransactionRequest): Promise<TransactionOutcome> {
    return this.carry('void', () => super.void(request));
  }

  override challengeState(gatewayReference: string): Promise<ChallengeState> {
    return this.carry('challengeState', () => super.challengeState(gatewayReference));
  }

  private carry<T>(operation: Held, act: () => Promise<T>): Promise<T> {
    const call = this.held.get(operation);
    if (call === undefined) return act();
    this.held.delete(operation);
    return call.carry(act);
  }
}
