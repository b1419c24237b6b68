import type { WireChange } from '../../../src/shared/contract/sync.ts';
import {
  type Change,
  DamagedChangeError,
  parseEntryName,
  type SealedChange,
} from '../../../src/sync/change.ts';
import { HLC_ZERO } from '../../../src/sync/clock.ts';
import {
  type Driven,
  type DriverState,
  freshState,
  type Outcome,
} from '../../../src/sync/driver/ports.ts';
import { compare, pullOnce, recover } from '../../../src/sync/driver/pull.ts';
import { offerAside } from '../../../src/sync/driver/push.ts';
import { freshLink, type LinkRow } from '../../../src/sync/link.ts';
import { type Digest, EMPTY_CHAIN, EMPTY_SUM } from '../../../src/sync/log.ts';
import type { Register } from '../../../src/sync/register.ts';
import { type Core, hasher, unsealed } from './core.ts';
import { actionOf, drivenBy, MOST, untilAsked } from './driving.ts';
import { type Held, LogPort } from './log-port.ts';
import {
  type Ask,
  chunkOf,
  type IsFull,
  isFull,
  type Page,
  refused,
  type Reply,
  type Request,
  type SnapshotPart,
} from './messages.ts';
import { nameOf, Views } from './views.ts';

/** What a backup holds. */
export type Saved = Pick<
  LogStore,
  'epoch' | 'hlc' | 'log' | 'chain' | 'digest' | 'held' | 'views' | 'link' | 'damaged' | 'aside'
>;

/** What a store tells the world about what happens to it. */
export interface Ears {
  alarm(store: string, what: string): void;
  count(what: string): void;
  /** A number that has not been given before. */
  fresh(): number;
  wall(store: string): number;
  /** Time by requests, ms: waits that grow are not played. */
  time(): number;
  /** Whether a client's upstream answers another question. */
  answers(store: string): boolean;
}

/**
 * A hub or the hosted server: a log by numbers, views of it, and a link to its own upstream where
 * it has one.
 */
export class LogStore {
  readonly name: string;
  readonly core: Core;
  readonly ears: Ears;
  schema = 1;
  boot: string;
  epoch: string;
  hlc = HLC_ZERO;
  log: string[] = [];
  chain: string[] = [EMPTY_CHAIN];
  digest: Digest = { count: 0, sum: EMPTY_SUM };
  held = new Map<string, Held>();
  views: Views;
  link: LinkRow | null = null;
  damaged = new Set<string>();
  isFull: IsFull = isFull;
  /** Of this process alone: the link diverged and the ancestor is to be asked for. */
  recovering = false;
  driver: DriverState = freshState(MOST);
  /** Changes that the upstream failed on (R12). */
  aside = new Set<string>();
  readonly port: LogPort;
  /** The process ends before what it stores next is on the disk. */
  crashing = false;
  verified = false;
  dirty = true;

  constructor(name: string, core: Core, ears: Ears, linked: boolean) {
    this.name = name;
    this.core = core;
    this.ears = ears;
    this.views = new Views(core);
    this.epoch = `${name}#${ears.fresh()}`;
    this.boot = `b${ears.fresh()}`;
    if (linked) this.link = freshLink(this.boot);
    this.port = new LogPort(this);
  }

  // ---- keeping
  save(): Saved {
    const { epoch, hlc, digest, link } = this;
    return {
      epoch,
      hlc,
      digest,
      link,
      log: [...this.log],
      chain: [...this.chain],
      held: new Map(this.held),
      views: this.views.copy(),
      damaged: new Set(this.damaged),
      aside: new Set(this.aside),
    };
  }
  /**
   * A backup brings back the data, never the program: the schema stays, and what is held is judged
   * again (S6).
   */
  load(saved: Saved): void {
    Object.assign(this, LogStore.prototype.save.call(saved as LogStore));
    this.restart();
    this.judgeAgain();
  }
  restart(): void {
    this.boot = `b${this.ears.fresh()}`;
    if (this.link !== null) this.link = { ...this.link, boot: this.boot, rev: this.link.rev + 1 };
    this.recovering = false;
    this.driver = freshState(MOST);
    this.dirty = true;
  }
  upgrade(): void {
    this.schema += 1;
    this.restart();
    this.judgeAgain();
  }

  // ---- the log
  judge(change: Change, index: number): Register | undefined {
    return this.core.appliedRegister(change, index, this.schema);
  }
  /** `told`: which entries the sender has in quarantine, for information alone. */
  append({ id, text, change }: SealedChange, origin: string, _told?: readonly number[]): boolean {
    if (this.held.has(id)) return false;
    const held: Held = { id, text, change, origin, quarantined: new Set() };
    this.place(held);
    const quarantined = new Set<number>();
    for (const index of change.entries.keys()) if (!this.admit(held, index)) quarantined.add(index);
    held.quarantined = quarantined;
    return true;
  }
  place(held: Held): void {
    this.log.push(held.id);
    this.held.set(held.id, held);
    this.chain.push(this.core.nextChain(this.chain.at(-1) as string, held.id, hasher));
    this.digest = this.core.addToDigest(this.digest, [held.id]);
    this.dirty = true;
  }
  /** Applies an entry, if this version does. */
  admit(held: Held, index: number): boolean {
    const register = this.judge(held.change, index);
    if (register !== undefined && register.kind !== 'run') this.enter(held, index);
    return register !== undefined;
  }
  enter({ id, change }: SealedChange, index: number): void {
    const entry = change.entries[index];
    if (entry !== undefined)
      this.views.apply(
        entry.reg,
        { name: nameOf(id, index), hlc: change.hlc },
        entry.parents,
        entry.value,
        (parent) => this.isSettled(parent, entry.reg),
      );
  }
  /** Whether a parent that is no head was superseded, or names nothing in this register. */
  isSettled(name: string, reg: string): boolean {
    const parts = parseEntryName(name);
    const held = parts === undefined ? undefined : this.held.get(parts.id);
    if (parts === undefined) return true;
    if (held === undefined) return false;
    const entry = held.change.entries[parts.index];
    return entry === undefined || entry.reg !== reg || !held.quarantined.has(parts.index);
  }
  judgeAgain(): void {
    for (const held of [...this.held.values()]) {
      const released = [...held.quarantined].filter(
        (index) => this.judge(held.change, index) !== undefined,
      );
      if (released.length === 0) continue;
      // A copy in a backup keeps its own record.
      this.held.set(held.id, {
        ...held,
        quarantined: new Set([...held.quarantined].filter((index) => !released.includes(index))),
      });
      for (const index of released) this.release(held, index);
    }
    this.dirty = true;
  }
  release(held: Held, index: number): void {
    this.ears.count('released');
    this.admit(held, index);
  }
  write(sealed: SealedChange): void {
    this.append(sealed, 'local');
  }
  tick(): string {
    return (this.hlc = this.core.nextHlc(this.hlc, this.ears.wall(this.name)));
  }
  see(hlc: string): void {
    this.hlc = this.core.seeHlc(this.hlc, hlc, this.ears.wall(this.name)).last;
  }

  // ---- as an upstream
  fits(witness: string | undefined): boolean {
    if (witness === undefined) return true;
    const [epoch, seq, chain] = witness.split(';');
    return epoch === this.epoch && this.chain[Number(seq)] === chain;
  }
  serve(request: Request): Reply {
    if (request.kind !== 'ancestor' && !this.fits(request.witness)) return refused(409, 'diverged');
    switch (request.kind) {
      case 'push':
        return this.servePush(request.changes);
      case 'pull':
        return this.servePull(request.after, request.limit);
      case 'missing':
        return {
          kind: 'lacking',
          body: { ...this.position(), missing: request.ids.filter((id) => !this.held.has(id)) },
        };
      case 'ancestor': {
        const seq = request.marks.findLast((mark) => this.chain[mark.seq] === mark.chain)?.seq ?? 0;
        return {
          kind: 'common',
          body: { epoch: this.epoch, seq, chain: this.chain[seq] as string },
        };
      }
      case 'snapshot':
        return { kind: 'whole', parts: [this.part(0)], pages: [] };
    }
  }
  position() {
    return {
      epoch: this.epoch,
      seq: this.log.length,
      chain: this.chain.at(-1) as string,
      ...this.digest,
    };
  }
  servePush(changes: readonly WireChange[]): Reply {
    const fresh: SealedChange[] = [];
    try {
      for (const { id, change } of changes) fresh.push(unsealed(this.core, id, change));
    } catch (error) {
      if (!(error instanceof DamagedChangeError)) throw error;
      return refused(422, error.code === 'hash_mismatch' ? 'hash_mismatch' : 'validation_failed');
    }
    for (const sealed of fresh) {
      this.see(sealed.change.hlc);
      if (!this.append(sealed, 'child')) this.ears.count('duplicates');
    }
    return {
      kind: 'pushed',
      body: {
        results: fresh.map(({ id }) => ({ id, seq: this.log.indexOf(id) + 1 })),
        ...this.position(),
      },
    };
  }
  servePull(after: number, limit: number): Reply {
    if (after > this.log.length) return refused(409, 'diverged');
    const changes: Page['changes'][number][] = [];
    let entries = 0;
    for (let at = after; at < this.log.length; at += 1) {
      const held = this.held.get(this.log[at] as string) as Held;
      if (this.isFull(changes.length, entries, held.change.entries.length, limit)) break;
      entries += held.change.entries.length;
      changes.push({
        seq: at + 1,
        id: held.id,
        change: this.relayed(held),
        quarantined: [...held.quarantined],
      });
    }
    const to = after + changes.length;
    return {
      kind: 'page',
      body: {
        epoch: this.epoch,
        from: after,
        to,
        n: changes.length,
        changes,
        chain: this.chain[to] as string,
        more: to < this.log.length,
        ...this.digest,
      },
    };
  }
  relayed({ text }: Held): string {
    return text;
  }
  part(which: 0 | 1): SnapshotPart {
    const registers = [...this.views.registers]
      .filter(([reg]) => chunkOf(reg) === which)
      .map(([reg, { heads, cited }]) => ({
        reg,
        heads: heads.map((head) => ({ ...head, value: this.views.values.get(head.name) })),
        cited: this.awaited(cited),
      }));
    return { ...this.position(), registers, held: new Set(this.log), schema: this.schema };
  }
  awaited(cited: readonly string[]): readonly string[] {
    return cited;
  }

  // ---- as a client
  /** One request of the link, as the driver makes it, and what comes of the answer. */
  async exchange(kind: 'push' | 'pull', limit: number, ask: Ask): Promise<void> {
    if (this.link === null) return;
    // What was written before the first contact may be there already: their names are offered
    // first.
    if (this.link.epoch === '' && this.link.rev === 0)
      this.link = { ...this.link, again_to: this.log.length };
    const link = drivenBy(this, this.port, limit, ask);
    if (this.recovering) return this.settle(await this.recover(link));
    if (kind === 'push') return this.settle(await untilAsked(link));
    const pulled = await pullOnce(link);
    this.settle(pulled);
    if (pulled.kind === 'done' && pulled.page !== undefined) {
      const verdict = await compare(link, pulled.page);
      if (verdict === 'offered') this.differs();
      if (verdict === 'equal') this.verified = true;
    }
  }
  async recover(link: Driven): Promise<Outcome> {
    const outcome = await recover(link);
    if (outcome.kind === 'again') {
      this.recovering = false;
      this.ears.count('recovered');
    }
    return outcome;
  }
  settle(outcome: Outcome): void {
    const action = actionOf(this.core, outcome);
    if (action === 'recover') this.recovering = true;
    else if (action === 'park') this.park();
  }
  /** After an upgrade what was set aside is offered again. */
  async offerAside(ask: Ask): Promise<void> {
    if (this.link === null || this.recovering) return;
    this.driver.offer = true;
    await offerAside(drivenBy(this, this.port, MOST, ask), false);
  }
  isFrom(held: Held, link: LinkRow): boolean {
    return held.origin === this.core.originOf(link);
  }
  /**
   * Own changes after the push position that did not come from there; `to` is the last one looked
   * at.
   */
  tail(link: LinkRow, limit: number, end: number): { ids: string[]; to: number } {
    const ids: string[] = [];
    let to = link.push_pos;
    for (; to < end; to += 1) {
      const held = this.held.get(this.log[to] as string) as Held;
      if (this.damaged.has(held.id) || this.aside.has(held.id) || this.isFrom(held, link)) continue;
      if (ids.length >= limit) break;
      ids.push(held.id);
    }
    return { ids, to };
  }
  setAside(id: string): void {
    this.aside.add(id);
    this.ears.count('aside');
  }
  park(): void {
    this.ears.count('parked');
  }
  /** R7 never comes to this unless something is broken. */
  differs(): void {
    this.ears.alarm(this.name, 'R7 the sets differ though nothing is under way');
  }
}
