import { asStream, asUser } from '../../support/ids.ts';
import { describe, expect, test } from 'vitest';
import { EMPTY_CHAIN } from '../../../src/sync/log.ts';
import { entryName } from '../../../src/sync/change.ts';
import { cellReg, foreignChange, item, outcome, refusal, set, wire, type World } from '../world.ts';
import type { LinkKey, LinkRow } from '../../../src/server/storage/replication/links.ts';

/** Exchanging with another server. */
export function linkTests(get: () => World): void {
  const row = (over: Partial<LinkRow>): LinkRow => ({
    gen: 1,
    rev: 1,
    boot: 'boot',
    epoch: 'upstream',
    push_pos: 0,
    again_to: 0,
    pull_seq: 0,
    pull_chain: EMPTY_CHAIN,
    witness: { seq: 0, chain: EMPTY_CHAIN },
    points: [{ seq: 1, chain: EMPTY_CHAIN, own: 1 }],
    verified_at: null,
    verified_seq: 0,
    last_ok: null,
    problem: null,
    state: 'open',
    ...over,
  });
  const receive = (
    stream: string,
    changes: { id: string; change: string }[],
    from: LinkKey | undefined,
    to: LinkRow,
  ) =>
    get().store.transact((w) =>
      w.log.receive(get().account, asStream(stream), {
        changes: changes.map((change) => ({ ...change, actor: asUser('usr_far') })),
        link: { from, to },
      }),
    );
  const tail = (
    stream: string,
    after: number,
    options: Partial<{ notOrigin: string | null; limit: number; bytes: number }> = {},
  ) =>
    get().store.read((r) =>
      r.log.tail(get().account, asStream(stream), after, {
        notOrigin: null,
        limit: 1_000,
        bytes: 1_048_576,
        ...options,
      }),
    );
  const seqs = (page: { changes: { seq: number }[] }): number[] =>
    page.changes.map(({ seq }) => seq);

  describe('link', () => {
    test('R1 R3 what a link brings is stored with its next row, or not at all where the link has moved', async () => {
      const { newCase, cells, store, account, record } = get();
      await newCase('l1');
      const a = foreignChange('l1', [set(cellReg('i', 'rule_a'), { raw_outcome: 'TRUE' })]);
      const b = foreignChange('l1', [
        set(cellReg('i', 'rule_a'), { raw_outcome: 'NA' }, [entryName(a.id, 0)]),
      ]);
      const first = row({ push_pos: 1, pull_seq: 1 });
      const received = await receive('l1', [wire(a)], undefined, first);
      expect(received).toMatchObject({
        results: [{ id: a.id, status: 'applied', seq: 2 }],
        position: { seq: 2 },
      });
      // Nothing waited to be sent before, so nothing does now.
      expect(received?.link).toEqual({ ...first, push_pos: 2 });
      for (const stale of [
        undefined,
        { ...first, boot: 'other' },
        { ...first, gen: 2 },
        { ...first, rev: 2 },
      ])
        expect(await receive('l1', [wire(b)], stale, row({ rev: 3 }))).toBeUndefined();
      expect(await cells('l1')).toEqual(['i/rule_a=TRUE']);
      const damaged = { id: b.id, change: b.text.replace('NA', 'XX') };
      expect((await refusal(receive('l1', [damaged], first, row({ rev: 2 })))).code).toBe(
        'hash_mismatch',
      );
      await record({ case_uid: 'l1', outcomes: [outcome('i', 'rule_b', 'FALSE')] });
      const second = await receive(
        'l1',
        [wire(a), wire(b)],
        first,
        row({ rev: 2, push_pos: 2, pull_seq: 2 }),
      );
      expect(second?.results.map(({ status }) => status)).toEqual(['duplicate', 'applied']);
      // A change of our own waits, so the position stays.
      expect(second?.link.push_pos).toBe(2);
      expect(await cells('l1')).toEqual(['i/rule_a=NA', 'i/rule_b=FALSE']);
      expect(
        (await store.read((r) => r.log.links(account))).find(({ stream }) => stream === 'l1')?.link,
      ).toEqual(second?.link);
    });

    test('R4 what a link brought is not sent back over it in the same generation, but in the next', async () => {
      const mine = await tail('l1', 0, { notOrigin: 'upstream/1' });
      expect([seqs(mine), mine.to, mine.more]).toEqual([[1, 3], 4, false]);
      expect(seqs(await tail('l1', 0, { notOrigin: 'upstream/2' }))).toEqual([1, 2, 3, 4]);
      expect(seqs(await tail('l1', 0))).toEqual([1, 2, 3, 4]);
    });

    test('a tail ends at its limits, and holds one change at least', async () => {
      expect(await tail('l1', 1, { limit: 1 })).toMatchObject({
        changes: [{ seq: 2 }],
        to: 2,
        more: true,
      });
      expect(await tail('l1', 1, { bytes: 1 })).toMatchObject({
        changes: [{ seq: 2 }],
        to: 2,
        more: true,
      });
      expect(await tail('l1', 4)).toEqual({ changes: [], to: 4, more: false });
      expect(await tail('nowhere', 0)).toEqual({ changes: [], to: 0, more: false });
    });

    test('a link moves by compare-and-set alone', async () => {
      const { newCase, store, account, record } = get();
      await newCase('l2');
      await record({ case_uid: 'l2', items: [item('i')] });
      const move = (from: LinkKey | undefined, to: LinkRow) =>
        store.transact((w) => w.log.moveLink(account, asStream('l2'), from, to));
      expect(await move(row({}), row({ rev: 2 }))).toBe(false);
      expect(await move(undefined, row({}))).toBe(true);
      expect(await move(undefined, row({ rev: 7 }))).toBe(false);
      expect(await move(row({}), row({ rev: 2, push_pos: 2 }))).toBe(true);
      expect(await move(row({}), row({ rev: 3 }))).toBe(false);
    });
  });
}
