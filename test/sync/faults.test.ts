import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnswerKind } from '../../src/sync/answers.ts';
import {
  afterTaken,
  ASIDE_MS,
  blame,
  FAULT_MS,
  FAULT_TRIES,
  type Faults,
  isDueAgain,
  isSuspicious,
} from '../../src/sync/faults.ts';

/**
 * Sends what waits, in order, to a server that fails on some changes, waiting `step` ms between
 * tries. `answers`: whether it answers other questions.
 */
function play(
  count: number,
  bad: ReadonlySet<number>,
  {
    step,
    answers = () => true,
    most = 2_000,
    patience = 2_000,
  }: { step: number; answers?: (now: number) => boolean; most?: number; patience?: number },
) {
  let left = Array.from({ length: count }, (_, at) => at);
  const sent: number[] = [];
  const aside: number[] = [];
  let faults: Faults | null = null;
  let limit = most;
  let now = 0;
  let requests = 0;
  while (left.length > 0 && requests < patience) {
    const batch = left.slice(0, limit);
    requests += 1;
    if (answers(now) && !batch.some((one) => bad.has(one))) {
      sent.push(...batch);
      left = left.slice(batch.length);
      faults = afterTaken(faults);
      limit = Math.min(most, limit * 2);
      continue;
    }
    const checked = blame(
      faults,
      { head: String(batch[0]), size: batch.length },
      now,
      answers(now),
    );
    faults = checked.faults;
    if (checked.verdict === 'wait') now += step;
    if (checked.verdict === 'halve') limit = Math.max(1, Math.floor(batch.length / 2));
    if (checked.verdict === 'set_aside') {
      aside.push(batch[0] as number);
      left = left.slice(1);
      faults = null;
      limit = most;
    }
  }
  return { sent, aside, left, requests, now };
}

describe('R12 a server that fails on what it is sent', () => {
  test('exactly the changes that it fails on are set aside, in bounded time and requests; all others are sent in order', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.array(fc.nat(299), { maxLength: 4 }),
        fc.integer({ min: 100, max: 300_000 }),
        (count, some, step) => {
          const bad = new Set(some.filter((one) => one < count));
          const { sent, aside, requests, now } = play(count, bad, { step, patience: 20_000 });
          const tries = Math.max(FAULT_TRIES, Math.ceil(FAULT_MS / step) + 1);
          expect(aside).toEqual([...bad].sort((a, b) => a - b));
          expect(sent).toEqual(
            Array.from({ length: count }, (_, at) => at).filter((one) => !bad.has(one)),
          );
          expect(now).toBeLessThanOrEqual(bad.size * tries * step);
          expect(requests).toBeLessThanOrEqual((bad.size + 1) * (tries + 60));
        },
      ),
    );
  });

  test('a server that is down, or answers nothing now and then, sets nothing aside', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 100, max: 60_000 }),
        fc.integer({ min: 1, max: 40 }),
        (count, step, outages) => {
          const downTo = outages * step;
          const { sent, aside } = play(count, new Set(), { step, answers: (now) => now >= downTo });
          expect(aside).toEqual([]);
          expect(sent).toHaveLength(count);
        },
      ),
    );
  });

  test('it takes both: the tries and the time', () => {
    let faults: Faults | null = null;
    const fail = (now: number, size = 1, head = 'a') => {
      const checked = blame(faults, { head, size }, now, true);
      faults = checked.faults;
      return checked.verdict;
    };
    for (let at = 0; at < 20; at += 1) expect(fail(at)).toBe('wait');
    faults = null;
    expect([fail(0), fail(FAULT_MS), fail(2 * FAULT_MS), fail(3 * FAULT_MS)]).toEqual([
      'wait',
      'wait',
      'wait',
      'set_aside',
    ]);
    // What fails first in another batch is counted from the beginning.
    faults = null;
    expect([
      fail(0, 8),
      fail(FAULT_MS, 8),
      fail(2 * FAULT_MS, 8),
      fail(2 * FAULT_MS, 8, 'b'),
    ]).toEqual(['wait', 'wait', 'wait', 'wait']);
    // One unanswered question, and the count begins again.
    faults = null;
    expect([
      fail(0),
      fail(FAULT_MS),
      fail(2 * FAULT_MS),
      blame(faults, { head: 'a', size: 1 }, 3 * FAULT_MS, false),
    ]).toEqual(['wait', 'wait', 'wait', { faults: null, verdict: 'wait' }]);
  });

  test('what a store says of itself is no failure of the batch', () => {
    const said: Record<string, boolean> = Object.fromEntries(
      (
        [
          'fault',
          'silent',
          'foreign',
          'busy',
          'unable',
          'signed_out',
          'diverged',
          'malformed',
        ] as AnswerKind[]
      ).map((answer) => [answer, isSuspicious(answer)]),
    );
    expect(said).toEqual({
      fault: true,
      silent: false,
      foreign: true,
      busy: false,
      unable: false,
      signed_out: false,
      diverged: false,
      malformed: false,
    });
  });

  test('what was set aside is due again after an upgrade of either side, and after an hour', () => {
    const aside = { at: 1_000, versions: '1 1 1' };
    expect(isDueAgain(aside, 2_000, '1 1 1')).toBe(false);
    expect(isDueAgain(aside, 2_000, '1 1 2')).toBe(true);
    expect(isDueAgain(aside, 1_000 + ASIDE_MS, '1 1 1')).toBe(true);
    // A clock that was set back.
    expect(isDueAgain(aside, 500, '1 1 1')).toBe(true);
  });
});
