import type { WireChange } from '../../shared/contract/sync.ts';
import type { Hasher } from '../../shared/lib/hash.ts';
import { type DamageCode, DamagedChangeError, unseal } from '../../sync/change.ts';
import { breather } from './give-way.ts';

/** Checks changes of the server against their ids: bytes, form and shape. Rejects with DamagedChangeError for the first that is not whole. */
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
    const breathe = breather();
    for (const change of changes) {
      const damage = damageIn([change], hasher);
      if (damage !== null) throw new DamagedChangeError(damage);
      await breathe(change.change.length / BYTES_OF_ENTRY);
    }
  };
}

/** About what an entry of a large change takes. */
const BYTES_OF_ENTRY = 200;

/** By a worker, so that hashing and checking what others write takes no frame of this window. Where no worker starts, `instead` checks. */
export function checkBy(worker: CheckingWorker, instead: Check): Check {
  const waiting = new Map<number, (checked: Checked | 'broken') => void>();
  let last = 0;
  let broken = false;
  worker.onmessage = ({ data }) => {
    waiting.get(data.number)?.(data);
    waiting.delete(data.number);
  };
  worker.onerror = () => {
    broken = true;
    for (const answer of waiting.values()) answer('broken');
    waiting.clear();
  };
  return async (changes) => {
    if (changes.length === 0) return;
    if (broken) return instead(changes);
    const number = (last += 1);
    const checked = await new Promise<Checked | 'broken'>((resolve) => {
      waiting.set(number, resolve);
      worker.postMessage({ number, changes });
    });
    if (checked === 'broken') return instead(changes);
    if (checked.damage !== null) throw new DamagedChangeError(checked.damage);
  };
}
