import type { Candidate, DispatchStrategy } from './strategy';

abstract class Rotating<C extends Candidate> implements DispatchStrategy<C> {
  protected readonly consumers: C[] = [];

  add(consumer: C): void {
    this.consumers.push(consumer);
  }

  remove(consumer: C): void {
    const index = this.consumers.indexOf(consumer);
    if (index >= 0) this.consumers.splice(index, 1);
  }

  released(): void {
    // Any consumer with room may have any message.
  }

  abstract choose(): C | 'full';

  /** Moves the first ones to the end of the queue. */
  protected rotate(count: number): void {
    this.consumers.push(...this.consumers.splice(0, count));
  }
}

/** One message for each in turn, skipping those without room. */
export class RoundRobin<C extends Candidate> extends Rotating<C> {
  choose(): C | 'full' {
    const index = this.consumers.findIndex(({ hasRoom }) => hasRoom);
    const chosen = this.consumers[index];
    if (chosen === undefined) return 'full';
    this.rotate(index + 1);
    return chosen;
  }
}

/** All to one while it has room, then to the next. */
export class DispatchToSingle<C extends Candidate> extends Rotating<C> {
  choose(): C | 'full' {
    const index = this.consumers.findIndex(({ hasRoom }) => hasRoom);
    const chosen = this.consumers[index];
    if (chosen === undefined) return 'full';
    this.rotate(index);
    return chosen;
  }
}
