/**
 * `node scripts/tasks.ts PLAN`: the checks as child processes, side by side where they do not
 * disturb each other. Exit 1 if one fails.
 */
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
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
  package: ['test/package/short.ts'],
  electron: [...PLAYWRIGHT, '--project=electron*'],
} satisfies Record<string, readonly string[]>;
type Step = keyof typeof STEPS;

/** What a commit is held to in half a minute; the rest of lint finds what a merge leaves over. */
const QUICK: Step[] = ['format', 'oxlint'];
const LINT: Step[] = ['lock', ...QUICK, 'boundaries', 'names', 'unused'];
interface Stage {
  /** Side by side; the steps of a lane one after another. */
  lanes: Step[][];
  /** A lane beside them that takes only what they leave of the cores. */
  filler?: Step[];
}

const BUILD: Stage = { lanes: [['desktop', 'manual'], ['program']] };
/** The stages of a plan, one after another. */
const PLANS: ReadonlyMap<string, Stage[]> = new Map<string, Stage[]>([
  ['lint', [{ lanes: [LINT] }]],
  ['verify', [{ lanes: [['types', 'unit', 'boundaries', 'names'], QUICK] }]],
  ['test', [BUILD, { lanes: [['suites', 'browser']], filler: ['types', ...LINT, 'package'] }]],
  ['build', [BUILD]],
  ['electron', [{ lanes: [['electron']] }]],
]);

interface Outcome {
  step: Step;
  ok: boolean;
}

interface Manner {
  /** A step speaks for itself; else only if it fails. */
  speaks: boolean;
  isFiller: boolean;
}

async function run(step: Step, { speaks, isFiller }: Manner): Promise<Outcome> {
  const began = performance.now();
  const child = spawn(process.execPath, STEPS[step], {
    cwd: ROOT,
    stdio: ['ignore', speaks ? 'inherit' : 'pipe', speaks ? 'inherit' : 'pipe'],
  });
  if (isFiller && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  const words: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => words.push(String(chunk)));
  const ok = (await new Promise((resolve) => child.on('close', resolve))) === 0;
  if (!ok) console.log(words.join(''));
  console.log(`${ok ? '✓' : '✗'} ${step} ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  return { step, ok };
}

async function runLane(lane: readonly Step[], manner: Manner): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const step of lane) outcomes.push(await run(step, manner));
  return outcomes;
}

async function runStage({ lanes, filler = [] }: Stage): Promise<Outcome[]> {
  const speaks = lanes.length === 1;
  const outcomes = await Promise.all([
    ...lanes.map((lane) => runLane(lane, { speaks, isFiller: false })),
    runLane(filler, { speaks: false, isFiller: true }),
  ]);
  return outcomes.flat();
}

const name = process.argv[2] ?? '';
const plan = PLANS.get(name);
if (plan === undefined)
  throw new Error(`No such plan: ${name}. There is ${[...PLANS.keys()].join(', ')}.`);
if (name === 'electron') await buildIfNeeded();
const failed: Step[] = [];
for (const stage of plan)
  for (const { step, ok } of await runStage(stage)) if (!ok) failed.push(step);
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(', ')}`);
  process.exit(1);
}
