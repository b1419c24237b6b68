import fc from 'fast-check';
import { PLACES } from './cast.ts';
import { audit, check, quiesce } from './check.ts';
import {
  type Act,
  carryOut,
  commit,
  decide,
  end,
  nameDocument,
  open,
  record,
  recordInLayer,
  settle,
  suggest,
  undo,
} from './commands.ts';
import { type LayersCore, realCore } from './core.ts';
import { say, sayUnderAName } from './discussing.ts';
import { attack } from './hostile.ts';
import { move, WHEN_APPROVED } from './signing.ts';
import type { Store } from './store.ts';
import { type Mishap, World } from './world.ts';

/** A bug to plant: other functions of the core, other methods of the stores. */
export interface Bug {
  core?: (core: LayersCore) => Partial<LayersCore>;
  world?: (world: World) => void;
}

/** What can happen; the more often a kind is listed, the more often it is drawn. */
export const KINDS = [
  'record',
  'suggest',
  'suggest',
  'suggest',
  'decide',
  'decide',
  'preview',
  'carry out',
  'undo',
  'document',
  'open',
  'layer',
  'layer',
  'layer',
  'commit',
  'commit',
  'end',
  'settle',
  'settle',
  'attack',
  'attack',
  'say',
  'say',
  'say under a name',
  'move',
  'exchange',
  'exchange',
  'exchange',
  'exchange',
  'exchange',
  'exchange',
  'deliver',
  'backup',
  'backup',
  'restore',
  'restore',
  'downgraded',
  'upgrade',
] as const;
export interface LayerOp {
  t: (typeof KINDS)[number];
  a: number;
  b: number;
  c: number;
}
const MISHAPS: readonly Mishap[] = [
  'none',
  'none',
  'none',
  'none',
  'answer lost',
  'answer late',
  'half of it',
];

const COMMANDS: Partial<Record<LayerOp['t'], (world: World, act: Act) => void>> = {
  record,
  suggest,
  decide,
  'carry out': carryOut,
  undo,
  document: nameDocument,
  open,
  layer: recordInLayer,
  commit,
  end,
  settle,
  attack,
  say,
  'say under a name': sayUnderAName,
  move,
};

export function step(world: World, { t, a, b, c }: LayerOp): void {
  const place = PLACES[a % PLACES.length] as (typeof PLACES)[number];
  const at = world.stores.get(place.name) as Store;
  const any = world.all()[a % world.all().length] as Store;
  const by = place.authors[b % place.authors.length] as Act['by'];
  const locked = WHEN_APPROVED[t];
  const command = locked !== undefined && world.isLocked(at) ? locked : COMMANDS[t];
  if (command !== undefined) return command(world, { at, by, b, c });
  switch (t) {
    case 'preview':
      return void world.previews.set(
        at,
        at.suggestions().flatMap(({ name, state }) => (state === 'open' ? [name] : [])),
      );
    case 'exchange':
      return world.exchange(at, 1 + (b % 9) ** 2, MISHAPS[c % MISHAPS.length], b);
    case 'deliver':
      return world.deliver(b);
    case 'backup':
      return world.backup(any);
    case 'restore':
      return world.restore(any);
    case 'upgrade':
      return world.upgrade(any);
    default:
  }
}

export function play(ops: readonly LayerOp[], bug: Bug = {}): World {
  const world = new World({ ...realCore, ...bug.core?.(realCore) }, bug.world);
  // What happens to an older program is decided before anything is written.
  for (const { t, a } of ops)
    if (t === 'downgraded') (world.all()[a % world.all().length] as Store).schema = 3;
  for (const op of ops) {
    step(world, op);
    audit(world);
  }
  quiesce(world);
  check(world);
  return world;
}

const anything = fc.record({
  t: fc.constantFrom(...KINDS),
  a: fc.nat(41),
  b: fc.nat(59),
  c: fc.nat(419),
});
/** A round: recorded in, committed to, exchanged, settled, with whatever comes between. */
const during = (kinds: readonly LayerOp['t'][]): fc.Arbitrary<LayerOp> =>
  fc.record({
    t: fc.constantFrom(...kinds),
    a: fc.constantFrom(0, 0, 1, 1, 2, 3, 4, 5),
    b: fc.nat(59),
    c: fc.nat(419),
  });
const RECORDING: readonly LayerOp['t'][] = [
  ...Array.from({ length: 8 }, () => 'layer' as const),
  'exchange',
  'exchange',
  'commit',
  'attack',
  'end',
];
const AFTERWARDS: readonly LayerOp['t'][] = [
  'layer',
  'commit',
  'exchange',
  'exchange',
  'settle',
  'settle',
  'settle',
  'attack',
  'end',
  'undo',
];
/** Everybody exchanges, the owner's studio first and last. */
const exchanged = (): LayerOp[] =>
  [2, 0, 1, 3, 4, 5, 2].map((a) => ({ t: 'exchange', a, b: 8, c: 0 }));
/** Two or three of the recorders say that they are done. */
const committed = (b: number, c: number): LayerOp[] =>
  [0, 0, 1, 4].map((a, place) => ({ t: 'commit', a, b: b + place, c: c * (place + 1) }));
const aroundARound = fc
  .record({
    b: fc.nat(59),
    c: fc.nat(419),
    before: fc.array(during(RECORDING), { minLength: 6, maxLength: 30, size: 'max' }),
    after: fc.array(during(AFTERWARDS), { minLength: 4, maxLength: 25, size: 'max' }),
  })
  .map(({ b, c, before, after }): LayerOp[] => [
    { t: 'open', a: 2, b, c },
    ...exchanged(),
    ...before,
    ...committed(b, c),
    ...exchanged(),
    ...after,
  ]);

const ABOUT_SUGGESTIONS: readonly LayerOp['t'][] = [
  'suggest',
  'suggest',
  'suggest',
  'record',
  'record',
  'record',
  'decide',
  'decide',
  'preview',
  'preview',
  'carry out',
  'carry out',
  'undo',
  'undo',
  'document',
  'attack',
  'exchange',
  'exchange',
  'exchange',
  'exchange',
];
const DISCUSSING: readonly LayerOp['t'][] = [
  ...Array.from({ length: 8 }, () => 'say' as const),
  'say under a name',
  'say under a name',
  'exchange',
  'exchange',
  'exchange',
  'exchange',
  'backup',
  'restore',
];
const aroundAThread = fc
  .array(during(DISCUSSING), { minLength: 10, maxLength: 40, size: 'max' })
  .map((ops): LayerOp[] => [...ops.slice(0, 6), ...exchanged(), ...ops.slice(6)]);

/** Stages, with work offline, restores and a round in between. */
const SIGNING: readonly LayerOp['t'][] = [
  ...Array.from({ length: 6 }, () => 'move' as const),
  'record',
  'record',
  'record',
  'decide',
  'undo',
  'layer',
  'settle',
  'exchange',
  'exchange',
  'exchange',
  'backup',
  'restore',
  'upgrade',
];
const aroundAnApproval = fc
  .record({
    b: fc.nat(59),
    c: fc.nat(419),
    before: fc.array(during(SIGNING), { minLength: 8, maxLength: 30, size: 'max' }),
    after: fc.array(during(SIGNING), { minLength: 4, maxLength: 25, size: 'max' }),
  })
  .map(({ b, c, before, after }): LayerOp[] => [
    { t: 'open', a: 2, b, c },
    ...exchanged(),
    ...before,
    ...exchanged(),
    ...after,
  ]);

const aroundSuggestions = fc
  .array(during(ABOUT_SUGGESTIONS), { minLength: 10, maxLength: 60, size: 'max' })
  .map((ops): LayerOp[] => [...ops.slice(0, 10), ...exchanged(), ...ops.slice(10)]);

export const operations = (minLength: number): fc.Arbitrary<LayerOp[]> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.array(anything, { minLength, maxLength: 80, size: 'max' }) },
    { weight: 3, arbitrary: aroundARound },
    { weight: 4, arbitrary: aroundSuggestions },
    { weight: 1, arbitrary: aroundAThread },
    { weight: 2, arbitrary: aroundAnApproval },
  );

/** What goes wrong in a run, or null. */
export function wrong(ops: readonly LayerOp[], bug?: Bug): string | null {
  try {
    play(ops, bug);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export const written = (ops: readonly LayerOp[]): string =>
  ops.map(({ t, a, b, c }) => `['${t}', ${a}, ${b}, ${c}]`).join(', ');

/** What fast-check leaves of a counterexample, without every operation that is not needed. */
export function smallest(ops: readonly LayerOp[], bug?: Bug): LayerOp[] {
  let left = [...ops];
  for (let at = 0; at < left.length;) {
    const fewer = left.toSpliced(at, 1);
    if (wrong(fewer, bug) === null) at += 1;
    else [left, at] = [fewer, 0];
  }
  return left;
}
