/** The part of `LockManager` that is used, so that tests can play several windows. */
export interface LocksLike {
  request(
    name: string,
    options: { mode?: 'exclusive'; ifAvailable?: boolean; signal?: AbortSignal },
    callback: (lock: unknown) => Promise<void>,
  ): Promise<unknown>;
}

/**
 * Decides which of several windows is the leader of a matrix: only that one talks to the server and
 * writes the replica. The others write to the outbox, and read the replica again when it notifies
 * them. Where the browser has no locks, every window is a leader, and the `boot` of the link row
 * keeps two from writing.
 */
export class LeaderElection {
  #release: (() => void) | null = null;
  readonly #abort = new AbortController();
  isLeader = false;

  /**
   * Resolves once it is known whether this window is the leader. `onElected` is called when it is,
   * at once or after the leader has gone.
   */
  async start(name: string, locks: LocksLike | undefined, onElected: () => void): Promise<void> {
    if (locks === undefined) {
      this.isLeader = true;
      return onElected();
    }
    const hold = (): Promise<void> =>
      new Promise((resolve) => {
        this.isLeader = true;
        this.#release = resolve;
        onElected();
      });
    const isTaken = await new Promise<boolean>((resolve) => {
      void locks.request(name, { ifAvailable: true }, async (lock) => {
        resolve(lock !== null);
        if (lock !== null && !this.#abort.signal.aborted) await hold();
      });
    });
    if (isTaken || this.#abort.signal.aborted) return;
    locks
      .request(name, { signal: this.#abort.signal }, async () => {
        if (!this.#abort.signal.aborted) await hold();
      })
      .catch(() => undefined);
  }

  close(): void {
    this.#abort.abort();
    this.#release?.();
    this.isLeader = false;
  }
}
