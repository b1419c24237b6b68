import type { Hasher } from '../../../shared/lib/hash.ts';
import type { Timers } from '../../../sync/loop.ts';
import type { Database, OutboxRow } from '../store/db.ts';
import { type OutboxState, outboxStates, unsentRows } from './outbox.ts';
import type { Replica } from './replica.ts';
import { ThrottledEmitter } from '../replica/throttled-emitter.ts';
import { describeUnsent, exportFile, readExport, type UnsentChange } from '../store/unsent.ts';
import type { Who } from '../api/who.ts';
import { windowDiagnostics } from './window-diagnostics.ts';
import {
  latest,
  linkOf,
  linksOf,
  totalsOf,
  type WindowLink,
  type WindowTotals,
  type WindowView,
} from './window-links.ts';
import { t } from '../../text/t.ts';

export interface Discarded {
  discarded: number;
  kept: number;
}

/** What the Sync page reads from and does to this window's own store. */
export interface SyncOverview {
  readonly totals: WindowTotals;
  subscribe(listener: () => void): () => void;
  links(): Promise<WindowLink[]>;
  /**
   * Unsent changes, oldest first: either those that are sent by themselves, or those kept until a
   * person acts. At most `most` of what they wrote is described.
   */
  unsent(
    which: 'waiting' | 'kept',
    most: number,
  ): Promise<{ changes: UnsentChange[]; total: number; me: string | undefined }>;
  /** These changes as a JSON file, with their exact bytes and in readable form. */
  exportOf(ids: readonly string[]): Promise<string>;
  /** Ids of all changes that are not at the server, whoever's and in whatever state. */
  everything(): Promise<string[]>;
  /** Those of them that a saved file contains byte for byte. */
  savedIn(savedFile: string): Promise<string[]>;
  /** How many of these changes a saved file contains byte for byte. */
  heldIn(savedFile: string, ids: readonly string[]): Promise<number>;
  /**
   * Discards those of these changes that are kept here and that the saved file contains byte for
   * byte, and no others.
   */
  discard(savedFile: string, ids: readonly string[]): Promise<Discarded>;
  /** Facts for finding faults: no evidence and no names. */
  diagnostics(): Promise<Record<string, unknown>>;
  /** Sends refused changes once more. */
  sendAgain(ids: readonly string[]): Promise<void>;
  /** Sends what waits: a person asks for it, or the server can probably be reached again. */
  tryNow(why?: 'reach' | 'person'): void;
}

export interface OverviewPorts {
  db: Database;
  hasher: Hasher;
  who: Who;
  open: ReadonlySet<Replica>;
  timers: Timers;
  /** Sends to the other windows. */
  notify(message: { kind: 'outbox' | 'reread'; case: string }): void;
  /** The same for the cases that this window has not open. */
  sendOthers(why: 'reach' | 'person'): void;
}

/** Changes within this time are read and reported together. Milliseconds. */
const THROTTLE_MS = 100;

export class WindowOverview implements SyncOverview {
  readonly #ports: OverviewPorts;
  readonly #emitter: ThrottledEmitter;
  #states: OutboxState[] = [];
  #reviews = new Map<string, number>();
  #savedAt: number | null = null;
  #names = new Map<string, string>();
  #reading: Promise<void> | null = null;
  #again = false;
  #totals: WindowTotals | null = null;

  constructor(ports: OverviewPorts) {
    this.#ports = ports;
    this.#emitter = new ThrottledEmitter({
      after: (ms, callback) => ports.timers.after(ms, callback),
      ms: THROTTLE_MS,
      isUnsaved: () => this.totals.storing + this.totals.waiting > 0,
      settle: () => void this.read().catch(() => this.#publish()),
    });
  }

  subscribe(listener: () => void): () => void {
    return this.#emitter.subscribe(listener);
  }
  /**
   * Called when something has changed. Open matrices report their numbers at once, the other cases
   * after they were read.
   */
  invalidate(): void {
    this.#totals = null;
    this.#emitter.invalidate();
  }
  #publish(): void {
    this.#totals = null;
    this.#emitter.notify();
  }
  read(): Promise<void> {
    if (this.#reading !== null) {
      this.#again = true;
      return this.#reading;
    }
    this.#reading = this.#read().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }
  async #read(): Promise<void> {
    const { db } = this.#ports;
    do {
      this.#again = false;
      const [states, matrices, names] = await Promise.all([
        outboxStates(db),
        db.matrices.toArray(),
        db.meta.toArray(),
      ]);
      this.#states = states;
      this.#reviews = new Map(
        matrices.map((row) => [row.id, row.user === this.#me ? row.review : 0]),
      );
      this.#savedAt = latest(
        matrices.filter((row) => row.user === this.#me).map((row) => row.last_ok),
      );
      this.#names = new Map(
        names.flatMap(({ key, value }) =>
          key.startsWith(USER_KEY) && typeof value === 'string'
            ? [[key.slice(USER_KEY.length), value] as const]
            : [],
        ),
      );
    } while (this.#again);
    this.#publish();
  }

  get #me(): string | undefined {
    return this.#ports.who.owner;
  }
  get #view(): WindowView {
    return {
      open: [...this.#ports.open],
      who: this.#ports.who,
      states: this.#states,
      reviews: this.#reviews,
      savedAt: this.#savedAt,
      names: this.#names,
    };
  }

  get totals(): WindowTotals {
    this.#totals ??= totalsOf(this.#view);
    return this.#totals;
  }

  async links(): Promise<WindowLink[]> {
    await this.read();
    const matrices = await this.#ports.db.matrices.toArray();
    const view = this.#view;
    const known = new Map(
      linksOf(view).map((link) => [JSON.stringify([link.case_uid, link.user]), link]),
    );
    for (const row of matrices) {
      const key = JSON.stringify([row.case_uid, row.user]);
      const link = known.get(key) ?? linkOf(view, row.case_uid, row.user);
      known.set(key, {
        ...link,
        lastOk: latest([link.lastOk, row.last_ok]),
        review: link.open ? link.review : link.review + row.review,
      });
    }
    return [...known.values()].sort(
      (a, b) => Number(b.mine) - Number(a.mine) || (a.case_uid < b.case_uid ? -1 : 1),
    );
  }

  async #rows(): Promise<{ row: OutboxRow; state: UnsentChange['state'] }[]> {
    await this.read();
    const found: { row: OutboxRow; state: UnsentChange['state'] }[] = [];
    for (const { case_uid, user } of this.#states) {
      const isBlocked = linkOf(this.#view, case_uid, user).blocked > 0 || user !== this.#me;
      for (const row of await unsentRows(this.#ports.db, { case_uid, user }))
        found.push({
          row,
          state: row.state === 'damaged' ? 'damaged' : isBlocked ? 'blocked' : 'waiting',
        });
    }
    return found.sort((a, b) => a.row.created - b.row.created || (a.row.n ?? 0) - (b.row.n ?? 0));
  }
  #describe(row: OutboxRow, state: UnsentChange['state'], atMost: number): Promise<UnsentChange> {
    return describeUnsent(
      this.#ports.db,
      row,
      { state, userName: this.#names.get(row.user) ?? null, most: atMost },
      this.#ports.hasher,
    );
  }

  async unsent(
    which: 'waiting' | 'kept',
    atMost: number,
  ): Promise<{ changes: UnsentChange[]; total: number; me: string | undefined }> {
    const rows = (await this.#rows()).filter(
      ({ state }) => (state === 'waiting') === (which === 'waiting'),
    );
    const changes: UnsentChange[] = [];
    let left = atMost;
    for (const { row, state } of rows) {
      if (left <= 0) break;
      const change = await this.#describe(row, state, left);
      changes.push(change);
      left -= Math.max(1, change.entries.length);
    }
    return { changes, total: rows.length, me: this.#me };
  }

  async exportOf(ids: readonly string[]): Promise<string> {
    const wanted = new Set(ids);
    const rows = (await this.#rows()).filter(({ row }) => wanted.has(row.id));
    const changes: { about: UnsentChange; text: string }[] = [];
    for (const { row, state } of rows)
      changes.push({ about: await this.#describe(row, state, Infinity), text: row.text });
    return exportFile(changes, this.#ports.timers.now());
  }

  async everything(): Promise<string[]> {
    return (await this.#rows()).map(({ row }) => row.id);
  }
  async savedIn(savedFile: string): Promise<string[]> {
    const saved = readExport(savedFile);
    return (await this.#rows()).flatMap(({ row }) =>
      saved?.get(row.id) === row.text ? [row.id] : [],
    );
  }

  async heldIn(savedFile: string, ids: readonly string[]): Promise<number> {
    const saved = readExport(savedFile);
    return (await this.#kept(ids)).filter(({ row }) => saved?.get(row.id) === row.text).length;
  }
  async #kept(ids: readonly string[]): Promise<{ row: OutboxRow }[]> {
    const wanted = new Set(ids);
    return (await this.#rows()).filter(
      ({ row, state }) => state !== 'waiting' && wanted.has(row.id),
    );
  }

  async discard(savedFile: string, ids: readonly string[]): Promise<Discarded> {
    const saved = readExport(savedFile);
    if (saved === undefined) throw new Error(t('This file is no export of unsent changes.'));
    const kept = await this.#kept(ids);
    const gone = kept.filter(({ row }) => saved.get(row.id) === row.text).map(({ row }) => row);
    const { db, open } = this.#ports;
    const cases = new Set(gone.map((row) => row.case_uid));
    await db.transaction('rw', db.outbox, db.matrices, async () => {
      await db.outbox.bulkDelete(gone.flatMap((row) => row.n ?? []));
      // The copy still shows what was discarded, so it is read from the server again.
      await db.matrices.toCollection().modify((row) => {
        if (!gone.some((one) => one.user === row.user && one.case_uid === row.case_uid)) return;
        row.schema = 0;
        row.rev += 1;
      });
    });
    for (const replica of open) if (cases.has(replica.row.case_uid)) await replica.reload();
    for (const one of cases) this.#ports.notify({ kind: 'reread', case: one });
    this.tryNow();
    await this.read();
    return { discarded: gone.length, kept: kept.length - gone.length };
  }

  async sendAgain(ids: readonly string[]): Promise<void> {
    const { db } = this.#ports;
    await db.outbox
      .where('id')
      .anyOf([...ids])
      .modify((row) => {
        Object.assign(row, { state: 'waiting', reason: null });
        delete row.aside;
      });
    for (const { case_uid } of await db.outbox
      .where('id')
      .anyOf([...ids])
      .toArray())
      this.#ports.notify({ kind: 'outbox', case: case_uid });
    this.tryNow();
    await this.read();
  }

  async diagnostics(): Promise<Record<string, unknown>> {
    return windowDiagnostics(this.#ports, this.totals, await this.links());
  }

  tryNow(why: 'reach' | 'person' = 'person'): void {
    for (const replica of this.#ports.open) replica.requestSync(why);
    this.#ports.sendOthers(why);
  }
}

/** Names of users who were signed in here, to tell whose unsent work is whose. */
export const USER_KEY = 'user/';
