import { describe, expect, test } from 'vitest';
import {
  diverged,
  freshLink,
  type LinkRow,
  marksOf,
  missingAnswer,
  passOver,
  type PullReply,
  pullAnswer,
  pushAnswer,
  type PushReply,
  stampOf,
  startOver,
  verify,
  witnessOf,
} from '../../src/sync/link.ts';
import {
  addToDigest,
  type Digest,
  EMPTY_CHAIN,
  EMPTY_SUM,
  LOG_START,
  nextChain,
} from '../../src/sync/log.ts';
import { testHasher } from '../support/hasher.ts';

const idOf = (n: number): string => `c1_${testHasher.sha256Base64url(String(n))}`;
const ids = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, at) => idOf(from + at));
const chains = [EMPTY_CHAIN];
const digests = [{ count: 0, sum: EMPTY_SUM }];
for (let seq = 0; seq < 1_000; seq += 1) {
  chains.push(nextChain(chains.at(-1) as string, idOf(seq), testHasher));
  digests.push(addToDigest(digests.at(-1) as Digest, [idOf(seq)]));
}
const chainAt = (seq: number): string => chains[seq] as string;
const digest = (seq: number): Digest => digests[seq] as Digest;

function page(from: number, to: number, end = to): PullReply {
  return {
    epoch: 'e',
    from,
    to,
    n: to - from,
    changes: ids(from, to).map((id, at) => ({ id, seq: from + 1 + at })),
    chain: chainAt(to),
    more: to < end,
    ...digest(end),
  };
}
function reply(from: number, to: number, end = to): PushReply {
  return {
    epoch: 'e',
    results: ids(from, to).map((id, at) => ({ id, seq: from + 1 + at })),
    seq: end,
    chain: chainAt(end),
    ...digest(end),
  };
}
const pull = (row: LinkRow, body: PullReply) =>
  pullAnswer(row, { ...stampOf(row), from: row.pull_seq }, body, testHasher);
const push = (row: LinkRow, body: PushReply, to: number, sent = body.results.map(({ id }) => id)) =>
  pushAnswer(row, { ...stampOf(row), ids: sent, to }, body, testHasher);
function used(checked: ReturnType<typeof pull>): LinkRow {
  if (checked.kind !== 'use') throw new Error(checked.kind);
  return checked.row;
}
/** A link that has read `seq` changes one by one and sent everything before each. */
function linked(seq: number): LinkRow {
  let row = freshLink('b');
  for (let at = 0; at < seq; at += 1) row = passOver(used(pull(row, page(at, at + 1))), at + 1);
  return row;
}

describe('link', () => {
  test('R1 a page is used whole, in its place, or not at all', () => {
    const row = used(pull(freshLink('b'), page(0, 3)));
    expect(row).toMatchObject({
      pull_seq: 3,
      pull_chain: chainAt(3),
      epoch: 'e',
      witness: { seq: 3, chain: chainAt(3) },
      rev: 1,
    });
    const whole = page(3, 6);
    const broken: PullReply[] = [
      { ...whole, changes: whole.changes.slice(0, -1) },
      { ...whole, n: 2, changes: whole.changes.slice(0, -1) },
      { ...whole, n: 2, to: 5, changes: whole.changes.slice(0, -1) },
      { ...whole, changes: whole.changes.toReversed() },
      { ...whole, changes: whole.changes.map(({ seq }, at) => ({ seq, id: idOf(90 + at) })) },
      page(2, 6),
      page(4, 6),
      { ...page(3, 3), chain: chainAt(4) },
    ];
    for (const body of broken) expect(pull(row, body)).toEqual({ kind: 'drop', why: 'unfit' });
    expect(used(pull(row, whole)).pull_seq).toBe(6);
  });

  test('R2 the push position moves on a fitting 200 alone, to what the request covers', () => {
    const row = linked(2);
    expect(used(push(row, reply(2, 4, 9), 7)).push_pos).toBe(7);
    expect(push(row, { ...reply(2, 4), results: [] }, 7, ids(2, 4))).toEqual({
      kind: 'drop',
      why: 'unfit',
    });
    expect(push(row, reply(2, 4), 7, ids(3, 5))).toEqual({ kind: 'drop', why: 'unfit' });
  });

  test('R3 an answer for another row is dropped', () => {
    const row = linked(2);
    for (const stamp of [{ gen: 9 }, { rev: 9 }, { boot: 'x' }]) {
      expect(
        pullAnswer(row, { ...stampOf(row), ...stamp, from: 2 }, page(2, 3), testHasher),
      ).toEqual({ kind: 'drop', why: 'stale' });
      expect(
        pushAnswer(
          row,
          { ...stampOf(row), ...stamp, ids: ids(2, 3), to: 3 },
          reply(2, 3),
          testHasher,
        ),
      ).toEqual({ kind: 'drop', why: 'stale' });
      expect(
        missingAnswer(
          row,
          { ...stampOf(row), ...stamp, ids: [], to: 3 },
          { epoch: 'e', seq: 2, chain: chainAt(2), missing: [] },
        ),
      ).toEqual({ kind: 'drop', why: 'stale' });
    }
    expect(used(pull(row, page(2, 2))).rev).toBe(row.rev + 1);
  });

  test('R5 the witness is the highest position seen, in answers to pushes too, and stays in its life', () => {
    expect(witnessOf(freshLink('b'))).toEqual({});
    const row = used(push(linked(2), reply(5, 6, 8), 3));
    expect(row).toMatchObject({ pull_seq: 2, witness: { seq: 8, chain: chainAt(8) } });
    expect(witnessOf(row)).toEqual({ 'sync-witness': `e;8;${chainAt(8)}` });
    expect(used(pull(row, page(2, 4, 8))).witness.seq).toBe(8);
    expect(pull(row, { ...page(2, 4), epoch: 'other' })).toEqual({ kind: 'diverged' });
    expect(push(row, { ...reply(8, 9), epoch: 'other' }, 4)).toEqual({ kind: 'diverged' });
  });

  test('R9 what was sent is not read back where the chain proves that nothing else came', () => {
    expect(used(push(linked(2), reply(2, 5), 5))).toMatchObject({
      pull_seq: 5,
      pull_chain: chainAt(5),
      push_pos: 5,
    });
    expect(used(push(linked(2), reply(2, 5, 6), 5))).toMatchObject({ pull_seq: 2 });
    expect(used(push(linked(2), { ...reply(2, 5), chain: chainAt(4) }, 5))).toMatchObject({
      pull_seq: 2,
    });
    expect(used(push(linked(2), reply(1, 2), 5))).toMatchObject({ pull_seq: 2 });
  });

  test('R6 a diverged link goes on from the highest place that is still there', () => {
    const row = linked(40);
    const marks = marksOf(row);
    expect(marks.at(-1)).toEqual({ seq: 40, chain: chainAt(40) });
    expect(marks.length).toBeLessThan(12);
    const known = marks.at(-3)?.seq ?? 0;
    const next = diverged(row, { epoch: 'e', seq: known });
    expect(next).toMatchObject({
      gen: 2,
      rev: row.rev + 1,
      pull_seq: known,
      pull_chain: chainAt(known),
      witness: { seq: known, chain: chainAt(known) },
      again_to: 40,
      epoch: 'e',
    });
    expect(next.push_pos).toBeLessThanOrEqual(known);
    expect(known - next.push_pos).toBeLessThan(4);
    // What was pulled stays where the pull was behind.
    const behind = { ...row, pull_seq: 1, pull_chain: chainAt(1) };
    expect(diverged(behind, { epoch: 'e', seq: known })).toMatchObject({
      pull_seq: 1,
      witness: { seq: known },
    });
    for (const none of [startOver(row), diverged(row, { epoch: 'e', seq: 0 })])
      expect(none).toMatchObject({
        push_pos: 0,
        pull_seq: 0,
        pull_chain: EMPTY_CHAIN,
        witness: LOG_START,
        points: [],
        again_to: 40,
      });
  });

  test('R8 the marks thin out with distance, so that little more than was lost is offered again', () => {
    for (const length of [300, 1_000]) {
      const row = linked(length);
      expect(row.points.length).toBeLessThan(16);
      for (let lost = 1; lost < length; lost += 17) {
        const best = row.points.findLast(({ seq }) => seq <= length - lost)?.seq ?? 0;
        expect(length - best).toBeLessThanOrEqual(Math.max(8, 8 * lost));
      }
    }
  });

  test('R6 what is there still is not sent again', () => {
    const row = diverged(linked(8), { epoch: 'e', seq: 0 });
    const ask = { ...stampOf(row), ids: ids(0, 4), to: 4 };
    const at = { epoch: 'e', seq: 2, chain: chainAt(2) };
    expect(missingAnswer(row, ask, { ...at, missing: [] })).toMatchObject({
      kind: 'use',
      send: [],
      row: { push_pos: 4, witness: { seq: 2 }, rev: row.rev + 1 },
    });
    expect(missingAnswer(row, ask, { ...at, missing: ids(2, 3) })).toMatchObject({
      kind: 'use',
      send: ids(2, 3),
      row: { push_pos: 0 },
    });
  });

  test('R7 sets are compared when nothing is under way', () => {
    const body = page(0, 3);
    expect(verify(body, digest(3), 0)).toBe('equal');
    expect(verify(body, digest(2), 0)).toBe('unequal');
    expect(verify(body, { ...digest(3), sum: digest(2).sum }, 0)).toBe('unequal');
    expect(verify(body, digest(2), 1)).toBe('open');
    expect(verify(page(0, 2, 3), digest(2), 0)).toBe('open');
  });
});
