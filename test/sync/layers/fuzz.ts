/**
 * `node test/sync/layers/fuzz.ts [runs]`: the simulation of layers with a fresh seed. SEED=n
 * repeats a campaign, MINUTES=n ends it early, BUG=name plants a bug. Exit 1 when a rule does not
 * hold.
 */
import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { BUGS } from './bugs.ts';
import { operations, play, smallest, written, wrong } from './campaign.ts';

const runs = Number(process.argv[2] ?? 10_000);
const seed = Number(process.env['SEED'] ?? randomInt(2 ** 31));
const minutes = Number(process.env['MINUTES'] ?? Infinity);
const bug = BUGS[process.env['BUG'] ?? ''];
const totals: Record<string, number> = {};
const began = performance.now();
console.log(`${runs} runs, seed ${seed}`);
const details = fc.check(
  fc.property(operations(20), (ops) => {
    for (const [what, count] of Object.entries(play(ops, bug).stats))
      totals[what] = (totals[what] ?? 0) + count;
  }),
  {
    numRuns: runs,
    seed,
    endOnFailure: true,
    ...(Number.isFinite(minutes) ? { interruptAfterTimeLimit: minutes * 60_000 } : {}),
  },
);
const seconds = Math.round((performance.now() - began) / 1_000);
console.log(JSON.stringify(totals));
if (details.failed) {
  const ops = smallest(details.counterexample?.[0] ?? [], bug);
  console.error(
    `Failed at run ${details.numRuns} of seed ${seed}: ${wrong(ops, bug)}\n${written(ops)}`,
  );
  process.exit(1);
}
console.log(`Held for ${details.numRuns} runs of seed ${seed}, ${seconds} s`);
