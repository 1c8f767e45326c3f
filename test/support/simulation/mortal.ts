/** The life of a process that can be killed: after that, nothing it calls is done, and nothing it awaits resolves. */
export class Life {
  private dead = false;

  end(): void {
    this.dead = true;
  }

  /** The port as that process sees it. */
  of<T extends object>(port: T): T {
    return new Proxy(port, {
      get: (target, name): unknown => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => this.guard(() => Reflect.apply(member, target, args) as unknown);
      },
    });
  }

  private guard(call: () => unknown): unknown {
    if (this.dead) return never();
    const result = call();
    if (!(result instanceof Promise)) return result;
    return result.then(
      (value: unknown) => (this.dead ? never() : value),
      (error: unknown) => (this.dead ? never() : Promise.reject(error as Error)),
    );
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
