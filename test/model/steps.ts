/** What happens to a store of a case, from a seed; and the play of it, against what the set of its changes means. */
import fc from 'fast-check';
import type { SealedChange } from '../../src/sync/change.ts';
import { type Intent, intent } from './peer.ts';

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

export const PEERS = 2;
const peer = fc.nat(PEERS - 1);
const write = fc.record({ do: fc.constant('write' as const), peer, intents: fc.array(intent, { minLength: 1, maxLength: 3 }), clock: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(2) }), reason: fc.boolean() });
const push = fc.record({ do: fc.constant('push' as const), peer, take: fc.nat(6), turn: fc.nat(3), again: fc.nat(2), portion: fc.integer({ min: 1, max: 4 }) });
const record = fc.record({ do: fc.constant('record' as const), intent });

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: write },
    { weight: 8, arbitrary: push },
    { weight: 4, arbitrary: record },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('pull' as const), peer, limit: fc.integer({ min: 1, max: 9 }) }) },
    { weight: 1, arbitrary: fc.constant({ do: 'reopen' as const }) },
    { weight: 1, arbitrary: fc.constant({ do: 'bootstrap' as const }) },
  ),
  { minLength: 1, maxLength: 40, size: 'max' },
);

/** Of a list, the part that a push step names: turned round so that children may come before their parents, some of it twice. */
export function portions<T>(list: readonly T[], { take, turn, again, portion }: { take: number; turn: number; again: number; portion: number }): T[][] {
  const some = list.slice(0, 1 + take);
  const at = some.length === 0 ? 0 : turn % some.length;
  const turned = [...some.slice(at), ...some.slice(0, at)];
  if (turn === 3) turned.reverse();
  const sent = [...turned, ...turned.slice(0, again)];
  return Array.from({ length: Math.ceil(sent.length / portion) }, (_, index) => sent.slice(index * portion, (index + 1) * portion));
}

/** Budget of a property: `MODEL_RUNS` says how many, `MODEL_SEED` and `MODEL_PATH` from where, and `MODEL_SHRINK=0` that the first failure is the answer. */
export function budget(runs: number): { numRuns: number; seed?: number; path?: string; endOnFailure: boolean } {
  const { MODEL_RUNS, MODEL_SEED, MODEL_PATH, MODEL_SHRINK } = process.env;
  return { numRuns: MODEL_RUNS === undefined ? runs : Number(MODEL_RUNS), endOnFailure: MODEL_SHRINK === '0', ...(MODEL_SEED === undefined ? {} : { seed: Number(MODEL_SEED) }), ...(MODEL_PATH === undefined ? {} : { path: MODEL_PATH }) };
}

export const wireOf = ({ id, text }: SealedChange): { id: string; change: string } => ({ id, change: text });
