/**
 * `npm run bench [name ...]`: measures, compares with a floor in the same run, writes these parts
 * of docs/benchmarks.md anew, exits 1 where a gate is missed.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import path from 'node:path';
import { buildIfNeeded } from '../../scripts/build.ts';
import { ROOT } from '../support/served.ts';
import { accountsBench } from './accounts.ts';
import { agentsBench } from './agents.ts';
import { editorBench } from './editor.ts';
import { evidenceBench } from './evidence.ts';
import type { Figure } from './figure.ts';
import { filesBench } from './files.ts';
import { gridBench } from './grid.ts';
import { fieldsBench } from './grid-fields.ts';
import { costsBench, desktopsBench, hostedBench, reconnectBench, stormBench } from './hosted.ts';
import { importBench } from './import.ts';
import { listsBench } from './lists.ts';
import { liveBench } from './live.ts';
import { loopBench } from './loop.ts';
import { requestsBench } from './requests.ts';
import { resultBench } from './result.ts';
import { resultsBench } from './results.ts';
import { roundsBench } from './rounds.ts';
import { suggestionQueueBench } from './suggestion-queue.ts';
import { suggestionsBench } from './suggestions.ts';
import { syncBench } from './sync.ts';

const BENCHES: Record<string, () => Promise<Figure[]>> = {
  evidence: evidenceBench,
  requests: requestsBench,
  result: resultBench,
  results: resultsBench,
  loop: loopBench,
  live: liveBench,
  editor: editorBench,
  grid: gridBench,
  fields: fieldsBench,
  files: filesBench,
  import: importBench,
  suggestions: suggestionsBench,
  queue: suggestionQueueBench,
  agents: agentsBench,
  rounds: roundsBench,
  sync: syncBench,
  hosted: hostedBench,
  desktops: desktopsBench,
  storm: stormBench,
  reconnect: reconnectBench,
  costs: costsBench,
  accounts: accountsBench,
  lists: listsBench,
};

function table(figures: readonly Figure[]): string {
  return [
    '| what | ours | floor in the same run | compared | gate | |',
    '|---|---|---|---|---|---|',
    ...figures.map(
      (f) =>
        `| ${f.what} | ${f.ours} | ${f.floor} | ${f.compared} | ${f.gate} | ${f.met ? 'met' : '**missed**'} |`,
    ),
  ].join('\n');
}

const PAGE = path.join(ROOT, 'docs/benchmarks.md');
const INTRODUCTION =
  '# Benchmarks\n\nWritten by `npm run bench`, each part when it was last run. ' +
  'Each figure stands beside a floor or peer measured in the same run on the same machine; ' +
  'the gate is on the comparison.';

/**
 * A part is a heading of the second order with all below it. `load`: of the machine as it began,
 * since others may work on it, too.
 */
async function writePart(name: string, figures: readonly Figure[], load: number): Promise<void> {
  const page = await readFile(PAGE, 'utf8').catch(() => '');
  const parts = new Map(
    page
      .split(/^## /m)
      .slice(1)
      .map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n')).trim()]),
  );
  const machine =
    `${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown processor'}, ` +
    `${Math.round(totalmem() / 2 ** 30)} GiB, no GPU, ${process.platform} ${process.arch}, ` +
    `Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}, load ${load.toFixed(1)}.`;
  parts.set(name, `${machine}\n\n${table(figures)}`);
  const written = Object.keys(BENCHES).flatMap((part) =>
    parts.has(part) ? [`## ${part}\n\n${parts.get(part)}`] : [],
  );
  await writeFile(PAGE, `${[INTRODUCTION, ...written].join('\n\n')}\n`);
}

const asked = process.argv.slice(2);
const names = asked.length > 0 ? asked : Object.keys(BENCHES);
await buildIfNeeded();
const figures: Figure[] = [];
for (const name of names) {
  const bench = BENCHES[name];
  if (bench === undefined)
    throw new Error(`There is no benchmark ${name}; there are ${Object.keys(BENCHES).join(', ')}.`);
  console.log(`${name} …`);
  const [load = 0] = loadavg();
  const found = await bench();
  figures.push(...found);
  console.log(table(found));
  await writePart(name, found, load);
}
const missed = figures.filter((figure) => !figure.met);
console.log(`${figures.length - missed.length} passed, ${missed.length} failed`);
process.exitCode = missed.length === 0 ? 0 : 1;
