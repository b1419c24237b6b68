import { describe, expect, test } from 'vitest';
import { type Entry, entryName } from '../../../src/sync/change.ts';
import {
  cellReg,
  FIRST_PAGE,
  foreignChange,
  item,
  outcome,
  RULES,
  set,
  SHIPPED,
  type StoreFactory,
  testPorts,
  wire,
  type World,
} from '../world.ts';
import type { DecisionsInput } from '../../../src/shared/contract/v1/suggestions.ts';
import { lengthOf } from '../../support/length.ts';
import { asCase, asStream } from '../../support/ids.ts';
import { ofOwnAccount } from '../../support/own-account.ts';

const KEY = 'k987654321';
const AGENT = { kind: 'agent', agent: 'Reader', key: KEY } as const;
/** Clock values one after the other. */
const at = (tick: number) => ({ hlc: `019b76daa8${String(tick).padStart(2, '0')}-0000` });

const suggestionReg = (itemUid: string, rule: string, source = KEY): string =>
  `s/${source}/${cellReg(itemUid, rule).slice(2)}`;
const decisionReg = (itemUid: string, rule: string, source = KEY): string =>
  `d/${source}/${cellReg(itemUid, rule).slice(2)}`;

/** A suggestion for an unrecorded cell. */
const suggestion = (raw_outcome: string, more: object = {}) => ({
  raw_outcome,
  basis: null,
  ...more,
});

/** The two entries of an acceptance (YD2). */
const acceptance = (
  itemUid: string,
  rule: string,
  name: string,
  value: object,
  parents: { record?: string[]; decision?: string[] } = {},
): Entry[] => [
  { ...set(cellReg(itemUid, rule), value, parents.record), from: [name] },
  set(decisionReg(itemUid, rule), { entry: name, verdict: 'accepted' }, parents.decision),
];

/** What of chapter Y the tables show of a log, however its changes came. */
export function suggestionTests(get: () => World, factory: StoreFactory): void {
  const push = (stream: string, ...changes: ReturnType<typeof foreignChange>[]) =>
    get().store.transact((w) =>
      w.log.push(get().human, asStream(stream), changes.map(wire), undefined),
    );
  const listed = async (uid: string, state?: 'open' | 'stale' | 'accepted' | 'refused') =>
    (
      await get().store.read((r) =>
        r.suggestions.list(
          get().account,
          {
            case_uid: asCase(uid),
            profile_uid: SHIPPED.profileUid,
            profile_version: undefined,
            filter: {},
            state,
          },
          FIRST_PAGE,
        ),
      )
    ).data;
  const states = async (uid: string) =>
    (await listed(uid)).map(
      ({ item_uid, rule_uid, state, raw_outcome }) =>
        `${item_uid}/${rule_uid} ${raw_outcome} ${state}`,
    );
  const filled = async (uid: string): Promise<void> => {
    await get().newCase(uid);
    await get().record({
      case_uid: uid,
      items: [item('a'), item('b')],
      outcomes: [outcome('a', 'rule_a', 'TRUE')],
    });
  };

  describe('suggestions in the log', () => {
    test('YS5 YS6 stand beside the record, make no row, and touch no entity tag', async () => {
      const { page, cells, store, account } = get();
      await filled('beside');
      const before = await page('beside');
      const record = await store.read((r) => r.cases.get(account, asCase('beside')));
      const { results } = await push(
        'beside',
        foreignChange(
          'beside',
          [
            set(suggestionReg('a', 'rule_b'), suggestion('FALSE', { confidence: 0.9 })),
            set(suggestionReg('a', 'rule_a'), suggestion('FALSE')),
            set(suggestionReg('nobody', 'rule_a'), suggestion('NA')),
          ],
          AGENT,
        ),
      );
      expect(results[0]).toMatchObject({ status: 'applied', quarantined: [] });
      expect(await states('beside')).toEqual([
        'a/rule_a FALSE stale',
        'nobody/rule_a NA open',
        'a/rule_b FALSE open',
      ]);
      const after = await page('beside');
      expect([after.json, after.etag]).toEqual([before.json, before.etag]);
      expect(await store.read((r) => r.cases.get(account, asCase('beside')))).toEqual(record);
      expect(await cells('beside')).toEqual(['a/rule_a=TRUE']);
    });

    test('Y3 what another than the source says, or a program decides, is quarantined', async () => {
      await filled('others');
      const said = foreignChange(
        'others',
        [set(suggestionReg('a', 'rule_b'), suggestion('TRUE'))],
        AGENT,
      );
      const name = entryName(said.id, 0);
      const { results } = await push(
        'others',
        said,
        foreignChange('others', [set(suggestionReg('b', 'rule_b'), suggestion('TRUE'))]),
        foreignChange('others', acceptance('a', 'rule_b', name, { raw_outcome: 'TRUE' }), AGENT),
        foreignChange('others', [set('policy/requires_source', true)], AGENT),
      );
      expect(results.map(({ quarantined }) => quarantined)).toEqual([[], [0], [1], [0]]);
      // Who may record has recorded; nobody has decided.
      expect(await states('others')).toEqual(['a/rule_b TRUE stale']);
      expect((await get().page('others')).value().items[0]?.evidence[1]).toMatchObject({
        recorded_by: { kind: 'agent', name: 'Reader' },
      });
    });

    test('YS2 YS5 a source replaces and withdraws what it said; two sources stand side by side', async () => {
      await filled('replaced');
      const first = foreignChange(
        'replaced',
        [set(suggestionReg('a', 'rule_b'), suggestion('TRUE'))],
        { ...AGENT, ...at(1) },
      );
      const own = foreignChange('replaced', [
        set(suggestionReg('a', 'rule_b', 'usr_elsewhere'), suggestion('NA')),
      ]);
      await push('replaced', first, own);
      expect(await states('replaced')).toEqual(['a/rule_b TRUE open', 'a/rule_b NA open']);
      const second = foreignChange(
        'replaced',
        [set(suggestionReg('a', 'rule_b'), suggestion('FALSE'), [entryName(first.id, 0)])],
        { ...AGENT, ...at(2) },
      );
      await push('replaced', second);
      expect((await states('replaced'))[0]).toBe('a/rule_b FALSE open');
      await push(
        'replaced',
        foreignChange(
          'replaced',
          [set(suggestionReg('a', 'rule_b'), null, [entryName(second.id, 0)])],
          { ...AGENT, ...at(3) },
        ),
      );
      expect((await states('replaced'))[0]).toBe('a/rule_b null withdrawn');
    });

    test('YD2 YD4 an acceptance stands with its outcome; who decides otherwise contests it', async () => {
      await filled('accepted');
      const said = foreignChange(
        'accepted',
        [set(suggestionReg('a', 'rule_b'), suggestion('TRUE', { source_value: 'p. 4' }))],
        { ...AGENT, ...at(1) },
      );
      const name = entryName(said.id, 0);
      const value = { raw_outcome: 'TRUE', source_value: 'p. 4' };
      await push(
        'accepted',
        said,
        foreignChange('accepted', acceptance('a', 'rule_b', name, value), at(2)),
      );
      expect(await listed('accepted', 'accepted')).toMatchObject([
        { suggestion_id: name, decision: { suggestion_id: name, contested: false } },
      ]);
      expect(await get().cells('accepted')).toContain('a/rule_b=TRUE');
      await push(
        'accepted',
        foreignChange(
          'accepted',
          [set(decisionReg('a', 'rule_b'), { entry: name, verdict: 'refused', reason: 'no' })],
          at(3),
        ),
      );
      expect(await listed('accepted', 'refused')).toMatchObject([
        { decision: { verdict: 'refused', reason: 'no', contested: true } },
      ]);
      const { store, human } = get();
      const settled = await store.transact((w) =>
        w.suggestionWrites.decide(human, asCase('accepted'), {
          profile_uid: SHIPPED.profileUid,
          decisions: [{ suggestion_id: name, verdict: 'accept' }],
        }),
      );
      expect(settled.decided).toBe(1);
      expect(await listed('accepted', 'accepted')).toMatchObject([
        { decision: { verdict: 'accepted', contested: false } },
      ]);
    });

    test('YS7 a person asks for sources, and the case says so', async () => {
      const { store, account } = get();
      await filled('cited');
      await push('cited', foreignChange('cited', [set('policy/requires_source', true)]));
      expect(await store.read((r) => r.cases.get(account, asCase('cited')))).toMatchObject({
        requires_source: true,
      });
    });

    test('Y1 Y2 Y5 YF1 thousands of suggestions change no figure, tag, hash or run; accepted by rule and taken back in a step', async () => {
      const { newCase, record, page, store, human, agent, account } = get();
      const rows = lengthOf(400, 3_333);
      const uid = asCase('thousands');
      const profile_uid = SHIPPED.profileUid;
      await newCase('thousands');
      const items = Array.from({ length: rows }, (_, at) => item(`i${at}`));
      await record({ case_uid: uid, items, outcomes: [outcome('i0', 'rule_a', 'NA')] });
      const freeze = () =>
        store.transact((w) => w.runWrites.create(human, { case_uid: uid, profile_uid }));
      const seen = async () => {
        const { json, etag } = await page('thousands', { limit: 200, cursor: undefined });
        return { json, etag, run: (await freeze()).record };
      };
      const before = await seen();
      const suggestions = RULES.flatMap((rule_uid) =>
        items.map(({ item_uid }, at) => ({
          item_uid,
          rule_uid,
          raw_outcome: 'FALSE' as const,
          quote: `line ${at}`,
          confidence: (at % 100) / 100,
          model: { name: 'reader', version: '1' },
        })),
      );
      const receipt = await store.transact((w) =>
        w.suggestionWrites.suggest(agent, uid, { profile_uid, suggestions }),
      );
      expect([receipt.written, receipt.suggestions.every(({ state }) => state === 'open')]).toEqual(
        [rows * RULES.length, true],
      );
      const after = await seen();
      expect([after.json, after.etag]).toEqual([before.json, before.etag]);
      expect([after.run.content_hash, after.run.result]).toEqual([
        before.run.content_hash,
        before.run.result,
      ]);
      const decide = (input: DecisionsInput) =>
        store.transact((w) => w.suggestionWrites.decide(human, uid, input));
      const rule = { verdict: 'accept', filter: { min_confidence: 0.5 } } as const;
      const preview = await decide({ profile_uid, rule, preview: true });
      const suggestion_ids = preview.decisions.map(({ suggestion_id }) => suggestion_id);
      const accepted = await decide({ profile_uid, rule: { ...rule, suggestion_ids } });
      expect([accepted.decided, accepted.left]).toEqual([suggestion_ids.length, 0]);
      const { record: run } = await freeze();
      const recorders = await store.read((r) =>
        r.runs.recorders(account, run.run_uid, run.content_hash),
      );
      expect(recorders?.recorders?.authors).toMatchObject([
        { kind: 'human', name: human.user_name },
        { kind: 'agent', name: 'Robot', accepted_by: human.user_name },
      ]);
      const undone = await store.transact((w) =>
        w.evidenceWrites.revert(human, uid, { changes: accepted.changes, reason: 'too early' }),
      );
      expect([undone.reverted, undone.left]).toEqual([2 * suggestion_ids.length, []]);
      expect((await seen()).run.result).toEqual(before.run.result);
      expect(
        (await decide({ profile_uid, rule, preview: true })).decisions.map(
          ({ suggestion_id }) => suggestion_id,
        ),
      ).toEqual(suggestion_ids);
    });

    test('YV1 YV2 what the version before kept aside is applied by this one', async () => {
      const ports = { ...testPorts(), schema: 3 };
      const opened = await factory.open(ports, [SHIPPED]);
      let store = ofOwnAccount(opened.store);
      const { account_id, user_id, user_name } = opened.store.local;
      const actor = { ...get().human, account_id, user_id, user_name };
      const said = foreignChange(
        'kept',
        [set(suggestionReg('a', 'rule_b'), suggestion('TRUE'))],
        AGENT,
      );
      const name = entryName(said.id, 0);
      const accepted = foreignChange(
        'kept',
        acceptance('a', 'rule_b', name, { raw_outcome: 'TRUE' }),
        at(2),
      );
      // The acceptance comes first: that it fits is known when the suggestion is here.
      const { results } = await store.transact((w) =>
        w.log.push(actor, asStream('kept'), [accepted, said].map(wire), undefined),
      );
      expect(results.map(({ quarantined }) => quarantined)).toEqual([[1], [0]]);
      ports.schema = 4;
      store = ofOwnAccount(await opened.openAgain());
      const query = {
        case_uid: asCase('kept'),
        profile_uid: SHIPPED.profileUid,
        profile_version: undefined,
      };
      const { data } = await store.read((r) =>
        r.suggestions.list(account_id, { ...query, filter: {}, state: undefined }, FIRST_PAGE),
      );
      expect(data).toMatchObject([{ suggestion_id: name, state: 'accepted' }]);
      await opened.dispose();
    });
  });
}
