import type { AdmittedCall, Performed } from '../context/call.ts';
import { ownBytes } from './bytes.ts';
import {
  type SerializedError,
  type Mode,
  type Notice,
  type Order,
  type CallOutcome,
  type Packed,
  type StoreState,
  unpackAnswer,
  unpackError,
} from './messages.ts';
import type { Commit } from '../storage/log/change-log.ts';
import type { Store } from '../storage/store.ts';
import type { Reader, Writer } from '../storage/repositories.ts';

/** The other end, as an object that takes orders. */
export interface Other {
  post(order: Order, transfer?: readonly ArrayBuffer[]): void;
  /** Resolves when the thread has ended after it closed its store. */
  ended: Promise<void>;
}

interface WaitingCall {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

class StoreThreadEndedError extends Error {
  override name = 'StoreThreadEndedError';
}

/**
 * What the server sees of a store on another thread. A transaction's function runs here; what it
 * asks of its reader or writer runs there.
 */
export class RemoteStore {
  readonly #other: Other;
  readonly #waiting = new Map<string, WaitingCall>();
  readonly #listeners = new Set<(event: Commit) => void>();
  /** Errors that came from the other thread. */
  readonly #theirs = new WeakSet<Error>();
  #state: StoreState;
  #last = 0;
  #ended: Error | undefined;

  constructor(other: Other, state: StoreState) {
    this.#other = other;
    this.#state = state;
  }

  receive(notice: Notice): void {
    switch (notice.kind) {
      case 'called':
        return this.#settle(`${notice.id}.${notice.at}`, notice.outcome);
      case 'done':
      case 'carried-out':
        return this.#settle(String(notice.id), notice.outcome);
      case 'commit':
        for (const listener of this.#listeners) listener(notice.event);
        return;
      case 'state':
        this.#state = notice.state;
        return;
      default:
        throw new TypeError(`A store that is open does not say ${notice.kind}.`);
    }
  }

  /** Nothing more will be answered. */
  end(cause?: unknown): void {
    this.#ended = new StoreThreadEndedError('The thread that holds the store has ended.', {
      cause,
    });
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
  }

  #settle(name: string, outcome: CallOutcome): void {
    const waiting = this.#waiting.get(name);
    this.#waiting.delete(name);
    if ('value' in outcome) waiting?.resolve(outcome.value);
    else waiting?.reject(this.#received(outcome.failure));
  }
  #received(failure: SerializedError): Error {
    const error = unpackError(failure);
    this.#theirs.add(error);
    return error;
  }

  #ask(name: string, order: Order, transfer?: readonly ArrayBuffer[]): Promise<unknown> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      this.#waiting.set(name, { resolve, reject });
      this.#other.post(order, transfer);
    });
  }

  /**
   * Stands for the reader or writer of a transaction: every function of its parts becomes an order.
   */
  #partsOf<T extends Reader>(id: number, beforeCommit: (() => Promise<void>)[]): T {
    let at = 0;
    const call = (path: readonly string[], args: readonly unknown[]): Promise<unknown> => {
      at += 1;
      const called = this.#ask(`${id}.${at}`, { do: 'call', id, at, path, args });
      // Some functions return nothing, and nobody waits for them: their failure is that of the
      // transaction.
      called.catch(() => undefined);
      return called;
    };
    const isThenable = (name: string | symbol): boolean =>
      typeof name === 'symbol' || name === 'then';
    return new Proxy({} as T, {
      get: (_, part) => {
        if (isThenable(part)) return undefined;
        if (part === 'beforeCommit')
          return (check: () => Promise<void>) => void beforeCommit.push(check);
        return new Proxy((...args: unknown[]) => call([String(part)], args), {
          get: (__, name) =>
            isThenable(name)
              ? undefined
              : (...args: unknown[]) => call([String(part), String(name)], args),
        });
      },
    });
  }

  #run<P extends Reader, T>(
    mode: Mode,
    fn: (parts: P) => Promise<T>,
    rest: readonly unknown[],
  ): Promise<T> {
    const id = (this.#last += 1);
    const beforeCommit: (() => Promise<void>)[] = [];
    const done = this.#ask(String(id), { do: 'begin', id, mode, rest });
    done.catch(() => undefined);
    return this.#carry(
      id,
      mode,
      async () => {
        const value = await fn(this.#partsOf<P>(id, beforeCommit));
        await Promise.all(beforeCommit.map((check) => check()));
        return value;
      },
      done,
    );
  }

  async #carry<T>(
    id: number,
    mode: Mode,
    work: () => Promise<T>,
    done: Promise<unknown>,
  ): Promise<T> {
    let value: T;
    try {
      value = await work();
    } catch (error) {
      this.#other.post({ do: 'end', id, failed: true });
      // What a failed call means for the store is known there alone, as with a full disk.
      const meant = await done.then(
        () => error,
        (other: unknown) => other,
      );
      throw error instanceof Error && this.#theirs.has(error) ? meant : error;
    }
    this.#other.post({ do: 'end', id, failed: false });
    if (mode === 'transact') await done;
    return value;
  }

  async carryOut(route: string, asked: AdmittedCall, url: string): Promise<Performed> {
    const { received } = asked;
    const id = (this.#last += 1);
    const bytes = received === undefined ? undefined : ownBytes(received.bytes);
    const order: Order = {
      do: 'carry-out',
      id,
      route,
      url,
      asked:
        received === undefined || bytes === undefined
          ? asked
          : { ...asked, received: { ...received, bytes } },
    };
    return unpackAnswer(
      (await this.#ask(String(id), order, bytes === undefined ? [] : [bytes.buffer])) as Packed,
    );
  }

  store({
    engine,
    storeId,
    epoch,
    pool,
  }: Pick<Store, 'engine' | 'storeId' | 'epoch'> & StoreState): Store {
    const state = (): StoreState => this.#state;
    const question = (
      order: { do: 'backup'; file: string } | { do: 'close' },
    ): Promise<unknown> => {
      const id = (this.#last += 1);
      return this.#ask(String(id), { ...order, id });
    };
    return {
      engine,
      unguarded: false,
      storeId,
      epoch,
      get local() {
        return state().local;
      },
      ask: (fn) => this.#run('ask', fn, []),
      read: (fn, ...rest) => this.#run('read', fn, rest),
      transact: <T>(fn: (writer: Writer) => Promise<T>, ...rest: unknown[]) =>
        this.#run<Writer, T>('transact', fn, rest),
      onCommit: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
      health: () =>
        this.#ended === undefined
          ? this.#state.health
          : { ok: false, read_only: this.#ended.message },
      answers: async () => this.#ended === undefined,
      pool: pool && (() => this.#state.pool ?? pool),
      backup: async (file) => void (await question({ do: 'backup', file })),
      close: async () => {
        await question({ do: 'close' });
        await this.#other.ended;
      },
    };
  }
}
