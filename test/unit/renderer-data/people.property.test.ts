import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lengthOf } from '../../support/length.ts';
import { at, Computer, rest, turns } from './support/windows.ts';

const ITEMS = ['a', 'b', 'c'];
const PEOPLE = ['u_ann', 'u_ben'] as const;
const SHARED = { shared: true, hints: true };
const cell = { item: fc.constantFrom(...ITEMS), rule: fc.nat(2) };
const act = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      window: fc.nat(1),
      ...cell,
      outcome: fc.constantFrom('TRUE', 'FALSE', 'NA', null),
      waits: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('remote' as const),
      ...cell,
      outcome: fc.constantFrom('TRUE', 'NA'),
      hint: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('signs in' as const),
      user: fc.constantFrom(...PEOPLE),
      role: fc.constantFrom('owner', 'member', 'viewer'),
      /** The windows ask who it is before they send anything. */
      asks: fc.boolean(),
    }),
  },
  // What comes next comes in the middle of what those before have begun.
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('turns' as const), turns: fc.nat(25) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('undo' as const, 'reopen' as const),
      window: fc.nat(1),
      waits: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'pass' as const,
        'offline' as const,
        'ack_lost' as const,
        'rebuild' as const,
        'to the front' as const,
        'signed out' as const,
        'no access' as const,
      ),
    }),
  },
);
type Act = typeof act extends fc.Arbitrary<infer One> ? One : never;
type Window = Awaited<ReturnType<Computer['open']>>;

/** A browser that two people use in turn, in two windows, and what was sent in another's name. */
class Browser {
  readonly computer = new Computer(3, ITEMS);
  readonly wrong: string[] = [];
  /** What sessions said that they have written. */
  written = 0;
  readonly #windows: (Window | null)[] = [null, null];
  readonly #underWay: Promise<unknown>[] = [];

  constructor() {
    const { upstream } = this.computer;
    this.signIn('u_ann', 'member');
    const append = upstream.append.bind(upstream);
    upstream.append = (sealed) => {
      const { user } = sealed.change.by;
      const { user_id, role } = upstream.user;
      if (user !== 'u_agent' && (user !== user_id || role === 'viewer'))
        this.wrong.push(`${user}, sent by ${user_id} as ${role}`);
      return append(sealed);
    };
  }
  signIn(user: string, role: string): void {
    this.computer.upstream.user = { user_id: user, name: user, role };
    this.computer.upstream.fault = () => null;
  }
  async open(index: number): Promise<void> {
    this.#windows[index] = await this.computer.open(SHARED).catch(() => null);
  }
  async close(): Promise<void> {
    await Promise.all(this.#underWay);
    this.computer.upstream.fault = () => null;
    for (const window of this.#windows) window?.layer.close();
    await rest();
  }

  async play(one: Act): Promise<void> {
    const { computer } = this;
    const { upstream } = computer;
    computer.time += 5;
    switch (one.kind) {
      case 'write':
      case 'undo':
      case 'reopen':
        return this.#inWindow(one);
      case 'remote':
        upstream.writeCell(one.item, at('', one.rule).rule, one.outcome);
        if (one.hint) computer.hint(upstream.log.length);
        return;
      case 'signs in':
        this.signIn(one.user, one.role);
        if (one.asks)
          for (const window of this.#windows) window?.layer.session().catch(() => undefined);
        return;
      case 'turns':
        return turns(one.turns);
      case 'pass':
        return computer.pass(2_500);
      case 'to the front':
        for (const window of this.#windows) window?.layer.requestSync();
        return;
      case 'rebuild':
        upstream.epoch = 'another';
        return;
      case 'signed out':
        upstream.fault = () => ({ status: 401, code: 'missing_credentials' });
        return;
      case 'no access':
        upstream.fault = (_, path) =>
          path.includes('/sync/') ? { status: 404, code: 'not_found' } : null;
        return;
      default:
        upstream.fault = (_, path) =>
          path.endsWith('/session') ? null : (one.kind as 'offline' | 'ack_lost');
    }
  }

  async #inWindow(one: Extract<Act, { window: number }>): Promise<void> {
    const window = this.#windows[one.window];
    if (one.kind === 'reopen') {
      window?.layer.close();
      if (one.waits) await rest();
      return this.open(one.window);
    }
    if (!window) return;
    const { session } = window;
    // Refused where its person is somebody else now, or may not write.
    const doing = (
      one.kind === 'write'
        ? session
            .write('w', [at(one.item, one.rule)], { raw_outcome: one.outcome })
            .then(({ written }) => written)
        : session.undo().then((undone) => (undone !== null && undone.cells.length > 0 ? 1 : 0))
    ).then(
      (written) => void (this.written += written),
      () => undefined,
    );
    if (one.waits) await doing;
    else this.#underWay.push(doing);
  }
}

it('I2 two people in one browser: what each wrote is sent once, by themselves, and both see the same', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 20 }), async (acts) => {
      const browser = new Browser();
      const {
        computer,
        computer: { upstream },
      } = browser;
      await browser.open(0);
      await browser.open(1);
      for (const one of acts) await browser.play(one);
      await browser.close();
      // Each comes back, and the first once more, since the other may have sent something after.
      for (const user of [...PEOPLE, PEOPLE[0]]) {
        browser.signIn(user, 'member');
        const { session, layer } = await computer.open(SHARED);
        await computer.synced(session);
        await computer.pass(60_000);
        for (const item of ITEMS)
          for (const rule of session.rules)
            expect([
              item,
              rule,
              session.state(session.rowOf(item), session.columnOf(rule)),
            ]).toEqual([item, rule, upstream.outcome(item, rule)]);
        expect(session.saveStatus).toMatchObject({ waiting: 0, blocked: 0, problem: null });
        layer.close();
        await rest();
      }
      expect(browser.wrong).toEqual([]);
      expect(upstream.log.filter(({ change }) => change.by.user !== 'u_agent')).toHaveLength(
        browser.written,
      );
    }),
    { numRuns: lengthOf(5, 1_500) },
  );
}, 400_000);
