import { z } from 'zod';
import type { AccountId } from '../../../shared/contract/ids.ts';
import { StoreError } from '../db/errors.ts';
import { type ObjectStore, ObjectStoreError } from './object-store.ts';

/** Requests under way at a time for one call. */
const AT_ONCE = 32;
/**
 * How long one call may take, whatever it has to move: a transaction waits for it, and PostgreSQL
 * ends one that has been silent for 60 s.
 */
const CALL_MS = 40_000;
/**
 * How long nobody is let through to a store that was found not to answer; then one is, for all.
 * Each of them would hold a connection to the database and the lock of a case meanwhile.
 */
const PAUSE_MS = 1_000;

/** Says whose blobs a place holds; beside them, so that a copy of the place has it too. */
const OWNER_KEY = 'evidence-studio.json';
const Owner = z.strictObject({ store_id: z.string() });

/** One copy of a blob: a copy that was found to be damaged is never overwritten. */
export interface BlobCopyName {
  sha256: string;
  copy: number;
}

/** What a claim of a place found. */
export type Claim = { ok: true } | { ok: false; problem: 'unreachable' | 'refused'; why: string };

function keyOf(account: AccountId, { sha256, copy }: BlobCopyName): string {
  return `${account}/${sha256.slice(0, 2)}/${sha256}${copy === 0 ? '' : `.${copy}`}`;
}

async function forEachOf<T>(
  entries: readonly T[],
  work: (entry: T) => Promise<void>,
): Promise<void> {
  const waiting = entries.values();
  const lane = async (): Promise<void> => {
    for (const entry of waiting) await work(entry);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, entries.length) }, lane));
}

/**
 * The blobs of one database that are kept outside of it: under keys that begin with their account,
 * in a place that names the database as its owner. Nothing there is ever deleted or overwritten
 * with something else, so that every older copy of the database finds its blobs.
 */
export class OutsideBlobs {
  /** As it may be shown. */
  readonly place: string;
  readonly #objects: ObjectStore;
  /** The database that the place belongs to, and whether it had no blobs outside at its start. */
  #owner: { storeId: string; isNew: boolean } | undefined;
  #isClaimed = false;
  /** Why the place was not usable when it was last claimed. */
  #unclaimed: string | undefined;
  /** Why nobody is let through at present, and whether one may try again. */
  #down: ObjectStoreError | undefined;
  #isTrialDue = false;

  constructor(objects: ObjectStore, place: string) {
    this.#objects = objects;
    this.place = place;
  }

  /** Why the place cannot be used now, as far as is known. */
  get problem(): string | undefined {
    return this.#down?.message ?? this.#unclaimed;
  }

  /**
   * Takes the place for a database, or finds that it has it already. `isNew`: the database has no
   * blobs outside yet, so a place without an owner is as good as any.
   */
  async claim(storeId: string, isNew: boolean): Promise<Claim> {
    this.#owner = { storeId, isNew };
    const claim = await this.#claim(storeId, isNew);
    this.#isClaimed = claim.ok;
    this.#unclaimed = claim.ok ? undefined : claim.why;
    return claim;
  }

  async #claim(storeId: string, isNew: boolean): Promise<Claim> {
    const signal = AbortSignal.timeout(CALL_MS);
    try {
      const found = await this.#ownerThere(signal);
      if (found === storeId) return { ok: true };
      if (found !== undefined)
        return { ok: false, problem: 'refused', why: 'it holds the blobs of another database' };
      if (!isNew)
        return {
          ok: false,
          problem: 'refused',
          why: `its ${OWNER_KEY}, which says whose blobs it holds, is not there`,
        };
      const owner: z.infer<typeof Owner> = { store_id: storeId };
      await this.#objects.put(OWNER_KEY, Buffer.from(JSON.stringify(owner)), signal);
      return { ok: true };
    } catch (error) {
      if (!(error instanceof ObjectStoreError)) throw error;
      return {
        ok: false,
        problem: error.problem === 'unreachable' ? 'unreachable' : 'refused',
        why: `it answers ${error.message}`,
      };
    }
  }

  /** Resolves when all of them are durably there. Throws unavailable or storage_full. */
  put(
    account: AccountId,
    blobs: readonly (BlobCopyName & { packed: Uint8Array })[],
  ): Promise<void> {
    return this.#within((signal) =>
      forEachOf(blobs, (blob) => this.#objects.put(keyOf(account, blob), blob.packed, signal)),
    );
  }

  /**
   * The bytes of these copies as they are there, damaged or not, in their order; undefined for
   * those that are missing. Throws unavailable, also where the whole place is another one than
   * before.
   */
  get(account: AccountId, blobs: readonly BlobCopyName[]): Promise<(Uint8Array | undefined)[]> {
    return this.#within(async (signal) => {
      const found: (Uint8Array | undefined)[] = blobs.map(() => undefined);
      await forEachOf([...blobs.entries()], async ([at, blob]) => {
        found[at] = await this.#objects.get(keyOf(account, blob), signal);
      });
      if (found.includes(undefined) && (await this.#ownerThere(signal)) !== this.#owner?.storeId)
        throw new ObjectStoreError('refused', OWNER_KEY);
      return found;
    });
  }

  async #ownerThere(signal: AbortSignal): Promise<string | undefined> {
    const bytes = await this.#objects.get(OWNER_KEY, signal);
    if (bytes === undefined) return undefined;
    try {
      return Owner.parse(JSON.parse(Buffer.from(bytes).toString('utf8'))).store_id;
    } catch {
      return '';
    }
  }

  async #within<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#down !== undefined) {
      if (!this.#isTrialDue) throw closed(this.#down);
      this.#isTrialDue = false;
    }
    const ended = new AbortController();
    try {
      const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(CALL_MS)]);
      if (!this.#isClaimed && this.#owner !== undefined) await this.#claimLate(this.#owner);
      const result = await work(signal);
      this.#down = undefined;
      return result;
    } catch (error) {
      if (!(error instanceof ObjectStoreError)) {
        this.#isTrialDue = true;
        throw error;
      }
      this.#pause(error);
      throw closed(error);
    } finally {
      // After a failure the other requests of this call are of no use.
      ended.abort();
    }
  }

  /** The place did not answer when the server started: it is looked at before it is used. */
  async #claimLate({ storeId, isNew }: { storeId: string; isNew: boolean }): Promise<void> {
    const claim = await this.claim(storeId, isNew);
    if (!claim.ok) throw new ObjectStoreError(claim.problem, claim.why);
  }

  #pause(error: ObjectStoreError): void {
    // A place that is full is there to be read.
    this.#down = error.problem === 'full' ? undefined : error;
    this.#isTrialDue = false;
    setTimeout(() => (this.#isTrialDue = true), PAUSE_MS).unref();
  }
}

/** What it means for whoever asked. */
function closed({ problem, message }: ObjectStoreError): StoreError {
  return problem === 'full'
    ? new StoreError('storage_full', 'The store that keeps blobs is full. Nothing was stored.')
    : new StoreError(
        'unavailable',
        `The store that keeps blobs cannot be used now (${message}). Try again.`,
      );
}
