import type { Reader } from '../storage/repositories.ts';

export class AbandonedError extends Error {
  override name = 'AbandonedError';
}

/**
 * A transaction whose function runs on another thread: it lasts until that thread ends it, and
 * meanwhile runs the calls that come from there.
 */
export class Transaction {
  readonly #parts = Promise.withResolvers<Reader>();
  readonly #ended = Promise.withResolvers<void>();
  #failure: unknown;

  constructor() {
    this.#parts.promise.catch(() => undefined);
    this.#ended.promise.catch(() => undefined);
  }

  run(parts: Reader): Promise<void> {
    this.#parts.resolve(parts);
    return this.#ended.promise;
  }

  /** It has not begun, and never will. */
  refuse(error: unknown): void {
    this.#parts.reject(error);
  }

  end(failed: boolean): void {
    // A failed call says more than that the function was left because of it: the store has to learn
    // of it.
    if (failed || this.#failure instanceof UnnoticedError)
      this.#ended.reject(
        this.#failure instanceof UnnoticedError
          ? this.#failure.cause
          : (this.#failure ?? new AbandonedError('The transaction was given up.')),
      );
    else this.#ended.resolve();
  }

  async call(path: readonly string[], args: readonly unknown[]): Promise<unknown> {
    const parts = await this.#parts.promise;
    const holder: unknown = path.length === 1 ? parts : Reflect.get(parts, path[0] ?? '');
    const name = path.at(-1) ?? '';
    const fn: unknown =
      typeof holder === 'object' && holder !== null && Object.hasOwn(holder, name)
        ? Reflect.get(holder, name)
        : undefined;
    if (typeof fn !== 'function') throw new TypeError(`The store has no ${path.join('.')}.`);
    let called: unknown;
    try {
      called = Reflect.apply(fn, holder, args);
    } catch (error) {
      // Functions that return no promise are not waited for on the other side.
      this.#failure = new UnnoticedError(error);
      throw error;
    }
    try {
      return await called;
    } catch (error) {
      if (!(this.#failure instanceof UnnoticedError)) this.#failure = error;
      throw error;
    }
  }
}

class UnnoticedError extends Error {
  constructor(cause: unknown) {
    super('A function that nobody waits for has failed.', { cause });
  }
}
