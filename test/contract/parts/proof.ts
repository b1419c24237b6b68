import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SnapshotChunk } from '../../../src/shared/contract/sync.ts';
import type {
  Cell,
  EvidenceReceipt,
  HistoryStep,
  OutcomeInput,
  RecordedBy,
} from '../../../src/shared/contract/v1/evidence.ts';
import type { Entry } from '../../../src/sync/change.ts';
import { budget } from '../../model/steps.ts';
import {
  cellReg,
  foreignChange,
  item,
  refusal,
  RULES,
  set,
  SHIPPED,
  type World,
  wire,
} from '../world.ts';
import { lengthOf } from '../../support/length.ts';
import { asCase, asKey } from '../../support/ids.ts';
import type { CaseUid } from '../../../src/shared/contract/ids.ts';

const OUTCOMES = ['TRUE', 'FALSE', 'NA', null] as const;
type Raw = (typeof OUTCOMES)[number];
/** The revision that an outcome names. */
type Expects = 'the one shown' | 'another' | 'unrecorded';
type Said = 'left out' | 'null' | 'given';
interface Wish {
  item: number;
  rule: number;
  raw: Raw | undefined;
  source: Said;
  provenance: Said;
  notes: Said;
  expects: Expects | undefined;
}
/** `undo`: another replica brings back what a cell said before. */
interface Batch {
  by: 'human' | 'agent' | 'push' | 'undo';
  wishes: Wish[];
  onConflict: 'refuse' | 'skip' | undefined;
}

const said = fc.oneof(
  { weight: 3, arbitrary: fc.constant('left out' as const) },
  { weight: 1, arbitrary: fc.constant('null' as const) },
  { weight: 3, arbitrary: fc.constant('given' as const) },
);
const wish: fc.Arbitrary<Wish> = fc.record({
  expects: fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 4, arbitrary: fc.constantFrom<Expects>('the one shown', 'another', 'unrecorded') },
  ),
  item: fc.nat(1),
  rule: fc.nat(RULES.length - 1),
  source: said,
  provenance: said,
  notes: said,
  raw: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom<Raw | undefined>(...OUTCOMES) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  ),
});
const batches = fc.array(
  fc.record({
    onConflict: fc.constantFrom('refuse' as const, 'skip' as const, undefined),
    by: fc.constantFrom('human' as const, 'agent' as const, 'push' as const, 'undo' as const),
    wishes: fc.uniqueArray(wish, {
      minLength: 1,
      maxLength: 6,
      selector: (one) => `${one.item}/${one.rule}`,
    }),
  }),
  { minLength: 2, maxLength: 14 },
);

interface ModelCell {
  raw: Raw;
  source: string | null;
  provenance: unknown;
  notes: string | null;
  by?: RecordedBy | undefined;
}
const EMPTY: ModelCell = { raw: null, source: null, provenance: null, notes: null };

/**
 * What a writing leaves of a cell, by spec alone: what is not given stays while the outcome stays,
 * and is null with another one; notes stay.
 */
function after(before: ModelCell, given: Partial<ModelCell>): ModelCell {
  const raw = given.raw === undefined ? before.raw : given.raw;
  const proof = raw === before.raw ? before : EMPTY;
  return {
    raw,
    source: given.source === undefined ? proof.source : given.source,
    provenance: given.provenance === undefined ? proof.provenance : given.provenance,
    notes: given.notes === undefined ? before.notes : given.notes,
  };
}

/**
 * The texts of a writing. Every proof names the outcome that it was stated for, and is unlike all
 * others.
 */
function stated(
  { raw, source, provenance, notes }: Wish,
  before: ModelCell,
  mark: string,
): Partial<ModelCell> {
  const proof = `${raw === undefined ? before.raw : raw} by ${mark}`;
  return {
    ...(raw !== undefined && { raw }),
    ...(source !== 'left out' && { source: source === 'null' ? null : proof }),
    ...(provenance !== 'left out' && {
      provenance: provenance === 'null' ? null : { stated: proof, at: [1] },
    }),
    ...(notes !== 'left out' && { notes: notes === 'null' ? null : mark }),
  };
}

const inputOf = (
  { item: at, rule }: Wish,
  { raw, source, provenance, notes }: Partial<ModelCell>,
): OutcomeInput => ({
  item_uid: `i${at}`,
  rule_uid: RULES[rule] as string,
  ...(raw !== undefined && { raw_outcome: raw }),
  ...(source !== undefined && { source_value: source }),
  ...(notes !== undefined && { notes }),
  ...(provenance !== undefined && {
    provenance: provenance as OutcomeInput['provenance'] & object,
  }),
});

const BY: Record<Batch['by'], RecordedBy> = {
  human: { kind: 'human', name: 'Local user' },
  agent: { kind: 'agent', name: 'Robot', key_id: asKey('k123456789') },
  push: { kind: 'human', name: 'Ada' },
  undo: { kind: 'human', name: 'Ada' },
};

const FILTERS = [
  { kind: 'human', name: 'Ada' },
  { kind: 'agent', name: undefined },
  { kind: undefined, name: 'Local user' },
  { kind: 'agent', name: 'Ada' },
];

let plays = 0;
/** One case, and what its cells must show. */
class Play {
  readonly #world: World;
  readonly #case: CaseUid;
  readonly #model = new Map<string, ModelCell>();
  readonly #revisions = new Map<string, number>();
  /** Whose word each entry is. */
  readonly #said = new Map<string, RecordedBy>();

  constructor(world: World) {
    plays += 1;
    this.#world = world;
    this.#case = asCase(`proof-${plays}`);
  }

  async run(given: readonly Batch[]): Promise<void> {
    await this.#world.newCase(this.#case);
    await this.#world.record({ case_uid: this.#case, items: [item('i0'), item('i1')] });
    for (const [at, batch] of given.entries()) {
      this.#world.ports.advance(1_000);
      if (batch.by === 'undo') await this.#undo(batch.wishes);
      else await this.#record({ ...batch, by: batch.by }, at);
      await this.#compare();
    }
  }

  async #record(
    { by, wishes, onConflict }: Batch & { by: 'human' | 'agent' | 'push' },
    round: number,
  ): Promise<void> {
    const drafts = wishes.map((one) => {
      const before = this.#model.get(keyOf(one)) ?? EMPTY;
      const values = stated(
        by === 'push' ? { ...one, notes: 'left out', raw: one.raw ?? 'NA' } : one,
        before,
        `${by} ${round}`,
      );
      const now =
        by === 'push' ? { ...EMPTY, ...values, notes: before.notes } : after(before, values);
      const asserts =
        by === 'push' ||
        JSON.stringify({ ...now, notes: null }) !==
          JSON.stringify({ ...before, notes: null, by: undefined });
      const writes =
        by === 'push' || JSON.stringify(now) !== JSON.stringify({ ...before, by: undefined });
      const revision = this.#revisions.get(keyOf(one)) ?? 0;
      const if_revision =
        one.expects === undefined
          ? undefined
          : one.expects === 'another'
            ? revision + 1
            : one.expects === 'unrecorded'
              ? 0
              : revision;
      const holds =
        if_revision === undefined ||
        if_revision === revision ||
        (if_revision === 0 && before.raw === null);
      return {
        key: keyOf(one),
        input: { ...inputOf(one, values), ...(if_revision !== undefined && { if_revision }) },
        values,
        now: { ...now, by: asserts ? BY[by] : before.by },
        asserts,
        writes,
        holds,
        revision,
      };
    });
    if (by === 'push')
      await this.#push(
        await Promise.all(drafts.map(({ input, values }) => this.#asserted(input, values))),
      );
    else if (!drafts.every(({ holds }) => holds) && onConflict !== 'skip') {
      const refused = await refusal(
        this.#world.record(
          {
            case_uid: this.#case,
            outcomes: drafts.map(({ input }) => input),
            on_conflict: onConflict,
          },
          this.#world[by],
        ),
      );
      expect([refused.code, refused.details.map(({ path }) => path)]).toEqual([
        'precondition_failed',
        drafts.flatMap(({ holds }, index) => (holds ? [] : [`/outcomes/${index}/if_revision`])),
      ]);
      return;
    } else
      await this.#receipt(
        drafts,
        await this.#world.record(
          {
            case_uid: this.#case,
            outcomes: drafts.map(({ input }) => input),
            on_conflict: onConflict,
          },
          this.#world[by],
        ),
        onConflict,
      );
    for (const { key, now, asserts, writes, holds, input, revision } of drafts) {
      if (!writes || (by !== 'push' && !holds)) continue;
      this.#model.set(key, now);
      this.#revisions.set(key, revision + 1);
      const shown = asserts
        ? (await this.#steps(input.item_uid, input.rule_uid)).find((step) => step.current)
        : undefined;
      if (shown !== undefined) this.#said.set(shown.entry, BY[by]);
    }
  }

  async #asserted(
    { item_uid, rule_uid }: OutcomeInput,
    { raw, source, provenance }: Partial<ModelCell>,
  ): Promise<Entry> {
    const shown = (await this.#steps(item_uid, rule_uid)).find((step) => step.current);
    const value = {
      raw_outcome: raw,
      ...(typeof source === 'string' && { source_value: source }),
      ...(provenance !== undefined && provenance !== null && { provenance }),
    };
    return set(cellReg(item_uid, rule_uid), value, shown === undefined ? [] : [shown.entry]);
  }

  /** A receipt counts, names its changes, and answers cell by cell where a revision was named. */
  async #receipt(
    drafts: readonly {
      key: string;
      input: OutcomeInput;
      writes: boolean;
      holds: boolean;
      revision: number;
    }[],
    receipt: EvidenceReceipt,
    onConflict: Batch['onConflict'],
  ): Promise<void> {
    const written = drafts.filter(({ writes, holds }) => writes && holds).length;
    const skipped = drafts.filter(({ holds }) => !holds).length;
    expect(receipt).toMatchObject({
      outcomes_written: written,
      outcomes_unchanged: drafts.length - written - skipped,
    });
    const { store, account } = this.#world;
    const log = await store.read((r) => r.log.changes(account, this.#case, 0, 2_000, undefined));
    expect(receipt.changes).toEqual(written === 0 ? [] : [log.changes.at(-1)?.id]);
    if (onConflict === undefined && drafts.every(({ input }) => input.if_revision === undefined))
      return expect(receipt).not.toHaveProperty('outcomes');
    const cells = (await this.#world.page(this.#case))
      .value()
      .items.flatMap(({ evidence }) => evidence);
    expect(receipt.outcomes_skipped).toBe(skipped);
    expect(receipt.outcomes).toEqual(
      drafts.map(({ input: { item_uid, rule_uid }, writes, holds, revision }) => ({
        item_uid,
        rule_uid,
        status: !holds ? 'skipped' : writes ? 'written' : 'unchanged',
        revision: writes && holds ? revision + 1 : revision,
        ...(!holds && {
          present:
            cells.find((cell) => cell.item_uid === item_uid && cell.rule_uid === rule_uid) ?? null,
        }),
      })),
    );
  }

  /** Of each cell, one of the entries that it had is written again, as an undo does. */
  async #undo(wishes: readonly Wish[]): Promise<void> {
    const entries: Entry[] = [];
    const brought: string[] = [];
    for (const one of wishes) {
      const steps = await this.#steps(`i${one.item}`, RULES[one.rule] as string);
      const [shown, former] = [
        steps.find((step) => step.current),
        steps[(one.source.length + at(one)) % Math.max(1, steps.length)],
      ];
      if (shown === undefined || former === undefined || former === shown) continue;
      entries.push({
        ...set(cellReg(`i${one.item}`, RULES[one.rule] as string), former.new, [shown.entry]),
        restores: former.entry,
      });
      brought.push(former.entry);
      const value = former.new as { raw_outcome: Raw; source_value?: string; provenance?: unknown };
      const whose = this.#said.get(former.entry);
      this.#model.set(keyOf(one), {
        ...(this.#model.get(keyOf(one)) ?? EMPTY),
        raw: value.raw_outcome,
        source: value.source_value ?? null,
        provenance: value.provenance ?? null,
        ...(whose && { by: whose }),
      });
    }
    for (const { reg } of entries)
      this.#revisions.set(
        reg.split('/').slice(2).reverse().join('/'),
        (this.#revisions.get(reg.split('/').slice(2).reverse().join('/')) ?? 0) + 1,
      );
    if (entries.length === 0) return;
    const id = await this.#push(entries);
    brought.forEach((entry, index) => {
      const whose = this.#said.get(entry);
      if (whose !== undefined) this.#said.set(`${id}#${index}`, whose);
    });
  }

  async #push(entries: Entry[]): Promise<string> {
    const { store, human } = this.#world;
    const sealed = foreignChange(this.#case, entries, { name: 'Ada' });
    await store.transact((w) => w.log.push(human, this.#case, [wire(sealed)], undefined));
    return sealed.id;
  }

  /** What was written as a cell's outcome, newest first. */
  async #steps(item_uid: string, rule_uid: string): Promise<HistoryStep[]> {
    const { store, account } = this.#world;
    const query = {
      case_uid: this.#case,
      profile_uid: SHIPPED.profileUid,
      profile_version: undefined,
      item_uid,
      rule_uid,
    };
    const { data } = await store.read((r) =>
      r.evidence.history(account, query, { limit: 50, cursor: undefined }),
    );
    for (const step of data)
      if (this.#said.has(step.entry)) expect(step.recorded_by).toEqual(this.#said.get(step.entry));
    return data.filter((step) => step.field === 'outcome');
  }

  async #compare(): Promise<void> {
    const shown = (await this.#world.page(this.#case))
      .value()
      .items.flatMap(({ evidence }) =>
        evidence.map((cell) => [`${cell.item_uid}/${cell.rule_uid}`, cell] as const),
      );
    const cells = Object.fromEntries(
      shown.map(([key, { raw_outcome, source_value, provenance, notes, recorded_by }]) => [
        key,
        {
          raw: raw_outcome,
          source: source_value,
          provenance,
          notes,
          ...(recorded_by !== null && { by: recorded_by }),
        },
      ]),
    );
    for (const [key, { revision }] of shown) expect(revision, key).toBe(this.#revisions.get(key));
    expect(cells).toEqual(
      Object.fromEntries(
        [...this.#model].filter(
          ([, cell]) => JSON.stringify({ ...cell, by: undefined }) !== JSON.stringify(EMPTY),
        ),
      ),
    );
    for (const [key, { raw_outcome, source_value, provenance }] of shown) {
      for (const proof of [
        source_value,
        (provenance as { stated: string } | null)?.stated ?? null,
      ]) {
        if (proof !== null) expect(proof.split(' ')[0], `Y14 ${key}`).toBe(String(raw_outcome));
      }
    }
    await this.#compareSnapshot();
    await this.#compareFilter(shown.map(([, cell]) => cell));
  }

  /** By each author, page by page: exactly the items that have a cell of theirs, whole. */
  async #compareFilter(cells: readonly Cell[]): Promise<void> {
    const { store, account } = this.#world;
    for (const asked of FILTERS) {
      const theirs = cells.filter(
        ({ recorded_by: by }) =>
          by !== null &&
          (asked.kind === undefined || by.kind === asked.kind) &&
          (asked.name === undefined || by.name === asked.name),
      );
      const wanted = [...new Set(theirs.map(({ item_uid }) => item_uid))].sort();
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const query = {
          case_uid: this.#case,
          profile_uid: SHIPPED.profileUid,
          profile_version: undefined,
          recorded_by: asked,
        };
        const page = (
          await store.read((r) => r.evidence.page(account, query, { limit: 1, cursor }))
        ).value();
        for (const { item_uid, evidence } of page.items) {
          found.push(item_uid);
          expect(evidence).toEqual(cells.filter((cell) => cell.item_uid === item_uid));
        }
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      expect([asked, found]).toEqual([asked, wanted]);
    }
  }

  /** A snapshot says of every cell, also without asking for each, whose its outcome is. */
  async #compareSnapshot(): Promise<void> {
    const { store, account } = this.#world;
    const query = {
      case_uid: this.#case,
      profile_uid: SHIPPED.profileUid,
      profile_version: undefined,
      after: undefined,
    };
    const chunk = SnapshotChunk.parse(
      JSON.parse((await store.read((r) => r.log.snapshot(account, query))).text),
    );
    const names = chunk.heads.flatMap(([name, , , count]) =>
      Array.from({ length: count }, () => name),
    );
    const restored = new Map(
      chunk.restored.map(([row, column, author]) => [row * RULES.length + column, author]),
    );
    chunk.items.forEach(({ item_uid }, row) =>
      RULES.forEach((rule, column) => {
        const cell = row * RULES.length + column;
        const name = names[cell] ?? -1;
        const author =
          name < 0 ? undefined : chunk.authors[restored.get(cell) ?? chunk.by[name] ?? -1];
        expect(author, `${item_uid}/${rule}`).toEqual(this.#model.get(`${item_uid}/${rule}`)?.by);
      }),
    );
  }
}

const keyOf = ({ item: place, rule }: Wish): string => `i${place}/${RULES[rule]}`;
const at = ({ provenance, notes }: Wish): number => provenance.length + notes.length;

/** An outcome never keeps what proved another one. */
export function proofTests(get: () => World): void {
  describe('proof (V3, V9)', () => {
    test(
      'V3 Y14 in any sequence of batches and pushes, a proof is shown with the outcome it was stated for alone',
      { timeout: 3_600_000 },
      async () => {
        await fc.assert(
          fc.asyncProperty(batches, (given) => new Play(get()).run(given)),
          budget(lengthOf(get().store.engine === 'postgres' ? 2 : 4, 30), 3),
        );
      },
    );
  });
}
