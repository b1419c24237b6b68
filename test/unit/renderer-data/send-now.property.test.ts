import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { DataLayer } from '../../../src/renderer/data/data-layer.ts';
import type { MatrixSession } from '../../../src/renderer/data/store/port.ts';
import { asProfile, asCase } from '../../support/ids.ts';
import { lengthOf } from '../../support/length.ts';
import type { Fault, Upstream } from './support/upstream.ts';
import { at, Computer, rest } from './support/windows.ts';

const CASES = ['case-1', 'case-2', 'case-3'] as const;
const ITEMS = ['a', 'b', 'c'];

/** What becomes of a request: of one that sends, of the question who is signed in, of each. */
const FAULTS: Record<string, (isPush: boolean, isSession: boolean) => Fault> = {
  none: () => null,
  away: () => 'offline',
  noPush: (isPush) => (isPush ? 'offline' : null),
  noSession: (_, isSession) => (isSession ? 'offline' : null),
  sessionLost: (_, isSession) => (isSession ? 'ack_lost' : null),
  ackLost: (isPush) => (isPush ? 'ack_lost' : null),
  busy: (isPush) => (isPush ? { status: 503, code: 'unavailable' } : null),
  limited: (isPush) =>
    isPush ? { status: 429, code: 'rate_limited', headers: { 'retry-after': '100' } } : null,
  readOnly: (isPush) => (isPush ? { status: 403, code: 'read_only_role' } : null),
};
const HELD: Record<string, (path: string) => boolean> = {
  nothing: () => false,
  pushes: (path) => path.endsWith('/push'),
  sessions: (path) => path.endsWith('/session'),
  all: () => true,
};

const one = fc.nat(CASES.length - 1);
const window = fc.nat(1);
const turns = fc.constantFrom(0, 0, 1, 2, 4, 8, 15, 30, 60);
const act = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      window,
      one,
      wait: fc.boolean(),
      /** The page is left at once. */
      leaves: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constantFrom('open' as const, 'close' as const), window, one }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('fault' as const),
      fault: fc.constantFrom(...Object.keys(FAULTS)),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('hold' as const),
      held: fc.constantFrom(...Object.keys(HELD)),
      /** In these alone. */
      cases: fc.subarray([0, 1, 2], { minLength: 1 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.constantFrom(100, 900, 1_000, 1_100, 2_500, 6_000, 61_000),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('turns' as const), turns }),
  },
  /** The window is brought to the front. */
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('reach' as const), window }) },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('now' as const), window, turns }),
  },
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

const take = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

/**
 * Windows of a browser that has a copy of every case, and a server that fails as it is asked to.
 */
class Bench {
  readonly #computer = new Computer(3, ITEMS);
  readonly #upstreams: readonly Upstream[];
  readonly #pages = new Map<string, Promise<MatrixSession | null>>();
  readonly #held = new Set<() => void>();
  #layers: DataLayer[] = [];
  #isHeld = (_place: number, _path: string): boolean => false;
  #written = 0;

  constructor() {
    this.#upstreams = CASES.map((uid) =>
      uid === 'case-1' ? this.#computer.upstream : this.#computer.addCase(uid),
    );
    for (const [place, upstream] of this.#upstreams.entries())
      upstream.gate = async (path) => {
        if (this.#isHeld(place, path))
          await new Promise<void>((resolve) => this.#held.add(resolve));
      };
  }

  /**
   * The window has had each case open; in `unsent` of them it leaves a change that was not sent.
   */
  async start(windows: number, shared: boolean, unsent: readonly number[], fault: string) {
    for (let count = 0; count < windows; count += 1)
      this.#layers.push(await this.#computer.layer({ shared }));
    for (const [place] of CASES.entries()) {
      this.#open(0, place);
      await this.#computer.synced((await this.#page(0, place))!);
      this.#close(0, place);
      await rest();
    }
    this.#fail('noPush');
    for (const place of unsent) {
      await this.#write(0, place, true);
      await rest();
      this.#close(0, place);
      await rest();
    }
    this.#fail(fault);
  }
  #fail(fault: string): void {
    for (const upstream of this.#upstreams)
      upstream.fault = (_, path) =>
        FAULTS[fault]!(path.endsWith('/push'), path.endsWith('/session'));
  }
  end(): void {
    this.#isHeld = () => false;
    this.#release();
    this.#computer.end();
  }

  async play(step: Act): Promise<void> {
    this.#computer.time += 5;
    switch (step.kind) {
      case 'write':
        await this.#write(step.window, step.one, step.wait || this.#layers.length > 1);
        if (step.leaves) this.#close(step.window, step.one);
        return;
      case 'open':
        return this.#open(step.window, step.one);
      case 'close':
        return this.#close(step.window, step.one);
      case 'fault':
        return this.#fail(step.fault);
      case 'hold':
        this.#isHeld = (place, path) => step.cases.includes(place) && HELD[step.held]!(path);
        return;
      case 'pass':
        return this.#computer.pass(step.ms);
      case 'reach':
        return this.#layers[step.window % this.#layers.length]!.requestSync();
      case 'turns':
        return take(step.turns);
      case 'now':
        return this.#now(step.window % this.#layers.length, step.turns);
    }
  }

  #key = (window: number, place: number): string => `${window % this.#layers.length}/${place}`;
  #open(window: number, place: number): void {
    const key = this.#key(window, place);
    if (this.#pages.has(key)) return;
    const opening = this.#layers[window % this.#layers.length]!.openMatrix({
      caseUid: asCase(CASES[place]!),
      profileUid: asProfile('test_profile'),
      profileVersion: '1.0',
    });
    this.#pages.set(
      key,
      opening.catch(() => null),
    );
  }
  #page(window: number, place: number): Promise<MatrixSession | null> {
    const page = this.#pages.get(this.#key(window, place));
    return page === undefined
      ? Promise.resolve(null)
      : Promise.race([page, rest().then(() => null)]);
  }
  #close(window: number, place: number): void {
    const key = this.#key(window, place);
    const page = this.#pages.get(key);
    this.#pages.delete(key);
    void page?.then((session) => session?.close());
  }
  async #write(window: number, place: number, wait: boolean): Promise<void> {
    this.#open(window, place);
    const session = await this.#page(window, place);
    this.#written += 1;
    const cell = at(ITEMS[this.#written % 3]!, this.#written % 2);
    const outcome = (['TRUE', 'FALSE', 'NA'] as const)[Math.floor(this.#written / 6) % 3]!;
    const writing = session?.write('w', [cell], { raw_outcome: outcome }).catch(() => undefined);
    if (wait) await writing;
  }

  #release(): void {
    for (const resolve of this.#held) resolve();
    this.#held.clear();
  }
  /** All that is under way ends, and no timer fires. */
  async #settle(): Promise<void> {
    const count = (): number =>
      this.#upstreams.reduce((sum, { requests }) => sum + requests.length, 0);
    for (let quiet = 0; quiet < 2;) {
      const before = count();
      this.#release();
      await rest();
      quiet = count() === before && this.#held.size === 0 ? quiet + 1 : 0;
    }
  }

  async #now(window: number, after: number): Promise<void> {
    await take(after);
    const marks = this.#upstreams.map(({ requests }) => requests.length);
    const since = (place: number) => this.#upstreams[place]!.requests.slice(marks[place]!);
    const { overview } = this.#layers[window]!;
    overview.tryNow();
    await this.#settle();
    const isAway = since(0).some(
      ({ path, status }) => path.endsWith('/session') && status === 'lost',
    );
    for (const { case_uid, waiting, blocked } of await overview.links()) {
      if (waiting + blocked === 0 || isAway) continue;
      const tried = since(CASES.findIndex((uid) => uid === case_uid)).filter(({ path }) =>
        path.includes('/sync/cases/'),
      );
      expect(tried, `${case_uid} was not tried`).not.toEqual([]);
    }
  }
}

type Play = [Act[], readonly [1 | 2, boolean], number[], string];
/** A run has tried one case in vain and is at the next. */
const TRIED_BEFORE: Play = [
  [
    { kind: 'hold', held: 'pushes', cases: [1] },
    { kind: 'pass', ms: 1_100 },
    { kind: 'now', window: 0, turns: 0 },
  ],
  [1, true],
  [0, 1],
  'ackLost',
];
/** The question who is signed in, asked before somebody wants to send, gets no answer. */
const LOST_QUESTION: Play = [
  [
    { kind: 'hold', held: 'sessions', cases: [0] },
    { kind: 'reach', window: 0 },
    { kind: 'turns', turns: 60 },
    { kind: 'now', window: 0, turns: 0 },
  ],
  [1, true],
  [0],
  'sessionLost',
];

it('send now: every case with unsent changes is tried after it, once what is under way has ended', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { minLength: 8, maxLength: 30 }),
      fc.constantFrom([1, true] as const, [1, false] as const, [2, true] as const),
      fc.subarray([0, 1, 2]),
      fc.constantFrom(...Object.keys(FAULTS)),
      async (acts, [windows, shared], unsent, fault) => {
        const bench = new Bench();
        try {
          await bench.start(windows, shared, unsent, fault);
          for (const step of acts) await bench.play(step);
        } finally {
          bench.end();
          await rest();
        }
      },
    ),
    { numRuns: lengthOf(30, 1_000), examples: [TRIED_BEFORE, LOST_QUESTION] },
  );
}, 400_000);
