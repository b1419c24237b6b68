/**
 * `node scripts/tasks.ts PLAN`: the checks as child processes, side by side where they do not
 * disturb each other. Exit 1 if one fails.
 */
import { spawn } from 'node:child_process';
import { BUILDERS, buildIfNeeded, ROOT } from './build.ts';

const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=default', '--reporter=json'];
const PLAYWRIGHT = ['node_modules/@playwright/test/cli.js', 'test'];

/** Name -> arguments for Node. */
const STEPS = {
  // One checker a project: more check the same declarations again, on the same cores.
  types: ['node_modules/typescript/bin/tsc', '-b', '--checkers', '1'],
  format: ['node_modules/oxfmt/bin/oxfmt', '--check'],
  oxlint: ['node_modules/oxlint/bin/oxlint'],
  boundaries: ['scripts/check-boundaries.ts'],
  names: ['scripts/check-names.ts'],
  lock: ['scripts/check-lock.ts'],
  unused: ['node_modules/knip/bin/knip.js', '--no-progress', '--no-config-hints'],
  unit: [...VITEST, '--project=unit', '--outputFile.json=test-results/unit.json'],
  suites: [...VITEST, '--outputFile.json=test-results/vitest.json'],
  ...BUILDERS,
  browser: [...PLAYWRIGHT, '--project=browser'],
  electron: [...PLAYWRIGHT, '--project=electron*'],
} satisfies Record<string, readonly string[]>;
type Step = keyof typeof STEPS;

/** What a commit is held to in half a minute; the rest of lint finds what a merge leaves over. */
const QUICK: Step[] = ['format', 'oxlint'];
const LINT: Step[] = ['lock', ...QUICK, 'boundaries', 'names', 'unused'];
/**
 * Stages one after another; the lanes of a stage side by side; the steps of a lane one after
 * another.
 */
const PLANS: ReadonlyMap<string, Step[][][]> = new Map<string, Step[][][]>([
  ['lint', [[LINT]]],
  ['verify', [[['types', 'unit', 'boundaries', 'names'], QUICK]]],
  ['test', [[['types', 'desktop', 'program'], LINT], [['suites']], [['browser']]]],
  ['build', [[['desktop'], ['program']]]],
  ['electron', [[['electron']]]],
]);

interface Outcome {
  step: Step;
  ok: boolean;
}

/** Alone a step speaks for itself; beside others it is silent unless it fails. */
async function run(step: Step, alone: boolean): Promise<Outcome> {
  const began = performance.now();
  const child = spawn(process.execPath, STEPS[step], {
    cwd: ROOT,
    stdio: ['ignore', alone ? 'inherit' : 'pipe', alone ? 'inherit' : 'pipe'],
  });
  const words: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => words.push(String(chunk)));
  const ok = (await new Promise((resolve) => child.on('close', resolve))) === 0;
  if (!ok) console.log(words.join(''));
  console.log(`${ok ? '✓' : '✗'} ${step} ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  return { step, ok };
}

async function runLane(lane: readonly Step[], alone: boolean): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const step of lane) outcomes.push(await run(step, alone));
  return outcomes;
}

const name = process.argv[2] ?? '';
const plan = PLANS.get(name);
if (plan === undefined)
  throw new Error(`No such plan: ${name}. There is ${[...PLANS.keys()].join(', ')}.`);
if (name === 'electron') await buildIfNeeded();
const failed: Step[] = [];
for (const stage of plan) {
  const outcomes = await Promise.all(stage.map((lane) => runLane(lane, stage.length === 1)));
  failed.push(
    ...outcomes
      .flat()
      .filter(({ ok }) => !ok)
      .map(({ step }) => step),
  );
}
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(', ')}`);
  process.exit(1);
}
