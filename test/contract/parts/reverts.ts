import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OutcomeInput } from '../../../src/shared/contract/v1/evidence.ts';
import { type Entry, unseal } from '../../../src/sync/change.ts';
import { type ModelEntry, Oracle } from '../../model/oracle.ts';
import { budget } from '../../model/steps.ts';
import { testHasher } from '../../support/hasher.ts';
import {
  cellReg,
  FIRST_PAGE,
  foreignChange,
  item,
  outcome,
  refusal,
  RULES,
  set,
  SHIPPED,
  type World,
  wire,
} from '../world.ts';
import { lengthOf } from '../../support/length.ts';
import { asCase } from '../../support/ids.ts';
import type { CaseUid, KeyId } from '../../../src/shared/contract/ids.ts';

const MATRIX = `${SHIPPED.profileUid}@${SHIPPED.version}`;
type Step =
  | {
      do: 'record';
      by: 'human' | 'agent';
      cells: { item: number; rule: number; raw: number; note: boolean }[];
      label: boolean;
    }
  /** Another replica; `blind` has not seen what is displayed. */
  | { do: 'push'; item: number; rule: number; raw: number; blind: boolean }
  | { do: 'revert'; by: 'human' | 'agent'; picks: number[]; byKey: boolean };

const place = { item: fc.nat(1), rule: fc.nat(1), raw: fc.nat(3) };
const by = fc.constantFrom('human' as const, 'agent' as const);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('record' as const),
        by,
        cells: fc.uniqueArray(fc.record({ ...place, note: fc.boolean() }), {
          minLength: 1,
          maxLength: 3,
          selector: (one) => `${one.item}/${one.rule}`,
        }),
        label: fc.boolean(),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('push' as const), ...place, blind: fc.boolean() }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('revert' as const),
        by,
        picks: fc.array(fc.nat(20), { minLength: 1, maxLength: 4 }),
        byKey: fc.boolean(),
      }),
    },
  ),
  { minLength: 3, maxLength: 14 },
);
const RAW = ['TRUE', 'FALSE', 'NA', null] as const;
const met = { reverted: 0, written_since: 0, contested: 0, kept: 0, twice: 0 };

let plays = 0;
class Play {
  readonly #world: World;
  readonly #case: CaseUid;
  readonly #truth = new Oracle();
  /** Which changes are the agent's, and by what each register named what it brings back. */
  readonly #agents = new Set<string>();
  readonly #restores = new Map<string, string | undefined>();
  #texts = 0;

  constructor(world: World) {
    plays += 1;
    this.#world = world;
    this.#case = asCase(`revert-${plays}`);
  }

  async run(given: readonly Step[]): Promise<void> {
    await this.#world.newCase(this.#case);
    await this.#world.record({
      case_uid: this.#case,
      items: [item('i0', { label: 'L' }), item('i1')],
    });
    await this.#learn();
    for (const step of given) {
      this.#world.ports.advance(1_000);
      if (step.do === 'record') await this.#record(step);
      else if (step.do === 'push') await this.#push(step);
      else await this.#revert(step);
      await this.#compare();
    }
  }

  async #learn(): Promise<string[]> {
    const { store, account } = this.#world;
    const { changes } = await store.read((r) =>
      r.log.changes(account, this.#case, this.#truth.ids.length, 2_000, undefined),
    );
    for (const { id, change } of changes) {
      const sealed = unseal(id, change, testHasher);
      this.#truth.add(sealed, []);
      if (sealed.change.by.key !== null) this.#agents.add(id);
      sealed.change.entries.forEach((entry, index) =>
        this.#restores.set(`${id}#${index}`, entry.restores),
      );
    }
    return changes.map(({ id }) => id);
  }

  async #record({ by: who, cells, label }: Extract<Step, { do: 'record' }>): Promise<void> {
    this.#texts += 1;
    const outcomes = cells.map(({ item: at, rule, raw, note }): OutcomeInput =>
      outcome(`i${at}`, RULES[rule] as string, RAW[raw] ?? null, {
        source_value: `s${this.#texts}`,
        ...(note && { notes: `n${this.#texts}` }),
      }),
    );
    const receipt = await this.#world.record(
      {
        case_uid: this.#case,
        items: label ? [item('i0', { label: `L${this.#texts}` })] : [],
        outcomes,
      },
      this.#world[who],
    );
    expect(await this.#learn()).toEqual(receipt.changes);
  }

  async #push({ item: at, rule, raw, blind }: Extract<Step, { do: 'push' }>): Promise<void> {
    this.#texts += 1;
    const reg = cellReg(`i${at}`, RULES[rule] as string);
    const entry: Entry = set(
      reg,
      { raw_outcome: RAW[raw], source_value: `p${this.#texts}` },
      blind
        ? []
        : this.#truth
            .heads(reg)
            .slice(0, 1)
            .map(({ name }) => name),
    );
    const { store, human } = this.#world;
    await store.transact((w) =>
      w.log.push(
        human,
        this.#case,
        [
          wire(
            foreignChange(this.#case, [entry], {
              hlc: `019c0000${String(this.#texts).padStart(4, '0')}-0000`,
            }),
          ),
        ],
        undefined,
      ),
    );
    await this.#learn();
  }

  /**
   * By the definition: displayed alone, from one of the targets; then the first entry on the way
   * back that is none of them.
   */
  #before(
    reg: string,
    targets: ReadonlySet<string>,
  ):
    | { status: 'written_since' | 'contested' }
    | { status: 'reverted' | 'kept'; head: ModelEntry; back: ModelEntry | undefined } {
    const heads = this.#truth.heads(reg);
    const [head] = heads;
    if (heads.length > 1 || head === undefined) return { status: 'contested' };
    if (!targets.has(head.id)) return { status: 'written_since' };
    let back: ModelEntry | undefined = head;
    while (back !== undefined && targets.has(back.id)) {
      const [parent]: readonly (string | undefined)[] = back.parents;
      back = this.#truth.entries(reg).find(({ name }) => name === parent);
    }
    const isCell = reg.startsWith('a/') || reg.startsWith('n/');
    return {
      status: isCell || (back !== undefined && !reg.startsWith('item/x/')) ? 'reverted' : 'kept',
      head,
      back,
    };
  }

  async #revert({ by: who, picks, byKey }: Extract<Step, { do: 'revert' }>): Promise<void> {
    const { store, agent } = this.#world;
    const actor = this.#world[who];
    const named = [
      ...new Set(picks.map((pick) => this.#truth.ids[pick % this.#truth.ids.length] as string)),
    ];
    const since = new Date(this.#world.ports.clock.now() - (picks[0] ?? 0) * 1_000).toISOString();
    const targets = new Set(
      byKey
        ? this.#truth.ids.filter((id) => this.#agents.has(id) && this.#received(id) >= since)
        : named,
    );
    const ask = () =>
      store.transact((w) =>
        w.evidenceWrites.revert(
          actor,
          this.#case,
          byKey
            ? { key_id: agent.key_id as KeyId, since, reason: 'wrong sheet' }
            : { changes: named, reason: 'wrong sheet' },
        ),
      );
    if (who === 'agent' && [...targets].some((id) => !this.#agents.has(id)))
      return expect((await refusal(ask())).code).toBe('insufficient_scope');
    const regs = [
      ...new Set(
        [...targets].flatMap(
          (id) => this.#truth.changes.get(id)?.change.entries.map(({ reg }) => reg) ?? [],
        ),
      ),
    ];
    const expected = new Map(
      regs.map((reg) => [
        reg,
        /^(case|document)\//.test(reg) ? { status: 'kept' as const } : this.#before(reg, targets),
      ]),
    );
    const heads = new Map(
      this.#truth.registers().map((reg) => [reg, this.#truth.heads(reg).map(({ name }) => name)]),
    );
    const receipt = await ask();
    expect(receipt.entries.map(({ status }) => status).sort()).toEqual(
      [...expected.values()].map(({ status }) => status).sort(),
    );
    for (const { status } of receipt.entries) met[status] += 1;
    expect(await this.#learn()).toEqual(receipt.changes);
    for (const [reg, before] of heads) {
      const now = this.#truth.heads(reg);
      const found = expected.get(reg);
      if (found?.status !== 'reverted' || !('head' in found)) {
        expect(
          now.map(({ name }) => name),
          `Y16 ${reg}`,
        ).toEqual(before);
        continue;
      }
      const empty = reg.startsWith('a/') ? { raw_outcome: null } : null;
      expect(now).toMatchObject([
        { parents: [found.head.name], value: found.back === undefined ? empty : found.back.value },
      ]);
      expect(
        this.#restores.get(now[0]?.name ?? ''),
        'Y14 what is brought back names whose it is',
      ).toBe(found.back?.name);
    }
    expect(receipt.reverted).toBe(
      [...expected.values()].filter(({ status }) => status === 'reverted').length,
    );
    // What was taken back is not taken back again.
    if (byKey) return;
    expect(await ask()).toMatchObject({ changes: [], reverted: 0 });
    met.twice += 1;
  }

  #received(id: string): string {
    return this.#truth.changes.get(id)?.change.wall ?? '';
  }

  async #compare(): Promise<void> {
    const page = (await this.#world.page(this.#case, FIRST_PAGE)).value();
    const shown = page.items.map(({ item_uid, label, evidence }) => ({
      item_uid,
      label,
      cells: Object.fromEntries(
        evidence.map(({ rule_uid, raw_outcome, source_value, provenance, notes, contested }) => [
          rule_uid,
          { raw_outcome, source_value, provenance, notes, contested },
        ]),
      ),
    }));
    expect(shown).toEqual(
      this.#truth
        .view(MATRIX, RULES)
        .items.map(({ item_uid, label, cells }) => ({ item_uid, label, cells })),
    );
  }
}

/** Taking changes back. */
export function revertTests(get: () => World): void {
  describe('reverts (V10)', () => {
    test(
      'Y16 a revert touches what stands of its changes alone, and brings back what was there, in any sequence',
      { timeout: 3_600_000 },
      async () => {
        await fc.assert(
          fc.asyncProperty(steps, (given) => new Play(get()).run(given)),
          budget(lengthOf(5, 20), 11),
        );
        if (process.env.MODEL_RUNS === undefined)
          expect(Object.entries(met).filter(([, count]) => count === 0)).toEqual([]);
      },
    );

    test('Y14 a cell gets back outcome, source, provenance and author; a person restores an item; unknown ids are named', async () => {
      const { newCase, record, page, store, human, agent } = get();
      const case_uid = await newCase('revert-one');
      const revert = (input: { changes?: string[] }, actor = human) =>
        store.transact((w) =>
          w.evidenceWrites.revert(actor, case_uid, { ...input, reason: 'wrong sample' }),
        );
      await record({
        case_uid,
        items: [item('i'), item('j')],
        outcomes: [
          outcome('i', 'rule_a', 'FALSE', {
            source_value: 'p.3',
            provenance: { model: 'A' },
            notes: 'n',
          }),
        ],
      });
      const { changes } = await record(
        {
          case_uid,
          outcomes: [outcome('i', 'rule_a', 'TRUE'), outcome('j', 'rule_a', 'NA', { notes: 'm' })],
        },
        agent,
      );
      expect((await refusal(revert({ changes: [`c1_${'A'.repeat(43)}`] }))).details).toMatchObject([
        { path: '/changes/0', code: 'unknown_change' },
      ]);
      const receipt = await revert({ changes }, agent);
      expect(receipt).toMatchObject({
        reverted: 3,
        left: [],
        entries: [
          { field: 'outcome', item_uid: 'i', rule_uid: 'rule_a', status: 'reverted' },
          { item_uid: 'j', status: 'reverted' },
          { field: 'notes', item_uid: 'j', status: 'reverted' },
        ],
      });
      const { items, summary } = (await page(case_uid)).value();
      expect(items[0]?.evidence).toMatchObject([
        {
          raw_outcome: 'FALSE',
          source_value: 'p.3',
          provenance: { model: 'A' },
          notes: 'n',
          updated_by: 'Robot',
          recorded_by: { kind: 'human', name: 'Local user' },
        },
      ]);
      expect(items[1]?.evidence).toEqual([]);
      expect(summary).toMatchObject({ recorded: 1, evidence_present: 1 });
      const query = {
        case_uid,
        profile_uid: SHIPPED.profileUid,
        profile_version: undefined,
        item_uid: 'i',
        rule_uid: 'rule_a',
      };
      const { data } = await store.read((r) =>
        r.evidence.history(human.account_id, query, FIRST_PAGE),
      );
      expect(data[0]).toMatchObject({
        by: 'Robot',
        reason: 'wrong sample',
        recorded_by: { name: 'Local user' },
        restores: data.find((step) => step.field === 'outcome' && step.old === null)?.entry,
      });
      // A revert can be taken back like anything else.
      expect(await revert({ changes: receipt.changes })).toMatchObject({ reverted: 3 });
      expect((await page(case_uid)).value().items[0]?.evidence).toMatchObject([
        { raw_outcome: 'TRUE', source_value: null, recorded_by: { kind: 'agent', name: 'Robot' } },
      ]);
      const log = await store.read((r) =>
        r.log.changes(human.account_id, case_uid, 0, 50, undefined),
      );
      const [made = ''] = log.changes.flatMap(({ id, change }) =>
        (JSON.parse(change) as { entries: Entry[] }).entries.flatMap(({ reg }, index) =>
          reg === 'item/x/j' ? [`${id}#${index}`] : [],
        ),
      );
      const removal = foreignChange(case_uid, [set('item/x/j', { deleted: true }, [made])]);
      await store.transact((w) => w.log.push(human, case_uid, [wire(removal)], undefined));
      expect((await page(case_uid)).value().items.map(({ item_uid }) => item_uid)).toEqual(['i']);
      expect(await revert({ changes: [removal.id] })).toMatchObject({
        reverted: 1,
        entries: [{ field: 'item.x', item_uid: 'j' }],
      });
      expect((await page(case_uid)).value().summary).toMatchObject({ items: 2, recorded: 2 });
    });
  });
}
