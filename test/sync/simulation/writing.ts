import type { Entry } from '../../../src/sync/change.ts';
import { type Core, hasher } from './core.ts';
import {
  CELLS,
  dice,
  DIGESTS,
  DOCUMENT,
  envelope,
  isCell,
  MAX_ENTRIES,
  OUTCOMES,
  type Plan,
  POLICY,
  type Planned,
  ROWS,
  UNKNOWN_SCHEMA,
} from './gestures.ts';
import { LogStore } from './log-store.ts';
import type { Op } from './operation.ts';
import { type Fact, namesOf, Oracle, shownOf } from './oracle.ts';
import type { Replica } from './replica.ts';

export type Store = LogStore | Replica;

export interface Draft extends Plan {
  made: Entry[];
  boot: string;
  seen: Fact[][];
  sure: boolean;
}
/** Whoever writes: gestures that people, agents and faulty peers make in the stores of a world. */
export abstract class Writing {
  readonly core: Core;
  readonly oracle = new Oracle();
  readonly runs = new Map<string, string>();
  #values = 0;
  #nonce = 0;

  constructor(core: Core) {
    this.core = core;
  }
  abstract alarm(store: string, what: string): never;
  abstract count(what: string): void;
  abstract wall(store: string): number;
  /** By the oracle: whether a store has applied an entry, given what it holds and what it reads. */
  abstract appliesOn(store: Store): (fact: Fact) => boolean;

  compose(store: Store, plan: Plan): Draft {
    const made = plan.entries.map(({ reg, op, value, schema }): Entry => {
      const entry: Entry & { schema?: number } = {
        op,
        parents: this.parentsFor(store, reg, op, plan),
        reg,
        value,
      };
      if (schema > 1) entry.schema = schema;
      return entry;
    });
    const applies = this.appliesOn(store);
    return {
      ...plan,
      made,
      boot: store.boot,
      seen: plan.entries.map(({ reg }) => this.oracle.heads(reg, applies)),
      sure: store instanceof LogStore || !store.isUnsure(),
    };
  }
  /** H6: a plain write names what is displayed, a resolve names every head. */
  parentsFor(store: Store, reg: string, op: string, _plan: Plan): string[] {
    const shown = store.views.shown(reg);
    return op === 'resolve' ? store.views.heads(reg) : shown === undefined ? [] : [shown];
  }
  /**
   * Between compose and commit other changes may arrive: parents stay what the author was shown.
   */
  commit(store: Store, draft: Draft | undefined): void {
    if (draft === undefined || draft.boot !== store.boot) return;
    const made = this.madeAtCommit(store, draft);
    this.author(store, made, draft.schema);
    for (const [at, entry] of made.entries()) {
      const seen = draft.seen[at] ?? [];
      const should =
        entry.op === 'resolve' ? seen : seen.length === 0 ? [] : [shownOf(seen) as Fact];
      const does = entry.parents
        .flatMap((parent) => this.oracle.byName.get(parent)?.name ?? '?')
        .sort()
        .join();
      if (draft.sure && does !== namesOf(should))
        this.alarm(store.name, `I6 I7 a ${entry.op} does not name what its author saw`);
    }
  }
  madeAtCommit(_store: Store, draft: Draft): Entry[] {
    return draft.made;
  }
  author(store: Store, entries: readonly Entry[], schema: number): void {
    const why = entries.some(({ op }) => op === 'resolve') ? 'looked again' : null;
    const change = envelope({
      hlc: store.tick(),
      wall: this.wall(store.name),
      store: store.name,
      schema,
      nonce: this.#nonce++,
      why,
      entries,
    });
    const sealed = this.core.seal(change, hasher);
    this.oracle.remember(sealed.id, change, sealed.text);
    this.count('changes');
    store.write(sealed);
  }
  #value(shared = false): unknown {
    return {
      raw_outcome: OUTCOMES[this.#values % 3],
      source_value: shared ? 'same' : `v${this.#values++}`,
    };
  }
  protected planWrite(store: Store, { b, c, d }: Op): Plan {
    const roll = dice(d);
    const count = 1 + roll(MAX_ENTRIES);
    const stride = 1 + roll(4);
    const shared = roll(3) === 2;
    const schema = roll(6) === 5 ? store.schema : 1;
    const entries = Array.from({ length: count }, (_, at): Planned => ({
      reg: CELLS[(b + at * stride) % CELLS.length] as string,
      op: 'set',
      value: this.#value(shared),
      schema: roll(3) === 2 ? store.schema : 1,
    }));
    const newer = entries[c % count];
    if (c % 12 === 0 && newer !== undefined) newer.schema = UNKNOWN_SCHEMA;
    // Two studios that have made documents of their own under one version, each recording under its
    // own.
    if (c % 7 === 3)
      entries.push({ reg: DOCUMENT, op: 'set', value: DIGESTS[d % DIGESTS.length], schema: 1 });
    if (c % 13 === 5) entries.push({ reg: POLICY, op: 'set', value: d % 2 === 0, schema: 1 });
    return { entries, schema };
  }
  /**
   * One register, or in bulk every contested one, with a plain write of a clean register beside
   * them.
   */
  protected planResolve(store: Store, { b, d }: Op): Plan | null {
    const roll = dice(d);
    const bulk = roll(MAX_ENTRIES) > 0;
    const regs = bulk ? [...CELLS, ...ROWS.keys(), DOCUMENT] : [CELLS[b % CELLS.length] as string];
    const contested = regs.filter((reg) => store.views.heads(reg).length > 1).slice(0, MAX_ENTRIES);
    if (contested.length === 0) return null;
    const entries = contested.map((reg): Planned => ({
      reg,
      op: 'resolve',
      value: isCell(reg)
        ? this.#value()
        : reg === DOCUMENT
          ? DIGESTS[0]
          : { deleted: false, covers: [] },
      schema: roll(4) === 3 ? store.schema : 1,
    }));
    const clean = CELLS.find((reg) => store.views.heads(reg).length < 2);
    if (bulk && clean !== undefined && roll(2) === 1)
      entries.push({ reg: clean, op: 'set', value: this.#value(), schema: 1 });
    if (contested.length > 1) this.count('bulk');
    return { entries, schema: 1 };
  }
  /** Deletes a row, with or without clearing its cells in the same gesture; or brings it back. */
  protected planDelete(store: Store, { b, d }: Op): Plan {
    const roll = dice(d);
    const [row, cells] = [...ROWS][b % ROWS.size] as [string, string[]];
    const back = roll(4) === 3;
    const clear = roll(3);
    const covers = back ? [] : cells.flatMap((reg) => store.views.heads(reg));
    const entries: Planned[] = [
      { reg: row, op: 'set', value: { deleted: !back, covers }, schema: 1 },
    ];
    if (!back)
      for (const reg of cells.slice(0, clear))
        entries.push({
          reg,
          op: 'set',
          value: { raw_outcome: null },
          schema: roll(3) === 2 ? store.schema : 1,
        });
    return { entries: roll(2) === 1 ? entries.reverse() : entries, schema: 1 };
  }
  /**
   * A faulty peer: sound bytes, wrong citations, unknown registers. Nothing of it may hide an
   * honest entry.
   */
  protected crooked(store: Store, { b, d }: Op): void {
    const reg = CELLS[b % CELLS.length] as string;
    const other = CELLS[(b + 1) % CELLS.length] as string;
    const [heads, others] = [store.views.heads(reg), store.views.heads(other)];
    const one = heads.slice(0, 1);
    const entry = (where: string, op: string, parents: string[]): Entry => ({
      op,
      parents,
      reg: where,
      value: this.#value(),
    });
    const kinds: (() => Entry[])[] = [
      () => [
        entry(
          reg,
          'set',
          one.map((name) => name.replace(/\d+$/, (index) => String(Number(index) ^ 1))),
        ),
      ],
      () => [
        entry(
          reg,
          'set',
          one.map((name) => name.slice(0, name.indexOf('#'))),
        ),
      ],
      () => [entry(reg, 'set', heads)],
      () => [entry(reg, 'set', one), entry(reg, 'set', one)],
      () => [entry(reg, 'set', [`c1_${'x'.repeat(43)}#0`])],
      () => [
        entry(reg, 'resolve', [...heads, ...others]),
        entry(other, 'resolve', [...heads, ...others]),
      ],
      () => [entry(`future/${reg}`, 'set', one), entry(reg, 'set', one)],
    ];
    this.count('crooked');
    this.author(store, (kinds[dice(d)(kinds.length)] as () => Entry[])(), 1);
  }
  protected freeze(store: Store): void {
    const content = JSON.stringify(
      store.views
        .regs()
        .sort()
        .map((reg) => [reg, store.views.shown(reg)]),
    );
    const content_hash = `sha256:${hasher.sha256Hex(content)}`;
    const run = `run_${this.#nonce}`;
    this.runs.set(`run/${run}`, content_hash);
    this.author(
      store,
      [{ op: 'announce', parents: [], reg: `run/${run}`, value: { content_hash } }],
      1,
    );
  }
}
