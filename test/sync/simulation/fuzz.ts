/**
 * `npm run test:fuzz [runs]`: the simulation with a fresh seed, 100,000 runs unless told otherwise.
 * SEED=n repeats a campaign, MINUTES=n ends it early, BUG=name plants a bug. Exit 1 when a rule
 * does not hold.
 */
import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { BUGS } from './bugs.ts';
import { operations, play, smallest, written, wrong } from './campaign.ts';

const runs = Number(process.argv[2] ?? 100_000);
const seed = Number(process.env['SEED'] ?? randomInt(2 ** 31));
const minutes = Number(process.env['MINUTES'] ?? Infinity);
const bug = BUGS[process.env['BUG'] ?? ''];
const totals: Record<string, number> = {};
const began = performance.now();
let done = 0;
console.log(`${runs} runs, seed ${seed}`);
const details = await fc.check(
  fc.asyncProperty(operations(bug === undefined ? 20 : 1), async (ops) => {
    const { stats } = await play(ops, bug);
    totals['operations'] = (totals['operations'] ?? 0) + ops.length;
    for (const [what, count] of Object.entries(stats)) totals[what] = (totals[what] ?? 0) + count;
    done += 1;
    if (done <= runs && done % 5_000 === 0)
      console.log(`${done} runs, ${Math.round((performance.now() - began) / 1_000)} s`);
  }),
  {
    numRuns: runs,
    seed,
    ...(Number.isFinite(minutes) ? { interruptAfterTimeLimit: minutes * 60_000 } : {}),
  },
);
console.log(JSON.stringify(totals));
if (details.failed) {
  const ops = await smallest(details.counterexample?.[0] ?? [], bug);
  console.error(
    `Failed at run ${details.numRuns} of seed ${seed}: ${await wrong(ops, bug)}\n${written(ops)}`,
  );
  process.exit(1);
}
console.log(
  `Held for ${details.numRuns} runs of seed ${seed}, ${Math.round((performance.now() - began) / 1_000)} s`,
);
