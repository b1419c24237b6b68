import type { SealedChange } from '../../../src/sync/change.ts';
import type {
  AsideChange,
  KeptBack,
  LinkStore,
  StepOutcome,
  ChangePlace,
  Sendable,
  UnsentBatch,
} from '../../../src/sync/driver/ports.ts';
import type { LinkRow, PushReply } from '../../../src/sync/link.ts';
import { CrashError, MOST } from './driving.ts';
import type { Page } from './messages.ts';

/** A window's outbox and link, and what becomes of them. */
interface Outbox {
  readonly link: LinkRow;
  readonly outbox: readonly SealedChange[];
  readonly damaged: Set<string>;
  readonly aside: Set<string>;
  /** The process ends before what it stores next is on the disk. */
  readonly crashing: boolean;
  batch(limit: number): Sendable[];
  move(before: LinkRow, row: LinkRow): void;
  acknowledge(
    ids: readonly string[],
    row: LinkRow,
    results: readonly { id: string; seq: number }[],
  ): void;
  setAside(id: string): void;
  take(row: LinkRow, page: Page): void;
}

/** A window's outbox and link, as the driver sees them. Each writing member is one transaction. */
export class OutboxPort implements LinkStore<Sendable, PushReply, Page> {
  readonly #replica: Outbox;
  limit = MOST;

  constructor(replica: Outbox) {
    this.#replica = replica;
  }

  get row(): LinkRow {
    return this.#replica.link;
  }
  async unsent(most: number): Promise<UnsentBatch<Sendable>> {
    const changes = this.#replica.batch(Math.min(most, this.limit));
    const { outbox, damaged, aside } = this.#replica;
    const waiting = outbox.filter(({ id }) => !damaged.has(id) && !aside.has(id));
    return { changes, to: 0, more: changes.length < waiting.length };
  }
  async sentBefore() {
    return { changes: [], to: 0 };
  }
  async read(wanted: readonly ChangePlace[], most: number): Promise<Sendable[]> {
    const { outbox } = this.#replica;
    return wanted
      .slice(0, most)
      .flatMap(({ id }) => outbox.filter((sealed) => sealed.id === id))
      .map(({ id, text }) => ({ id, change: text, seq: 0 }));
  }
  /** Before anything is written: whether this process still may. */
  live(): void {
    if (this.#replica.crashing) throw new CrashError();
  }
  async move(row: LinkRow): Promise<void> {
    this.live();
    this.#replica.move(this.row, row);
  }
  async acknowledge(
    row: LinkRow,
    changes: readonly Sendable[],
    { results }: PushReply,
  ): Promise<void> {
    this.live();
    this.#replica.acknowledge(
      changes.map(({ id }) => id),
      row,
      results,
    );
  }
  async keepBack(changes: readonly Sendable[], { mark }: KeptBack): Promise<void> {
    this.live();
    for (const { id } of changes) {
      this.#replica.aside.delete(id);
      if (mark === null) this.#replica.setAside(id);
      else this.#replica.damaged.add(id);
    }
  }
  async aside(): Promise<AsideChange[]> {
    return [...this.#replica.aside].map((id) => ({ id, seq: 0, at: 0, versions: '' }));
  }
  async receive(row: LinkRow, page: Page): Promise<StepOutcome | undefined> {
    this.live();
    this.#replica.take(row, page);
    return undefined;
  }
  async ownSet() {
    return undefined;
  }
  async verified(): Promise<void> {}
}
