/**
 * What happens to a store of a case, from a seed; and the play of it, against what the set of its
 * changes means.
 */
import fc from 'fast-check';
import type { SealedChange } from '../../src/sync/change.ts';
import { seedOf } from '../support/length.ts';
import { GESTURES, type Gesture, type Intent, intent, ITEMS } from './peer.ts';

export type Step =
  | { do: 'write'; peer: number; intents: Intent[]; clock: number; reason: boolean }
  /** Some of what a peer has not sent, or of what it has: in any order, portion and repetition. */
  | { do: 'push'; peer: number; take: number; turn: number; again: number; portion: number }
  | { do: 'pull'; peer: number; limit: number }
  /** The store's own author, by its own way of writing. */
  | { do: 'record'; intent: Intent }
  /** Closed and opened again. */
  | { do: 'reopen' }
  /** Begun anew from a snapshot. */
  | { do: 'bootstrap' };

/** What is done to a store in batches, besides. */
export type BatchStep =
  | Step
  /**
   * A request with many items and outcomes at once: some known, some not, some twice, or none at
   * all.
   */
  | { do: 'request'; items: number[]; outcomes: { item: number; rule: number; value: number }[] }
  /** Everything that takes a list is asked with an empty one, and with names that nobody knows. */
  | { do: 'ask for nothing' };

export const PEERS = 2;
const peer = fc.nat(PEERS - 1);
const write = fc.record({
  do: fc.constant('write' as const),
  peer,
  intents: fc.array(intent, { minLength: 1, maxLength: 3 }),
  clock: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(2) }),
  reason: fc.boolean(),
});
const push = fc.record({
  do: fc.constant('push' as const),
  peer,
  take: fc.nat(6),
  turn: fc.nat(3),
  again: fc.nat(2),
  portion: fc.integer({ min: 1, max: 4 }),
});
const record = fc.record({ do: fc.constant('record' as const), intent });

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: write },
    { weight: 8, arbitrary: push },
    { weight: 4, arbitrary: record },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('pull' as const),
        peer,
        limit: fc.integer({ min: 1, max: 9 }),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ do: 'reopen' as const }) },
    { weight: 1, arbitrary: fc.constant({ do: 'bootstrap' as const }) },
  ),
  { minLength: 1, maxLength: 40, size: 'max' },
);

/** What is crooked and applied all the same. */
const WHOLE = [
  'foreign rule',
  'parent of nobody',
  'parent with NUL',
  'register twice',
  'old parent',
] as const;
/**
 * Gestures over all rows and columns alike, many to a change: what a person does with a block of
 * rows at once.
 */
const wide: fc.Arbitrary<Intent> = fc.record({
  gesture: fc.oneof(
    { weight: 12, arbitrary: fc.constant<Gesture>('set') },
    { weight: 6, arbitrary: fc.constantFrom<Gesture>('delete', 'undelete') },
    { weight: 5, arbitrary: fc.constantFrom(...GESTURES) },
    { weight: 1, arbitrary: fc.constant<Gesture>('case deletion') },
  ),
  item: fc.nat(ITEMS.length - 1),
  rule: fc.nat(2),
  value: fc.nat(7),
  crooked: fc.constantFrom(...WHOLE),
  pick: fc.nat(50),
});
const block = fc.record({
  do: fc.constant('write' as const),
  peer,
  intents: fc.array(wide, { minLength: 1, maxLength: 24, size: 'max' }),
  clock: fc.constantFrom(0, 0, 0, 1),
  reason: fc.boolean(),
});
/** Past its end nothing is there: unknown names. */
const someItem = fc.nat(ITEMS.length);
const request = fc.record({
  do: fc.constant('request' as const),
  items: fc.array(someItem, { maxLength: 4 }),
  outcomes: fc.oneof(
    {
      weight: 3,
      arbitrary: fc.array(fc.record({ item: someItem, rule: fc.nat(2), value: fc.nat(7) }), {
        maxLength: 12,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.array(fc.record({ item: fc.nat(1), rule: fc.constant(3), value: fc.nat(7) }), {
        maxLength: 3,
      }),
    },
  ),
});

/**
 * Batches: several long changes in one transaction, again and again over the same rows and columns.
 */
export const batches: fc.Arbitrary<BatchStep[]> = fc.array(
  fc.oneof(
    { weight: 10, arbitrary: block },
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constant('push' as const),
        peer,
        take: fc.constant(20),
        turn: fc.nat(3),
        again: fc.nat(2),
        portion: fc.integer({ min: 2, max: 20 }),
      }),
    },
    { weight: 4, arbitrary: request },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('pull' as const), peer, limit: fc.constant(100) }),
    },
    { weight: 1, arbitrary: fc.constant({ do: 'ask for nothing' as const }) },
    { weight: 1, arbitrary: fc.constant({ do: 'bootstrap' as const }) },
  ),
  { minLength: 4, maxLength: 24, size: 'max' },
);

/**
 * Of a list, the part that a push step names: turned round so that children may come before their
 * parents, some of it twice.
 */
export function portions<T>(
  list: readonly T[],
  { take, turn, again, portion }: { take: number; turn: number; again: number; portion: number },
): T[][] {
  const some = list.slice(0, 1 + take);
  const at = some.length === 0 ? 0 : turn % some.length;
  const turned = [...some.slice(at), ...some.slice(0, at)];
  if (turn === 3) turned.reverse();
  const sent = [...turned, ...turned.slice(0, again)];
  return Array.from({ length: Math.ceil(sent.length / portion) }, (_, index) =>
    sent.slice(index * portion, (index + 1) * portion),
  );
}

/**
 * Budget of a property. `MODEL_MINUTES` (or `MODEL_RUNS`) says how long and from a fresh seed,
 * `MODEL_SEED` and `MODEL_PATH` from where, and `MODEL_SHRINK=0` that the first failure is the
 * answer.
 */
export function budget(runs: number, fixed?: number): fc.Parameters<unknown> {
  const { MODEL_RUNS, MODEL_MINUTES, MODEL_SEED, MODEL_PATH, MODEL_SHRINK } = process.env;
  const long =
    MODEL_MINUTES === undefined
      ? {}
      : {
          numRuns: 1_000_000_000,
          interruptAfterTimeLimit: Number(MODEL_MINUTES) * 60_000,
          markInterruptAsFailure: false,
        };
  const seed =
    MODEL_SEED !== undefined
      ? Number(MODEL_SEED)
      : isLongRun()
        ? Date.now() % 2 ** 31
        : seedOf(fixed);
  return {
    numRuns: MODEL_RUNS === undefined ? runs : Number(MODEL_RUNS),
    ...long,
    seed,
    endOnFailure: MODEL_SHRINK === '0',
    ...(MODEL_PATH === undefined ? {} : { path: MODEL_PATH }),
  };
}

export const isLongRun = (): boolean =>
  process.env.MODEL_RUNS !== undefined || process.env.MODEL_MINUTES !== undefined;

export const wireOf = ({ id, text }: SealedChange): { id: string; change: string } => ({
  id,
  change: text,
});
