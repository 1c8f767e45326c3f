type Wake = (error?: Error) => void;

/** Wakes all callers that wait for the next commit. */
export class CommitSignal {
  private readonly waiting = new Set<Wake>();

  /** Resolves at the next commit, or once `signal` is aborted. @throws what `fail` was given */
  wait(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const wake: Wake = (error) => {
        this.waiting.delete(wake);
        signal.removeEventListener('abort', onAbort);
        if (error === undefined) resolve();
        else reject(error);
      };
      const onAbort = () => wake();
      signal.addEventListener('abort', onAbort);
      this.waiting.add(wake);
    });
  }

  committed(): void {
    for (const wake of [...this.waiting]) wake();
  }

  fail(error: Error): void {
    for (const wake of [...this.waiting]) wake(error);
  }
}
