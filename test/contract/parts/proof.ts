import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OutcomeInput } from '../../../src/shared/contract/v1/evidence.ts';
import { budget } from '../../model/steps.ts';
import { cellReg, foreignChange, item, RULES, set, SHIPPED, type World, wire } from '../world.ts';

const OUTCOMES = ['TRUE', 'FALSE', 'NA', null] as const;
type Raw = (typeof OUTCOMES)[number];
type Said = 'left out' | 'null' | 'given';
interface Wish { item: number; rule: number; raw: Raw | undefined; source: Said; provenance: Said; notes: Said }
interface Batch { by: 'human' | 'agent' | 'push'; wishes: Wish[] }

const said = fc.oneof({ weight: 3, arbitrary: fc.constant('left out' as const) }, { weight: 1, arbitrary: fc.constant('null' as const) }, { weight: 3, arbitrary: fc.constant('given' as const) });
const wish: fc.Arbitrary<Wish> = fc.record({
  item: fc.nat(1), rule: fc.nat(RULES.length - 1), source: said, provenance: said, notes: said,
  raw: fc.oneof({ weight: 6, arbitrary: fc.constantFrom<Raw | undefined>(...OUTCOMES) }, { weight: 1, arbitrary: fc.constant(undefined) }),
});
const batches = fc.array(
  fc.record({ by: fc.constantFrom('human' as const, 'agent' as const, 'push' as const), wishes: fc.uniqueArray(wish, { minLength: 1, maxLength: 6, selector: (one) => `${one.item}/${one.rule}` }) }),
  { minLength: 2, maxLength: 12 },
);

interface ModelCell { raw: Raw; source: string | null; provenance: unknown; notes: string | null }
const EMPTY: ModelCell = { raw: null, source: null, provenance: null, notes: null };

/** What a writing leaves of a cell, by spec alone: what is not given stays while the outcome stays, and is null with another one; notes stay. */
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

/** The texts of a writing. Every proof names the outcome that it was stated for, and is unlike all others. */
function stated({ raw, source, provenance, notes }: Wish, before: ModelCell, mark: string): Partial<ModelCell> {
  const proof = `${raw === undefined ? before.raw : raw} by ${mark}`;
  return {
    ...(raw !== undefined && { raw }),
    ...(source !== 'left out' && { source: source === 'null' ? null : proof }),
    ...(provenance !== 'left out' && { provenance: provenance === 'null' ? null : { stated: proof, at: [1] } }),
    ...(notes !== 'left out' && { notes: notes === 'null' ? null : mark }),
  };
}

const inputOf = ({ item: at, rule }: Wish, { raw, source, provenance, notes }: Partial<ModelCell>): OutcomeInput => ({
  item_uid: `i${at}`, rule_uid: RULES[rule] as string,
  ...(raw !== undefined && { raw_outcome: raw }), ...(source !== undefined && { source_value: source }), ...(notes !== undefined && { notes }),
  ...(provenance !== undefined && { provenance: provenance as OutcomeInput['provenance'] & object }),
});

let plays = 0;
async function play(world: World, given: readonly Batch[]): Promise<void> {
  plays += 1;
  const case_uid = await world.newCase(`proof-${plays}`);
  await world.record({ case_uid, items: [item('i0'), item('i1')] });
  const model = new Map<string, ModelCell>();
  for (const [at, { by, wishes }] of given.entries()) {
    world.ports.advance(1_000);
    let written = 0;
    const outcomes = wishes.map((one) => {
      const key = `i${one.item}/${RULES[one.rule]}`;
      const before = model.get(key) ?? EMPTY;
      const values = stated(by === 'push' ? { ...one, notes: 'left out', raw: one.raw ?? 'NA' } : one, before, `${by} ${at}`);
      const now = by === 'push' ? { ...EMPTY, ...values, notes: before.notes } : after(before, values);
      if (JSON.stringify(now) !== JSON.stringify(before)) written += 1;
      model.set(key, now);
      return inputOf(one, values);
    });
    if (by === 'push') await push(world, case_uid, outcomes);
    else expect(await world.record({ case_uid, outcomes }, world[by])).toMatchObject({ outcomes_written: written, outcomes_unchanged: outcomes.length - written });
    await compare(world, case_uid, model);
  }
}

/** As another replica writes that was shown what is displayed here. */
async function push({ store, human, account }: World, case_uid: string, outcomes: readonly OutcomeInput[]): Promise<void> {
  const query = { case_uid, profile_uid: SHIPPED.profileUid, profile_version: undefined };
  const entries: ReturnType<typeof set>[] = [];
  for (const { item_uid, rule_uid, raw_outcome, source_value, provenance } of outcomes) {
    const { data } = await store.read((r) => r.evidence.history(account, { ...query, item_uid, rule_uid }, { limit: 50, cursor: undefined }));
    const shown = data.find((step) => step.current && step.field === 'outcome');
    const value = { raw_outcome, ...(typeof source_value === 'string' && { source_value }), ...(provenance !== undefined && provenance !== null && { provenance }) };
    entries.push(set(cellReg(item_uid, rule_uid), value, shown === undefined ? [] : [shown.entry]));
  }
  await store.transact((w) => w.log.push(human, case_uid, [wire(foreignChange(case_uid, entries))], undefined));
}

async function compare(world: World, case_uid: string, model: ReadonlyMap<string, ModelCell>): Promise<void> {
  const shown = (await world.page(case_uid)).value().items.flatMap(({ evidence }) => evidence.map((cell) => [`${cell.item_uid}/${cell.rule_uid}`, cell] as const));
  const cells = Object.fromEntries(shown.map(([key, { raw_outcome, source_value, provenance, notes }]) => [key, { raw: raw_outcome, source: source_value, provenance, notes }]));
  expect(cells).toEqual(Object.fromEntries([...model].filter(([, cell]) => JSON.stringify(cell) !== JSON.stringify(EMPTY))));
  for (const [key, { raw_outcome, source_value, provenance }] of shown) {
    for (const proof of [source_value, (provenance as { stated: string } | null)?.stated ?? null]) {
      if (proof !== null) expect(proof.split(' ')[0], `Y14 ${key}`).toBe(String(raw_outcome));
    }
  }
}

/** An outcome never keeps what proved another one. */
export function proofTests(get: () => World): void {
  describe('proof', () => {
    test('V3 Y14 in any sequence of batches and pushes, a proof is shown with the outcome it was stated for alone', { timeout: 3_600_000 }, async () => {
      await fc.assert(fc.asyncProperty(batches, (given) => play(get(), given)), { ...budget(30), ...(process.env.MODEL_SEED === undefined && process.env.MODEL_RUNS === undefined && { seed: 3 }) });
    });
  });
}
