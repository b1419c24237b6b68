import { parseRegister } from '../../../sync/register.ts';
import type { Hasher } from '../../../shared/lib/hash.ts';
import type { Database, MatrixRow } from '../store/db.ts';
import { outboxStates, unsentRows } from './outbox.ts';
import type { Replica } from './replica.ts';
import type { MatrixAddress } from '../replica/replica-ports.ts';
import { readChange, readMatrixRow } from '../store/stored-rows.ts';
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
}

const EVERY_MS = 60_000;
const SOON_MS = 1_000;
/** If a case makes no progress for this long, the next one follows. Milliseconds. */
const PATIENCE_MS = 30_000;

/**
 * Sends the unsent changes of cases that no page has open, one case at a time, so that they do not
 * wait until somebody opens the case again.
 */
export class BackgroundSync {
  readonly #ports: BackgroundSyncPorts;
  #cancel: (() => void) | null = null;
  #running = false;
  #closed = false;

  constructor(ports: BackgroundSyncPorts) {
    this.#ports = ports;
    this.soon();
  }

  soon(): void {
    this.#plan(SOON_MS);
  }
  #plan(ms: number): void {
    if (this.#closed || this.#running) return;
    this.#cancel?.();
    this.#cancel = this.#ports.timers.after(ms, () => void this.#run());
  }

  async #run(): Promise<void> {
    this.#running = true;
    let isLeft = false;
    try {
      const { who } = this.#ports;
      const user = who.owner;
      const isOpen = (caseUid: string): boolean =>
        [...this.#ports.open].some(
          (replica) => replica.row.case_uid === caseUid && replica.row.user === user,
        );
      for (const state of await outboxStates(this.#ports.db)) {
        if (this.#closed || state.waiting === 0 || state.user !== user || isOpen(state.case_uid))
          continue;
        // A small request first, so that no copy is opened while the server is away.
        await who.ask().catch(() => undefined);
        isLeft = !who.reachable;
        if (isLeft || who.signedOut) break;
        await this.#send(state.case_uid, user).catch(() => undefined);
      }
    } catch {
      // If the store cannot be read now, the next cycle tries again.
    } finally {
      this.#running = false;
      this.#plan(isLeft ? Math.min(EVERY_MS, this.#ports.retryMs()) : EVERY_MS);
    }
  }

  async #send(caseUid: string, user: string): Promise<void> {
    const row = await this.#rowOf(caseUid, user);
    if (row === undefined) return;
    const replica = await this.#ports.openReplica(row);
    const until = this.#ports.timers.elapsed() + PATIENCE_MS;
    try {
      while (
        !this.#closed &&
        replica.stored.waiting > 0 &&
        replica.online &&
        replica.problem === null &&
        this.#ports.timers.elapsed() < until
      ) {
        await new Promise<void>((resolve) => void this.#ports.timers.after(SOON_MS, resolve));
      }
    } finally {
      replica.close();
    }
  }

  /**
   * Any copy of the case serves; where there is none, one is made for the profile that an unsent
   * change names.
   */
  async #rowOf(caseUid: string, user: string): Promise<MatrixRow | undefined> {
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
