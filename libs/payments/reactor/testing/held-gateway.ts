import {
  type ChallengeState,
  GatewayOutcomeUnknownError,
  type TransactionOutcome,
  type TransactionRequest,
} from '@app/gateway/port';
import { ScriptedGateway } from './scripted-gateway';

type Held = 'authorize' | 'capture' | 'void' | 'challengeState';

/** A call on its way: a spec says when its request arrives at the gateway, and when, or whether, its answer comes back. */
export class HeldCall {
  private readonly arrived = Promise.withResolvers<null>();
  private readonly answered = Promise.withResolvers<null>();

  /** The gateway acts now, whether anybody still waits for it or not. */
  arrive(): void {
    this.arrived.resolve(null);
  }

  answer(): void {
    this.answered.resolve(null);
  }

  /** The connection breaks: the caller learns at once that it knows nothing. */
  lose(): void {
    this.answered.reject(new GatewayOutcomeUnknownError('reset'));
  }

  async carry<T>(act: () => Promise<T>): Promise<T> {
    // An answer may be lost before anybody waits for it.
    this.answered.promise.catch(() => undefined);
    const done = this.arrived.promise.then(act);
    await this.answered.promise;
    return done;
  }
}

/** A scripted gateway of which single calls can be held on their way there and back. */
export class HeldGateway extends ScriptedGateway {
  private readonly held = new Map<Held, HeldCall>();

  /** The next call of the operation goes this way; those after it aren't held. */
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
