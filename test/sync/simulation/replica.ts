import type { WireChange } from '../../../src/shared/contract/sync.ts';
import { DamagedChangeError, parseEntryName, type SealedChange } from '../../../src/sync/change.ts';
import { HLC_ZERO } from '../../../src/sync/clock.ts';
import {
  type DriverState,
  freshState,
  type StepOutcome,
  type Sendable,
} from '../../../src/sync/driver/ports.ts';
import { pullOnce } from '../../../src/sync/driver/pull.ts';
import { offerAside } from '../../../src/sync/driver/push.ts';
import { freshLink, isCurrent, type LinkRow, stampOf } from '../../../src/sync/link.ts';
import { type Digest, EMPTY_SUM, LOG_START } from '../../../src/sync/log.ts';
import { type Core, hasher, unsealed } from './core.ts';
import { actionOf, CrashError, drivenBy, MOST, untilAsked } from './driving.ts';
import type { Ears } from './log.ts';
import { OutboxPort } from './outbox-port.ts';
import {
  type Ask,
  chunkOf,
  type IsFull,
  isFull,
  type Page,
  type Request,
  type SnapshotPart,
} from './messages.ts';
import { nameOf, Views } from './views.ts';

/**
 * A window's copy: heads from a snapshot, the log since, an outbox, and what was acknowledged of
 * it. Its log is not kept.
 */
export class Replica {
  readonly name: string;
  readonly core: Core;
  readonly ears: Ears;
  schema = 1;
  boot = '';
  hlc = HLC_ZERO;
  views: Views;
  link: LinkRow = freshLink('');
  digest: Digest = { count: 0, sum: EMPTY_SUM };
  outbox: SealedChange[] = [];
  sent: SealedChange[] = [];
  damaged = new Set<string>();
  applied = new Set<string>();
  /** Schema version by which the heads were classified; 0: the snapshot is to be taken again. */
  checked = 0;
  base = 0;
  overlaid: string[] = [];
  isFull: IsFull = isFull;
  driver: DriverState = freshState(MOST);
  /** Changes that the upstream failed on (R12). */
  aside = new Set<string>();
  readonly port = new OutboxPort(this);
  crashing = false;
  verified = false;
  dirty = true;
  /** For the oracle: what each chunk of the snapshot was made of. */
  snapshot: readonly SnapshotPart[] = [];

  constructor(name: string, core: Core, ears: Ears) {
    this.name = name;
    this.core = core;
    this.ears = ears;
    this.views = new Views(core);
    this.forget();
  }

  /** The copy is gone, outbox and all. */
  forget(): void {
    Object.assign(this, {
      views: new Views(this.core),
      digest: { count: 0, sum: EMPTY_SUM },
      outbox: [],
      sent: [],
      damaged: new Set(),
      aside: new Set(),
      applied: new Set(),
      checked: 0,
      base: 0,
      overlaid: [],
      hlc: HLC_ZERO,
      snapshot: [],
    });
    this.loseLink();
    this.restart();
  }
  loseLink(): void {
    this.link = freshLink('');
  }
  restart(): void {
    this.boot = `b${this.ears.fresh()}`;
    this.link = { ...this.link, boot: this.boot, rev: this.link.rev + 1 };
    this.driver = freshState(MOST);
    this.dirty = true;
  }
  upgrade(): void {
    this.schema += 1;
    this.restart();
  }

  /** Whether what is shown may still be wrong until a snapshot was taken. */
  isUnsure(): boolean {
    return this.needsSnapshot() || this.overlaid.some((id) => this.snapshot[0]?.held.has(id));
  }
  isKnown(id: string): boolean {
    return this.snapshot[0]?.held.has(id) === true || this.applied.has(id);
  }

  write(sealed: SealedChange): void {
    this.outbox.push(sealed);
    this.admit(sealed);
  }
  tick(): string {
    return (this.hlc = this.core.nextHlc(this.hlc, this.ears.wall(this.name)));
  }
  /** `isNews` says of a register whether it may not hold the change yet. */
  admit({ id, change }: SealedChange, isNews: (reg: string) => boolean = () => true): void {
    this.applied.add(id);
    this.dirty = true;
    for (const [index, entry] of change.entries.entries()) {
      if (!isNews(entry.reg)) continue;
      const register = this.core.appliedRegister(change, index, this.schema);
      if (register === undefined || register.kind === 'run') continue;
      this.views.apply(
        entry.reg,
        { name: nameOf(id, index), hlc: change.hlc },
        entry.parents,
        entry.value,
        (parent) => this.isSettled(parent),
      );
    }
  }
  /**
   * Of what the snapshot does not name nobody here knows: such a name is awaited, which does no
   * harm.
   */
  isSettled(name: string): boolean {
    const id = parseEntryName(name)?.id;
    return id === undefined || this.applied.has(id);
  }

  // ---- as a client
  /** One request of the link, as the driver makes it, and what comes of the answer. */
  async exchange(kind: 'push' | 'pull', limit: number, ask: Ask): Promise<void> {
    const link = drivenBy(this, this.port, limit, ask);
    if (kind === 'push') return this.conclude(await untilAsked(link));
    if (this.needsSnapshot()) return this.read(ask);
    return this.conclude(await pullOnce(link));
  }
  conclude(outcome: StepOutcome): void {
    const action = actionOf(this.core, outcome);
    if (action === 'recover') this.startAnew();
    else if (action === 'block') this.block();
  }
  async offerAside(ask: Ask): Promise<void> {
    this.driver.offer = true;
    await offerAside(drivenBy(this, this.port, MOST, ask), false);
  }
  snapshotRequest(): Request {
    const { link } = this;
    return { kind: 'snapshot', witness: this.core.witnessOf(link)['sync-witness'] };
  }
  async read(ask: Ask): Promise<void> {
    const stamp = stampOf(this.link);
    const reply = await ask(this.snapshotRequest());
    if (!isCurrent(this.link, stamp)) return;
    if (this.crashing) throw new CrashError();
    if (reply.kind === 'whole') this.rebuild(reply.parts, reply.pages);
    else if (reply.kind === 'refused')
      this.conclude({ kind: 'failed', failure: reply, phase: 'recover' });
  }
  needsSnapshot(): boolean {
    return this.checked !== this.schema;
  }
  batch(limit: number): Sendable[] {
    const changes: Sendable[] = [];
    let entries = 0;
    for (const { id, text, change } of this.outbox) {
      if (this.damaged.has(id) || this.aside.has(id)) continue;
      if (this.isFull(changes.length, entries, change.entries.length, limit)) break;
      entries += change.entries.length;
      changes.push({ id, change: text, seq: 0 });
    }
    return changes;
  }

  acknowledge(
    ids: readonly string[],
    row: LinkRow,
    results: readonly { id: string; seq: number }[],
  ): void {
    const before = this.link;
    this.settle(ids);
    for (const id of ids) this.aside.delete(id);
    if (row.pull_seq > before.pull_seq) this.digest = this.core.addToDigest(this.digest, ids);
    this.move(before, row);
    if (results.some(({ id, seq }) => seq <= this.base && this.overlaid.includes(id)))
      this.checked = 0;
    this.overlaid = this.overlaid.filter((id) => !ids.includes(id));
  }
  settle(ids: readonly string[]): void {
    this.sent.push(...this.outbox.filter(({ id }) => ids.includes(id)));
    this.outbox = this.outbox.filter(({ id }) => !ids.includes(id));
  }
  /** The outbox is what is left of a log: its beginning is always position 0. */
  move(before: LinkRow, row: LinkRow): void {
    this.link = { ...row, push_pos: 0, again_to: 0, points: [] };
    this.dirty = true;
    if (
      row.gen === before.gen &&
      (row.pull_seq < before.pull_seq || row.witness.seq < before.witness.seq)
    )
      this.ears.alarm(this.name, 'I4 a cursor or a witness went back');
  }
  take(
    row: LinkRow,
    page: { changes: readonly WireChange[]; more: boolean; count: number; sum: string },
  ): void {
    let sealed: SealedChange[];
    try {
      sealed = page.changes.map(({ id, change }) => unsealed(this.core, id, change));
    } catch (error) {
      if (!(error instanceof DamagedChangeError)) throw error;
      return this.ears.count('unreadable');
    }
    const digest = this.core.addToDigest(
      this.digest,
      page.changes.map(({ id }) => id),
    );
    const verdict = this.core.verify(page, digest, 0);
    if (verdict === 'unequal') {
      this.ears.alarm(this.name, 'R7 the sets differ though nothing is under way');
      return this.startAnew();
    }
    for (const change of sealed) {
      if (this.applied.has(change.id)) continue;
      this.hlc = this.core.seeHlc(this.hlc, change.change.hlc, this.ears.wall(this.name)).last;
      this.admit(change);
    }
    this.digest = digest;
    this.verified =
      verdict === 'equal' &&
      this.outbox.every(({ id }) => this.damaged.has(id) || this.aside.has(id));
    this.move(this.link, row);
  }
  /**
   * The heads, then what the log brought between the chunks, then what is unsent; nothing of it
   * where the parts do not fit each other.
   */
  rebuild(parts: readonly SnapshotPart[], pages: readonly Page[]): void {
    const [first] = parts;
    if (first === undefined) return;
    const { seq, chain, epoch, count, sum } = first;
    let row: LinkRow = {
      ...this.link,
      gen: this.link.gen + 1,
      rev: this.link.rev + 1,
      epoch,
      pull_seq: seq,
      pull_chain: chain,
      witness: { seq, chain },
    };
    let digest: Digest = { count, sum };
    for (const page of pages) {
      const checked = this.core.pullAnswer(
        row,
        { ...stampOf(row), from: row.pull_seq },
        page,
        hasher,
      );
      if (checked.kind !== 'use') return;
      row = checked.row;
      digest = this.core.addToDigest(
        digest,
        page.changes.map(({ id }) => id),
      );
    }
    if (parts.some((part) => part.epoch !== epoch || part.seq > row.pull_seq)) return;
    this.views = new Views(this.core);
    for (const { reg, heads, cited } of parts.flatMap(({ registers }) => registers)) {
      this.views.registers.set(reg, {
        heads: heads.map(({ name, hlc }) => ({ name, hlc })),
        cited,
      });
      for (const { name, value } of heads) this.views.values.set(name, value);
    }
    this.applied = new Set();
    for (const { id, change, seq: at } of pages.flatMap(({ changes }) => changes))
      this.admit(unsealed(this.core, id, change), (reg) => at > (parts[chunkOf(reg)]?.seq ?? 0));
    this.snapshot = parts;
    this.base = row.pull_seq;
    this.digest = digest;
    this.checked = this.schema;
    this.link = { ...row, push_pos: 0, again_to: 0, points: [] };
    this.overlay();
    this.dirty = true;
    this.ears.count('snapshots');
  }
  /** Unsent changes are laid over what the server has. */
  overlay(): void {
    const added = this.outbox.filter(({ id }) => !this.applied.has(id));
    this.overlaid = added.map(({ id }) => id);
    for (const sealed of added) this.admit(sealed);
  }
  /**
   * R6 for a copy without a log: what was acknowledged is offered again, then the snapshot is taken
   * again.
   */
  startAnew(): void {
    this.ears.count('started over');
    const again = this.sent.filter(({ id }) => this.outbox.every((other) => other.id !== id));
    this.outbox = [...again, ...this.outbox];
    this.sent = [];
    this.overlaid = [];
    this.checked = 0;
    this.link = { ...this.core.startOver(this.link), witness: LOG_START, again_to: 0 };
  }
  setAside(id: string): void {
    this.aside.add(id);
    this.ears.count('aside');
  }
  block(): void {
    this.ears.count('blocked');
  }
}
