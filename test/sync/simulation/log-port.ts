import { DamagedChangeError, type SealedChange } from '../../../src/sync/change.ts';
import type {
  AsideChange,
  KeptBack,
  LinkStore,
  StepOutcome,
  OwnSet,
  ChangePlace,
  Sendable,
  UnsentBatch,
} from '../../../src/sync/driver/ports.ts';
import type { LinkRow, PushReply } from '../../../src/sync/link.ts';
import type { Digest } from '../../../src/sync/log.ts';
import { type Core, unsealed } from './core.ts';
import { CrashError, MOST } from './driving.ts';
import type { IsFull, Page } from './messages.ts';

/** Most names in one question about what is missing. */
const MAX_ASKED = 4;

/** A change in a log. */
export interface Held extends SealedChange {
  /** `local`, `child`, or the mark of the link that brought it (R4). */
  origin: string;
  quarantined: ReadonlySet<number>;
}

/** A hub's log and link, and what befalls them. */
interface Log {
  readonly name: string;
  readonly core: Core;
  readonly ears: { alarm(store: string, what: string): void; count(what: string): void };
  link: LinkRow | null;
  readonly log: readonly string[];
  readonly held: ReadonlyMap<string, Held>;
  readonly digest: Digest;
  readonly damaged: Set<string>;
  readonly aside: Set<string>;
  readonly isFull: IsFull;
  dirty: boolean;
  /** The process ends before what it stores next is on the disk. */
  readonly crashing: boolean;
  tail(link: LinkRow, limit: number, end: number): { ids: string[]; to: number };
  setAside(id: string): void;
  see(hlc: string): void;
  append(sealed: SealedChange, origin: string, reported?: readonly number[]): boolean;
}

/** A hub's log and link, as the driver sees them. Each writing member is one transaction (R1). */
export class LogPort implements LinkStore<Sendable, PushReply, Page> {
  readonly #log: Log;
  limit = MOST;

  constructor(log: Log) {
    this.#log = log;
  }

  get row(): LinkRow {
    return this.#log.link as LinkRow;
  }
  async unsent(mostChanges: number): Promise<UnsentBatch<Sendable>> {
    const most = Math.min(mostChanges, this.limit);
    const { log } = this.#log;
    const { ids, to } = this.#log.tail(this.row, most, log.length);
    const changes = this.#fitting(ids, most);
    const next = ids[changes.length];
    const reached = next === undefined ? to : log.indexOf(next);
    return { changes, to: reached, more: changes.length > 0 && reached < log.length };
  }
  async sentBefore() {
    const { log } = this.#log;
    const { ids, to } = this.#log.tail(this.row, MAX_ASKED, this.row.again_to);
    return { changes: ids.map((id) => ({ id, seq: log.indexOf(id) + 1 })), to };
  }
  async read(wanted: readonly ChangePlace[], most: number): Promise<Sendable[]> {
    return this.#fitting(
      wanted.flatMap(({ id }) => (id !== undefined && this.#log.held.has(id) ? [id] : [])),
      Math.min(most, this.limit),
    );
  }
  /** As many of them as fit one request. */
  #fitting(ids: readonly string[], most: number): Sendable[] {
    const changes: Sendable[] = [];
    let entries = 0;
    for (const id of ids) {
      const { text, change } = this.#log.held.get(id) as Held;
      if (this.#log.isFull(changes.length, entries, change.entries.length, most)) break;
      entries += change.entries.length;
      changes.push({ id, change: text, seq: this.#log.log.indexOf(id) + 1 });
    }
    return changes;
  }

  /** Before anything is written: whether this process still may. */
  live(): void {
    if (this.#log.crashing) throw new CrashError();
  }
  #write(row: LinkRow): void {
    this.live();
    this.#put(row);
  }
  #put(row: LinkRow): void {
    const before = this.row;
    this.#log.link = row;
    this.#log.dirty = true;
    if (
      row.gen === before.gen &&
      (row.pull_seq < before.pull_seq || row.witness.seq < before.witness.seq)
    )
      this.#log.ears.alarm(this.#log.name, 'I4 a cursor or a witness went back');
  }
  async move(row: LinkRow): Promise<void> {
    this.#write(row);
  }
  async acknowledge(row: LinkRow, changes: readonly Sendable[]): Promise<void> {
    this.#write(row);
    for (const { id } of changes) this.#log.aside.delete(id);
  }
  async keepBack(changes: readonly Sendable[], { mark }: KeptBack): Promise<void> {
    this.live();
    for (const { id } of changes) {
      this.#log.aside.delete(id);
      if (mark === null) this.#log.setAside(id);
      else this.#log.damaged.add(id);
    }
  }
  async aside(): Promise<AsideChange[]> {
    return [...this.#log.aside].map((id) => ({ id, seq: 0, at: 0, versions: '' }));
  }
  async receive(row: LinkRow, { changes }: Page): Promise<StepOutcome | undefined> {
    const sealed: [SealedChange, readonly number[]][] = [];
    for (const { id, change, quarantined } of changes) {
      try {
        sealed.push([unsealed(this.#log.core, id, change), quarantined]);
      } catch (error) {
        if (!(error instanceof DamagedChangeError)) throw error;
        this.#log.ears.count('unreadable');
        return { kind: 'unfit' };
      }
    }
    this.live();
    const { length } = this.#log.log;
    for (const [change, reported] of sealed) {
      this.#log.see(change.change.hlc);
      this.#log.append(change, this.#log.core.originOf(row), reported);
    }
    this.#put(this.#log.core.passAlong(row, length, this.#log.log.length));
    return undefined;
  }
  async ownSet(): Promise<OwnSet> {
    const { digest, log, damaged, aside } = this.#log;
    return { ...digest, seq: log.length, keptBack: damaged.size + aside.size };
  }
  async verified(row: LinkRow): Promise<void> {
    this.#write(row);
  }
}
