import fc from 'fast-check';
import { expect, it } from 'vitest';
import { at, Computer, fillDevice, rest, turns } from './support/windows.ts';
import { lengthOf } from '../../support/length.ts';

const ITEMS = ['a', 'b', 'c'];
const SHARED = { shared: true, hints: true };
const outcome = fc.constantFrom('TRUE', 'FALSE', 'NA', null);
const act = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      window: fc.nat(1),
      item: fc.constantFrom(...ITEMS),
      rule: fc.nat(2),
      outcome,
      wait: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('remote' as const),
      item: fc.constantFrom(...ITEMS),
      rule: fc.nat(2),
      outcome,
      hint: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('full' as const, 'room' as const) }),
  },
  // The next act comes in the middle of what those before have begun.
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('turns' as const), turns: fc.nat(20) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('undo' as const),
      window: fc.nat(1),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('reopen' as const),
      window: fc.nat(1),
      rests: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'pass' as const,
        'offline' as const,
        'ack_lost' as const,
        'online' as const,
      ),
    }),
  },
);

let makeRoom = (): void => undefined;

type Window = Awaited<ReturnType<Computer['open']>>;

it('two windows on one store end with what the server has, whoever leads, whenever one goes or the device is full', async () => {
  await fc.assert(
    fc
      .asyncProperty(fc.array(act, { minLength: 1, maxLength: 20 }), async (acts) => {
        const computer = new Computer(3, ITEMS);
        const windows: (Window | null)[] = [
          await computer.open(SHARED),
          await computer.open(SHARED),
        ];
        let written = 0;
        const pending: Promise<unknown>[] = [];
        /** What is refused because the device is full is nowhere, and counts nothing. */
        const counting = (act: Promise<number>): Promise<void> =>
          act.then(
            (count) => void (written += count),
            () => undefined,
          );
        for (const one of acts) {
          computer.time += 5;
          if (one.kind === 'write') {
            const writing = windows[one.window]?.session
              .write('w', [at(one.item, one.rule)], { raw_outcome: one.outcome })
              .then((result) => result.written);
            if (writing === undefined) continue;
            if (one.wait) await counting(writing);
            else pending.push(counting(writing));
          } else if (one.kind === 'remote') {
            computer.upstream.writeCell(one.item, at('', one.rule).rule, one.outcome);
            if (one.hint) computer.hint(computer.upstream.log.length);
          } else if (one.kind === 'turns') await turns(one.turns);
          else if (one.kind === 'full' || one.kind === 'room') {
            makeRoom();
            makeRoom = one.kind === 'full' ? fillDevice() : () => undefined;
          } else if (one.kind === 'undo') {
            const undoing = windows[one.window]?.session
              .undo()
              .then((undone) => (undone !== null && undone.cells.length > 0 ? 1 : 0));
            if (undoing !== undefined) await counting(undoing);
          } else if (one.kind === 'reopen') {
            windows[one.window]?.layer.close();
            if (one.rests) await rest();
            windows[one.window] = await computer.open(SHARED).catch(() => null);
          } else if (one.kind === 'pass') await computer.pass(2_500);
          else
            computer.upstream.fault = (_, path) =>
              one.kind === 'online' || path.endsWith('/session')
                ? null
                : (one.kind as 'offline' | 'ack_lost');
        }
        makeRoom();
        await Promise.all(pending);
        computer.upstream.fault = () => null;
        const open = await Promise.all(
          windows.map(async (window) => window ?? computer.open(SHARED)),
        );
        // A device that was full is asked from time to time.
        await computer.pass(10_000);
        for (const { session } of open) await computer.synced(session);
        const inStep = (): boolean =>
          open.every(({ session }) =>
            ITEMS.every((item) =>
              session.rules.every(
                (rule) =>
                  session.state(session.rowOf(item), session.columnOf(rule)) ===
                  computer.upstream.outcome(item, rule),
              ),
            ),
          );
        // Windows tell each other over a real channel, which takes its own time on a busy machine.
        for (let tries = 0; tries < 20 && (tries === 0 || !inStep()); tries += 1)
          await computer.pass(10_000);
        // Nothing that was written in any window is missing on the server, and nothing is there
        // twice.
        expect(
          computer.upstream.log.filter(({ change }) => change.by.user === 'u_me'),
        ).toHaveLength(written);
        for (const { session } of open) {
          for (const item of ITEMS)
            for (const rule of session.rules) {
              expect([
                item,
                rule,
                session.state(session.rowOf(item), session.columnOf(rule)),
              ]).toEqual([item, rule, computer.upstream.outcome(item, rule)]);
              const values = new Set(
                computer.upstream.cell(item, rule).map((head) => JSON.stringify(head.value)),
              );
              expect(session.contested(session.rowOf(item), session.columnOf(rule))).toBe(
                values.size > 1,
              );
            }
          expect(session.saveStatus).toMatchObject({ waiting: 0, problem: null });
        }
        for (const { layer } of open) layer.close();
        await rest();
      })
      .afterEach(() => {
        makeRoom();
        makeRoom = () => undefined;
      }),
    { numRuns: lengthOf(5, 2_000) },
  );
}, 400_000);
