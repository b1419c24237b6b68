import {
  type Change,
  DamagedChangeError,
  parseEntryName,
  type SealedChange,
} from '../../../src/sync/change.ts';
import type { WireChange } from '../../../src/shared/contract/sync.ts';
import { HLC_ZERO } from '../../../src/sync/clock.ts';
import { type Digest, EMPTY_CHAIN, EMPTY_SUM } from '../../../src/sync/log.ts';
import type { Register } from '../../../src/sync/register.ts';
import { type Core, hasher, unsealed } from './core.ts';
import type { Held } from './log-port.ts';
import {
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

/** A log by numbers with views of it, and what it answers to others. */
export class Log {
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
  isFull: IsFull = isFull;
  dirty = true;

  constructor(name: string, core: Core, ears: Ears) {
    this.name = name;
    this.core = core;
    this.ears = ears;
    this.views = new Views(core);
    this.epoch = `${name}#${ears.fresh()}`;
    this.boot = `b${ears.fresh()}`;
  }

  // ---- the log
  classify(change: Change, index: number): Register | undefined {
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
    const register = this.classify(held.change, index);
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
  classifyAgain(): void {
    for (const held of [...this.held.values()]) {
      const released = [...held.quarantined].filter(
        (index) => this.classify(held.change, index) !== undefined,
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
}
