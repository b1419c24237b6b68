import type { CaseUid } from '../../../shared/contract/ids.ts';
import { parseRegister } from '../../../sync/register.ts';
import type { Hasher } from '../../../shared/lib/hash.ts';
import type { Database, MatrixRow } from '../store/db.ts';
import { outboxStates, unsentRows } from './outbox.ts';
import type { Replica } from './replica.ts';
import type { MatrixAddress } from '../replica/replica-ports.ts';
import { readChange, readMatrixRow } from '../store/stored-rows.ts';
import type { SyncReason } from '../replica/window-channel.ts';
import type { Timers } from '../../../sync/loop.ts';
import type { Who } from '../api/who.ts';

export interface BackgroundSyncPorts {
  db: Database;
  hasher: Hasher;
  timers: Timers;
  who: Who;
  open: ReadonlySet<Replica>;
  /** Wait before a server that was away is asked again, ms. */
  retryMs(): number;
  freshRow(address: MatrixAddress): Promise<MatrixRow>;
  /** Opens a copy that nobody looks at. It counts as open until it is closed. */
  openReplica(row: MatrixRow): Promise<Replica>;
  /** Resolves when everything on screen is in the store, also of copies that were just closed. */
  settled(): Promise<void>;
}

const EVERY_MS = 60_000;
const SOON_MS = 1_000;
/** If a case is not done in this time, the next one follows. Milliseconds. */
const PATIENCE_MS = 30_000;

/**
 * Sends the unsent changes of cases that no page has open, one case at a time, so that they do not
 * wait until somebody opens the case again.
 */
export class BackgroundSync {
  readonly #ports: BackgroundSyncPorts;
  #cancel: (() => void) | null = null;
  #isRunning = false;
  #closed = false;
  /** When the run after the one under way begins, ms after its end. */
  #wait = EVERY_MS;
  /** Whether a person has asked since the last run began. */
  #isAsked = false;

  constructor(ports: BackgroundSyncPorts) {
    this.#ports = ports;
    this.request('work');
  }

  /** A person is served at once, or as soon as the run under way has ended; others in a moment. */
  request(why: SyncReason): void {
    this.#isAsked ||= why === 'person';
    this.#plan(why === 'person' ? 0 : SOON_MS);
  }
  #plan(ms: number): void {
    if (this.#closed) return;
    if (this.#isRunning) this.#wait = Math.min(this.#wait, ms);
    else {
      this.#cancel?.();
      if (ms === 0) void this.#run();
      else this.#cancel = this.#ports.timers.after(ms, () => void this.#run());
    }
  }

  async #run(): Promise<void> {
    const why = this.#isAsked ? 'person' : 'work';
    this.#isRunning = true;
    this.#isAsked = false;
    this.#wait = EVERY_MS;
    try {
      if (await this.#sendAll(why)) this.#plan(this.#ports.retryMs());
    } catch {
      // If the store cannot be read now, the next run tries again.
    } finally {
      this.#isRunning = false;
      this.#plan(this.#wait);
    }
  }

  /** Whether something was left that a retry may send. */
  async #sendAll(why: SyncReason): Promise<boolean> {
    const { db, who, open, settled } = this.#ports;
    let isLeft = false;
    await settled();
    for (const { case_uid, user, waiting } of await outboxStates(db)) {
      const isOpen = [...open].some(({ row }) => row.case_uid === case_uid && row.user === user);
      if (this.#closed || waiting === 0 || user !== who.owner || isOpen) continue;
      // A small request first, so that no copy is opened while the server is away.
      await who.askAgain().catch(() => undefined);
      if (!who.reachable) return true;
      if (who.signedOut) return false;
      const isUnfinished = await this.#send(case_uid, user, why).catch(() => false);
      isLeft ||= isUnfinished;
    }
    return isLeft;
  }

  /** Whether something was left although nothing is known to be wrong. */
  async #send(caseUid: CaseUid, user: string, why: SyncReason): Promise<boolean> {
    const row = await this.#rowOf(caseUid, user);
    if (row === undefined) return false;
    const replica = await this.#ports.openReplica(row);
    try {
      if (!replica.isLeader) replica.requestSync(why);
      await this.#rested(replica);
      const { isLeader, stored, online, problem } = replica;
      return isLeader && stored.waiting > 0 && online && problem === null;
    } finally {
      replica.close();
    }
  }

  /** Resolves when the replica has done what it can, or takes too long. */
  async #rested(replica: Replica): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#ports.timers.after(PATIENCE_MS, resolve);
    const look = (): void => {
      if (replica.isAtRest) resolve();
    };
    replica.onStatus = look;
    replica.closing.addEventListener('abort', () => resolve());
    look();
    await promise;
    cancel();
  }

  /**
   * Any copy of the case serves; where there is none, one is made for the profile that an unsent
   * change names.
   */
  async #rowOf(caseUid: CaseUid, user: string): Promise<MatrixRow | undefined> {
    const { db, hasher } = this.#ports;
    const known = (await db.matrices.where('case_uid').equals(caseUid).toArray())
      .map(readMatrixRow)
      .find((row) => row?.user === user);
    if (known !== undefined) return known;
    for (const row of await unsentRows(db, { case_uid: caseUid, user })) {
      for (const { reg } of readChange(row, hasher)?.entries ?? []) {
        const register = parseRegister(reg);
        if (register?.kind === 'assertion' || register?.kind === 'notes')
          return this.#ports.freshRow({
            caseUid,
            profileUid: register.profile,
            profileVersion: register.version,
          });
      }
    }
    return undefined;
  }

  close(): void {
    this.#closed = true;
    this.#cancel?.();
  }
}
