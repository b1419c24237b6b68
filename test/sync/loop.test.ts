import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  backoff,
  LONGEST_BACKOFF_MS,
  type CycleStep,
  STUCK_MS,
  SyncLoop,
} from '../../src/sync/loop.ts';

const MINUTE = 60_000;
const later = (retryAfter: number | null = null): CycleStep => ({
  kind: 'later',
  online: true,
  retryAfter,
  problem: null,
});
const rest = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

/** A loop in invented time. */
class Bench {
  /** What has passed; the wall clock shows `ahead` more. */
  now = 0;
  ahead = 0;
  timers: { at: number; callback: () => void }[] = [];
  turns: number[] = [];
  answer: () => Promise<CycleStep> = () => Promise.resolve({ kind: 'done' });
  waiting: { count: number; oldest: number | null } = { count: 0, oldest: null };
  restarts = 0;
  changes = 0;
  random = 0.5;
  readonly loop: SyncLoop;

  constructor() {
    this.loop = new SyncLoop({
      cycle: () => {
        this.turns.push(this.now);
        return this.answer();
      },
      timers: {
        now: () => this.now + this.ahead,
        elapsed: () => this.now,
        random: () => this.random,
        after: (ms, callback) => {
          const timer = { at: this.now + ms, callback };
          this.timers.push(timer);
          return () => void (this.timers = this.timers.filter((other) => other !== timer));
        },
      },
      idleMs: () => MINUTE,
      cap: () => LONGEST_BACKOFF_MS,
      changed: () => void (this.changes += 1),
      waiting: () => this.waiting,
      restart: () => (this.restarts += 1),
    });
  }
  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    await rest();
    for (;;) {
      const next = this.timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.timers = this.timers.filter((timer) => timer !== next);
      this.now = next.at;
      next.callback();
      await rest();
    }
    this.now = end;
  }
}

/** Set to whatever a person, a battery or a time server may do to it. */
const TEN_YEARS = 3_653 * 24 * 3_600_000;
const AHEADS = [0, 0, TEN_YEARS, -TEN_YEARS, 3_600_000, -3_600_000, 4_000, -4_000];
const MOVES = [
  'jump',
  'jump',
  'work',
  'edit',
  'reach',
  'person',
  'fails',
  'asks',
  'done',
  'hangs',
  'stands',
  'moves',
] as const;

describe('R11 the loop of a link', () => {
  test('the wall clock may jump at any time: the turns come when they would have come', async () => {
    const step = fc.record({
      move: fc.constantFrom(...MOVES),
      ahead: fc.constantFrom(...AHEADS),
      ms: fc.integer({ min: 0, max: 20 * MINUTE }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const [still, jumping] = [new Bench(), new Bench()];
        for (const { move, ahead, ms } of steps) {
          for (const bench of [still, jumping]) {
            if (move === 'jump') bench.ahead = bench === jumping ? ahead : 0;
            else if (move === 'fails')
              bench.answer = () =>
                Promise.resolve({ kind: 'later', online: false, retryAfter: null, problem: null });
            else if (move === 'asks') bench.answer = () => Promise.resolve(later(100));
            else if (move === 'done') bench.answer = () => Promise.resolve({ kind: 'done' });
            else if (move === 'hangs') bench.answer = () => new Promise(() => {});
            else if (move === 'stands') bench.waiting = { count: 2, oldest: 1 };
            else if (move === 'moves') bench.waiting = { count: 0, oldest: null };
            else bench.loop.requestCycle(move);
            await bench.pass(ms);
          }
          expect([jumping.turns, jumping.restarts, jumping.loop.problem]).toEqual([
            still.turns,
            still.restarts,
            still.loop.problem,
          ]);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('a wait is what the server asked, at most an hour, or random up to a bound that doubles to five minutes', () => {
    fc.assert(
      fc.property(
        fc.nat(40),
        fc.option(fc.nat(1_000_000)),
        fc.float({ min: 0, max: Math.fround(0.999), noNaN: true }),
        (failures, asked, random) => {
          const wait = backoff(failures, asked, random);
          expect(wait).toBeGreaterThanOrEqual(Math.min((asked ?? 0) * 1_000, 3_600_000));
          expect(wait).toBeLessThanOrEqual(
            Math.max(
              Math.min((asked ?? 0) * 1_000, 3_600_000),
              Math.min(LONGEST_BACKOFF_MS, 1_000 * 2 ** failures),
            ),
          );
        },
      ),
    );
  });

  test('after an outage an overloaded server is asked again as after a first failure', async () => {
    const bench = new Bench();
    bench.random = 1;
    let online = false;
    bench.answer = () => Promise.resolve({ ...later(), online } as CycleStep);
    bench.loop.requestCycle();
    await bench.pass(5 * MINUTE);
    online = true;
    const before = bench.turns.length;
    bench.loop.requestCycle('person');
    await bench.pass(15_000);
    expect(bench.turns.slice(before).map((at) => at - 5 * MINUTE)).toEqual([
      0, 2_000, 6_000, 14_000,
    ]);
    bench.loop.stop();
  });

  test('a hundred clients that failed together do not come back together', () => {
    const waits = Array.from({ length: 100 }, (_, client) => backoff(8, null, client / 100));
    expect(new Set(waits.map((wait) => Math.floor(wait / 10_000))).size).toBeGreaterThan(20);
  });

  test('one cycle at a time; work that comes meanwhile is a cycle after it; the idle poll comes once a minute', async () => {
    const bench = new Bench();
    let end: (step: CycleStep) => void = () => {};
    bench.answer = () => new Promise((resolve) => (end = resolve));
    bench.loop.requestCycle();
    bench.loop.requestCycle();
    bench.loop.requestCycle();
    await rest();
    expect(bench.turns).toHaveLength(1);
    bench.answer = () => Promise.resolve({ kind: 'done' });
    end({ kind: 'done' });
    await rest();
    expect(bench.turns).toHaveLength(2);
    await bench.pass(10 * MINUTE);
    expect(bench.turns).toHaveLength(12);
  });

  test('work does not cut a wait short; a person does, each time', async () => {
    const bench = new Bench();
    bench.answer = () => Promise.resolve(later(100));
    bench.loop.requestCycle();
    await bench.pass(1_000);
    bench.loop.requestCycle('work');
    await rest();
    expect(bench.turns).toHaveLength(1);
    bench.loop.requestCycle('person');
    await bench.pass(1_000);
    bench.loop.requestCycle('person');
    await rest();
    expect(bench.turns).toHaveLength(3);
    await bench.pass(20_000);
    expect(bench.turns).toHaveLength(3);
  });

  test('a person, and a change of who is signed in, has a cycle that begins after it, however one under way ends', async () => {
    const ends = {
      done: { kind: 'done' },
      away: { kind: 'later', online: false, retryAfter: null, problem: null },
      asked: later(100),
      blocked: { kind: 'blocked', problem: 'read only' },
      thrown: null,
    } as const satisfies Record<string, CycleStep | null>;
    const step = fc.record({
      why: fc.constantFrom('work', 'edit', 'reach', 'person', 'access'),
      end: fc.constantFrom(...(Object.keys(ends) as (keyof typeof ends)[])),
      isHeld: fc.boolean(),
      ms: fc.constantFrom(0, 0, 100, 4_999, 6_000, 2 * MINUTE),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const bench = new Bench();
        let release = (): void => {};
        bench.loop.requestCycle();
        for (const { why, end, isHeld, ms } of steps) {
          bench.answer = async () => {
            if (isHeld) await new Promise<void>((resolve) => (release = resolve));
            const answer = ends[end];
            if (answer === null) throw new TypeError('x');
            return answer;
          };
          await bench.pass(ms);
          const before = bench.turns.length;
          bench.loop.requestCycle(why);
          if (why !== 'person' && why !== 'access') continue;
          // What was under way ends, and no timer fires.
          release();
          await rest();
          expect(bench.turns.length).toBeGreaterThan(before);
        }
      }),
      { numRuns: 300 },
    );
  });

  const WHYS = ['edit', 'reach'] as const;
  test.each(WHYS)(
    '%s cuts a wait short at once, and again when five seconds are over; what comes within them is not forgotten',
    async (why) => {
      const bench = new Bench();
      bench.answer = () =>
        Promise.resolve({ kind: 'later', online: false, retryAfter: null, problem: null });
      bench.random = 0.999;
      bench.loop.requestCycle();
      await bench.pass(200_000);
      const before = bench.turns.length;
      bench.loop.requestCycle(why);
      await rest();
      expect(bench.turns).toHaveLength(before + 1);
      for (let at = 0; at < 50; at += 1) {
        bench.loop.requestCycle(why);
        await bench.pass(100);
      }
      expect(bench.turns.length).toBeLessThanOrEqual(before + 2);
      await bench.pass(1_000);
      expect(bench.turns).toHaveLength(before + 2);
      expect((bench.turns.at(-1) ?? 0) - (bench.turns.at(-2) ?? 0)).toBe(5_000);
    },
  );

  test('what the server asked to wait is kept unless a person asks; an edit does not ask again for work that is blocked', async () => {
    const bench = new Bench();
    bench.answer = () => Promise.resolve(later(100));
    bench.loop.requestCycle();
    await bench.pass(1_000);
    for (const why of ['work', 'edit', 'reach'] as const) bench.loop.requestCycle(why);
    await bench.pass(50_000);
    expect(bench.turns).toHaveLength(1);
    bench.loop.requestCycle('person');
    await rest();
    expect(bench.turns).toHaveLength(2);
    bench.answer = () => Promise.resolve({ kind: 'blocked', problem: 'read only' });
    bench.loop.requestCycle('access');
    await bench.pass(10_000);
    bench.loop.requestCycle('edit');
    await rest();
    expect(bench.turns).toHaveLength(3);
    bench.loop.requestCycle('access');
    await rest();
    expect(bench.turns).toHaveLength(4);
  });

  test('a stream that opens while a cycle fails has the next one soon', async () => {
    const bench = new Bench();
    bench.random = 0.999;
    bench.answer = () =>
      Promise.resolve({ kind: 'later', online: false, retryAfter: null, problem: null });
    bench.loop.requestCycle();
    await bench.pass(300_000);
    let end: (step: CycleStep) => void = () => {};
    bench.answer = () => new Promise((resolve) => (end = resolve));
    bench.loop.requestCycle('person');
    await rest();
    bench.loop.requestCycle('reach');
    const before = bench.turns.length;
    end({ kind: 'later', online: false, retryAfter: null, problem: null });
    await bench.pass(5_000);
    expect(bench.turns).toHaveLength(before + 1);
  });

  test('who keeps writing is told at once that the server answers again', async () => {
    const bench = new Bench();
    bench.answer = () =>
      Promise.resolve({ kind: 'later', online: false, retryAfter: null, problem: 'away' });
    bench.loop.requestCycle();
    await rest();
    expect([bench.loop.online, bench.loop.problem]).toEqual([false, 'away']);
    // Each cycle is followed by another: something has been written meanwhile.
    let end: () => void = () => {};
    bench.answer = () =>
      new Promise((resolve) => {
        bench.loop.requestCycle('edit');
        end = () => resolve({ kind: 'done' });
      });
    const changes = bench.changes;
    bench.loop.requestCycle('person');
    await rest();
    end();
    await rest();
    expect([bench.loop.online, bench.loop.problem, bench.changes]).toEqual([
      true,
      null,
      changes + 1,
    ]);
    end();
    await rest();
    expect(bench.turns).toHaveLength(4);
    expect(bench.changes).toBe(changes + 1);
  });

  test('what makes no progress for ten minutes though the server answers is restarted once, then a person is notified', async () => {
    const bench = new Bench();
    bench.waiting = { count: 3, oldest: 1 };
    bench.answer = () => new Promise(() => {});
    bench.loop.requestCycle();
    await bench.pass(STUCK_MS + 3 * MINUTE);
    expect(bench.restarts).toBe(1);
    expect(bench.turns).toHaveLength(2);
    expect(bench.loop.problem).toBeNull();
    await bench.pass(STUCK_MS + MINUTE);
    expect(bench.restarts).toBe(1);
    expect(bench.loop.problem).toContain('ten minutes');
    bench.waiting = { count: 2, oldest: 1 };
    await bench.pass(MINUTE);
    expect(bench.loop.problem).toBeNull();
  });

  test('a backlog that moves, a server that is away and work that is blocked are no such case', async () => {
    for (const answer of [
      { kind: 'done' },
      { kind: 'later', online: false, retryAfter: null, problem: null },
      { kind: 'blocked', problem: 'signed out' },
    ] as const) {
      const bench = new Bench();
      bench.answer = () => {
        if (answer.kind === 'done')
          bench.waiting = { count: Math.max(1, bench.waiting.count - 1), oldest: bench.now };
        return Promise.resolve(answer);
      };
      bench.waiting = { count: 1_000, oldest: 0 };
      bench.loop.requestCycle();
      await bench.pass(60 * MINUTE);
      expect(bench.restarts).toBe(0);
    }
  });

  test('a cycle that throws is a failure like others', async () => {
    const bench = new Bench();
    bench.answer = () => Promise.reject(new TypeError('x'));
    bench.loop.requestCycle();
    await bench.pass(10 * MINUTE);
    expect(bench.turns.length).toBeGreaterThan(3);
    expect(bench.loop.problem).toContain('TypeError');
    bench.loop.stop();
    const { length } = bench.turns;
    await bench.pass(10 * MINUTE);
    expect(bench.turns).toHaveLength(length);
  });
});
