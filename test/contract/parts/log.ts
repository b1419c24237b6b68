import { asStream } from '../../support/ids.ts';
import { AccountId } from '../../../src/shared/contract/ids.ts';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../../src/shared/lib/canonical-json.ts';
import { Evidence } from '../../../src/shared/contract/v1/evidence.ts';
import { SnapshotChunk } from '../../../src/shared/contract/sync.ts';
import { unseal } from '../../../src/sync/change.ts';
import { addToSum, EMPTY_CHAIN, nextChain } from '../../../src/sync/log.ts';
import { testHasher } from '../../support/hasher.ts';
import {
  cellReg,
  foreignChange,
  item,
  outcome,
  refusal,
  RULES,
  set,
  SHIPPED,
  wire,
  type World,
} from '../world.ts';

/** Reading a case's log. */
export function logTests(get: () => World): void {
  const read = (
    caseUid: string,
    after = 0,
    limit = 1_000,
    witness?: { epoch: string; seq: number; chain: string },
  ) =>
    get().store.read((r) => r.log.changes(get().account, asStream(caseUid), after, limit, witness));
  const snapshot = async (caseUid: string, after?: string) =>
    SnapshotChunk.parse(
      JSON.parse(
        (
          await get().store.read((r) =>
            r.log.snapshot(get().account, {
              case_uid: asStream(caseUid),
              profile_uid: SHIPPED.profileUid,
              profile_version: undefined,
              after,
            }),
          )
        ).text,
      ),
    );

  describe('log', () => {
    test('L1 L2 L3 I10 numbers are gapless, chain and sum recompute, every text hashes to its id and is canonical', async () => {
      const { newCase, record, agent } = get();
      await newCase('g1');
      await record(
        {
          case_uid: 'g1',
          items: [
            item('quote"\\ü𝒳/slash', { label: 'tab\tline\n', metadata: { z: -0, é: [1e21, 0.1] } }),
          ],
          outcomes: [
            outcome('quote"\\ü𝒳/slash', 'rule_a', 'TRUE', {
              source_value: '\u2028"',
              notes: '\\',
              provenance: { b: { d: 1, c: [] }, a: 'x' },
            }),
          ],
        },
        agent,
        undefined,
      );
      await record({
        case_uid: 'g1',
        items: Array.from({ length: 900 }, (_, index) => item(`i${index}`)),
        outcomes: Array.from({ length: 900 }, (_, index) => outcome(`i${index}`, 'rule_c', 'NA')),
        reason: 'bulk "quoted"',
      });
      const { changes, position, chain, to, more } = await read('g1');
      expect(more).toBe(false);
      let link = EMPTY_CHAIN;
      let sum = EMPTY_CHAIN;
      changes.forEach((change, index) => {
        expect(change.seq).toBe(index + 1);
        const sealed = unseal(change.id, change.change, testHasher);
        expect(canonicalJson(JSON.parse(change.change))).toBe(change.change);
        expect(sealed.change.entries.length).toBeLessThanOrEqual(2_000);
        link = nextChain(link, change.id, testHasher);
        sum = addToSum(sum, change.id);
      });
      expect({ chain, seq: to, sum }).toEqual({ chain: link, seq: changes.length, sum });
      expect(position).toMatchObject({
        seq: changes.length,
        count: changes.length,
        chain: link,
        sum,
      });
      const bulk = changes
        .slice(-2)
        .map((change) => JSON.parse(change.change) as { txn: string; why: string });
      expect(bulk[0]?.txn).toBe(bulk[1]?.txn);
      expect(bulk[0]?.why).toBe('bulk "quoted"');
    });

    test('L5 pages end at the limit, hold whole changes, and follow each other', async () => {
      const whole = await read('g1');
      const first = await read('g1', 0, 2);
      expect(first).toMatchObject({ from: 0, to: 2, more: true });
      const rest = await read('g1', first.to, 1_000);
      expect([...first.changes, ...rest.changes]).toEqual(whole.changes);
      expect(await read('g1', whole.to)).toMatchObject({
        changes: [],
        from: whole.to,
        to: whole.to,
        chain: whole.chain,
        more: false,
      });
    });

    test('L5 a page holds at most a mebibyte, but always one change', async () => {
      const { newCase, record } = get();
      await newCase('g2');
      const big = 'x'.repeat(9_000);
      await record({
        case_uid: 'g2',
        items: Array.from({ length: 200 }, (_, index) => item(`i${index}`)),
        outcomes: Array.from({ length: 200 }, (_, index) =>
          outcome(`i${index}`, 'rule_a', 'TRUE', { source_value: big }),
        ),
      });
      const { changes, more } = await read('g2');
      expect(more).toBe(true);
      expect(
        changes.reduce((bytes, change) => bytes + change.change.length, 0),
      ).toBeLessThanOrEqual(1_048_576);
      for (const { change } of changes)
        expect(Buffer.byteLength(change)).toBeLessThanOrEqual(524_288);
    });

    test('L6 R5 a witness of another log or position diverges', async () => {
      const { store, account } = get();
      const { position } = await read('g1');
      const { epoch, seq, chain } = position;
      await expect(read('g1', 0, 1, { epoch, seq, chain })).resolves.toBeDefined();
      await expect(read('g1', 0, 1, { epoch, seq: 0, chain: EMPTY_CHAIN })).resolves.toBeDefined();
      for (const witness of [
        { epoch: 'other', seq, chain },
        { epoch, seq: seq + 1, chain },
        { epoch, seq: seq - 1, chain },
      ])
        expect((await refusal(read('g1', 0, 1, witness))).code).toBe('diverged');
      expect((await refusal(read('g1', seq + 5))).code).toBe('diverged');
      expect(
        (
          await refusal(
            store.read((r) =>
              r.log.changes(AccountId.parse('acc_stranger'), asStream('g1'), 0, 1, undefined),
            ),
          )
        ).code,
      ).toBe('not_found');
      const positions = await store.read((r) => r.log.positions(account, undefined));
      expect(positions.cases).toContainEqual({
        case_uid: 'g1',
        seq,
        chain,
        project_id: get().projectId,
        runs: 0,
      });
    });

    test('listeners hear of each log that grew, after the commit', async () => {
      const { store, newCase, record, account } = get();
      const heard: unknown[] = [];
      const tokens: string[] = [];
      const stop = store.onCommit(({ token, ...event }) => {
        heard.push(event);
        tokens.push(token?.from ?? '', token?.to ?? '');
      });
      await newCase('g3');
      await record({ case_uid: 'g3', items: [item('i')] });
      stop();
      await record({ case_uid: 'g3', items: [item('j')] });
      expect(heard).toEqual([
        { account_id: account, case_uid: 'g3', seq: 1 },
        { account_id: account, case_uid: 'g3', seq: 2 },
      ]);
      expect(tokens[2]).toBe(tokens[1]);
      expect(new Set(tokens).size).toBe(3);
    });
  });

  describe('snapshot', () => {
    test('N1 N2 N3 names the displayed head of every cell, in runs, by chunks', async () => {
      const { newCase, record, page, store, human } = get();
      await newCase('s1');
      const items = Array.from({ length: 300 }, (_, index) =>
        item(`i${String(index).padStart(3, '0')}`),
      );
      await record({
        case_uid: 's1',
        items,
        outcomes: items
          .slice(0, 299)
          .flatMap((one) => RULES.map((rule) => outcome(one.item_uid, rule, 'FALSE'))),
      });
      await record({
        case_uid: 's1',
        outcomes: [
          outcome('i001', 'rule_a', 'TRUE', {
            source_value: 's',
            notes: 'n',
            provenance: { a: 1 },
          }),
          outcome('i002', 'rule_a', null),
        ],
      });
      const rival = foreignChange('s1', [set(cellReg('i001', 'rule_a'), { raw_outcome: 'NA' })], {
        hlc: '000000000001-0000',
      });
      await store.transact((w) => w.log.push(human, asStream('s1'), [wire(rival)], undefined));
      const one = await snapshot('s1');
      const two = await snapshot('s1', one.next ?? undefined);
      expect([one.items.length, two.items.length, two.next]).toEqual([256, 44, null]);
      expect(one.raw).toHaveLength(256 * 3);
      expect(one.raw.slice(0, 9)).toBe('FFFFTFF-F');
      expect(two.raw.slice(-3)).toBe('---');
      const heads = one.heads.flatMap(([name, first, step, count]) =>
        Array.from({ length: count }, (_, index) =>
          name < 0 ? null : `${one.names[name]}#${first + step * index}`,
        ),
      );
      expect(heads).toHaveLength(256 * 3);
      const { changes } = await read('s1');
      const texts = new Map(
        changes.map((change) => [
          change.id,
          JSON.parse(change.change) as { entries: { reg: string }[] },
        ]),
      );
      for (const [place, name] of heads.entries()) {
        const [id, index] = (name ?? '').split('#');
        expect(texts.get(id ?? '')?.entries[Number(index)]?.reg).toBe(
          cellReg(one.items[Math.floor(place / 3)]?.item_uid ?? '', RULES[place % 3] as string),
        );
      }
      expect(one.details).toMatchObject([
        { row: 1, column: 1, source_value: 's', notes: 'n', provenance: { a: 1 } },
      ]);
      expect(one.further).toEqual([
        { reg: cellReg('i001', 'rule_a'), head: `${rival.id}#0`, value: { raw_outcome: 'NA' } },
      ]);
      expect(one.clocks[one.names.indexOf(rival.id)]).toBe('000000000001-0000');
      expect(one.dangling).toEqual([]);
      expect(one.details[0]?.notes_head).toMatch(/^c1_.*#/);
      expect(one.items[0]?.heads).toMatchObject({
        x: expect.stringMatching(/^c1_/),
        position: expect.stringMatching(/^c1_/),
      });
      expect(one.heads.length).toBeLessThan(20);
      expect(Evidence.safeParse((await page('s1')).value()).success).toBe(true);
    });
  });
}
