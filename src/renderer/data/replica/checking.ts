import type { WireChange } from '../../../shared/contract/sync.ts';
import type { Hasher } from '../../../shared/lib/hash.ts';
import { type DamageCode, DamagedChangeError, unseal } from '../../../sync/change.ts';
import { yieldNowAndThen } from './yielding.ts';

/**
 * Checks changes of the server against their ids: bytes, form and shape. Rejects with
 * DamagedChangeError for the first that is not whole.
 */
export type Check = (changes: readonly WireChange[]) => Promise<void>;

/** A check that was asked of a worker, and its answer. */
export interface Checking {
  number: number;
  changes: readonly WireChange[];
}
export interface Checked {
  number: number;
  damage: DamageCode | null;
}

/** What is used of a worker. */
export interface CheckingWorker {
  postMessage(checking: Checking): void;
  onmessage: ((event: MessageEvent<Checked>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

/** The check itself, whichever thread it runs on. */
export function damageIn(changes: readonly WireChange[], hasher: Hasher): DamageCode | null {
  try {
    for (const { id, change } of changes) unseal(id, change, hasher);
    return null;
  } catch (error) {
    if (error instanceof DamagedChangeError) return error.code;
    throw error;
  }
}

/** On this thread, change by change, with turns for the browser in between. */
export function checkHere(hasher: Hasher): Check {
  return async (changes) => {
    const yieldIfDue = yieldNowAndThen();
    for (const change of changes) {
      const damage = damageIn([change], hasher);
      if (damage !== null) throw new DamagedChangeError(damage);
      await yieldIfDue(change.change.length / BYTES_OF_ENTRY);
    }
  };
}

/** About what an entry of a large change takes. */
const BYTES_OF_ENTRY = 200;

/**
 * By a worker, which is started when it is first needed, so that hashing and checking what others
 * write takes no frame of this window. Where none starts, `instead` checks.
 */
export function checkBy(start: () => CheckingWorker, instead: Check): Check {
  const waiting = new Map<number, (checked: Checked | null) => void>();
  let last = 0;
  let worker: CheckingWorker | null | undefined;

  const fail = (): void => {
    worker = null;
    for (const answer of waiting.values()) answer(null);
    waiting.clear();
  };
  const begin = (): CheckingWorker | null => {
    try {
      const started = start();
      started.onmessage = ({ data }) => {
        waiting.get(data.number)?.(data);
        waiting.delete(data.number);
      };
      started.onerror = fail;
      return started;
    } catch {
      return null;
    }
  };

  return async (changes) => {
    if (changes.length === 0) return;
    if (worker === undefined) worker = begin();
    const { promise, resolve } = Promise.withResolvers<Checked | null>();
    const number = (last += 1);
    waiting.set(number, resolve);
    if (worker === null) fail();
    else worker.postMessage({ number, changes });
    const checked = await promise;
    if (checked === null) return instead(changes);
    if (checked.damage !== null) throw new DamagedChangeError(checked.damage);
  };
}
