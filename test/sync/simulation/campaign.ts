import fc from 'fast-check';
import { run } from './check.ts';
import { type Core, realCore } from './core.ts';
import { KINDS, type Op } from './operation.ts';
import { FAULTS, type Fault } from './traffic.ts';
import { World } from './world.ts';

/** A bug to plant: other functions of the core, other methods of the stores. */
export interface Bug {
  core?: (core: Core) => Partial<Core>;
  world?: (world: World) => void;
}

const anything = fc.record({
  t: fc.constantFrom(...KINDS),
  a: fc.nat(29),
  b: fc.nat(29),
  c: fc.nat(167),
  d: fc.nat(2 ** 20),
});

/** Late messages against a server restored from a backup: what random operations meet seldom. */
const MOVES = [
  ['write', 0],
  ['write', 0],
  ['write', 2],
  ['push', 0],
  ['push', 0],
  ['push', 0],
  ['push', 1],
  ['pull', 0],
  ['backup', 0],
  ['restore', 0],
  ['backup', 1],
  ['restore', 1],
  ['deliver', 0],
  ['deliver', 0],
] as const;
const DELAYS: readonly Fault[] = [
  'none',
  'none',
  'delay-request',
  'delay-response',
  'lost-response',
];
const racing = fc
  .record({
    move: fc.constantFrom(...MOVES),
    b: fc.nat(2),
    fault: fc.constantFrom(...DELAYS),
    d: fc.nat(2 ** 20),
  })
  .map(({ move: [t, a], b, fault, d }): Op => ({
    t,
    a,
    b,
    c: t === 'write' ? 1 : FAULTS.indexOf(fault),
    d: t === 'write' ? d : 0,
  }));

export const operations = (minLength: number): fc.Arbitrary<Op[]> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.array(anything, { minLength, maxLength: 100, size: 'max' }) },
    { weight: 1, arbitrary: fc.array(racing, { minLength, maxLength: 50, size: 'max' }) },
  );

export async function play(ops: readonly Op[], bug: Bug = {}): Promise<World> {
  const core = { ...realCore, ...bug.core?.(realCore) };
  return run(new World(core, bug.world), ops);
}

/** What goes wrong in a run, or null. */
export async function wrong(ops: readonly Op[], bug?: Bug): Promise<string | null> {
  try {
    await play(ops, bug);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What fast-check leaves of a counterexample, without every operation that is not needed. */
export async function smallest(ops: readonly Op[], bug?: Bug): Promise<Op[]> {
  let left = [...ops];
  for (let at = 0; at < left.length;) {
    const fewer = left.toSpliced(at, 1);
    if ((await wrong(fewer, bug)) === null) at += 1;
    else [left, at] = [fewer, 0];
  }
  return left;
}

export const written = (ops: readonly Op[]): string =>
  ops
    .map(
      ({ t, a, b, c, d }) =>
        `['${t}', ${a}, ${b}, ${t === 'push' || t === 'pull' ? `'${FAULTS[c % FAULTS.length]}'` : c}, ${d}]`,
    )
    .join(', ');
