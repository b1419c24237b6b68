import { spawn } from 'node:child_process';
import { glob, stat } from 'node:fs/promises';
import path from 'node:path';
import { isCurrent } from '../bin/load.js';

export const ROOT = path.resolve(import.meta.dirname, '..');
/** What makes `out/`, side by side: the desktop with its pages, and the program of `bin`. */
export const BUILDERS = {
  desktop: ['node_modules/electron-vite/bin/electron-vite.js', 'build', '--logLevel', 'warn'],
  manual: ['scripts/manual/manual.ts'],
  program: [
    'node_modules/vite/bin/vite.js',
    'build',
    '-c',
    'vite.server.config.ts',
    '--logLevel',
    'warn',
  ],
} as const;
/** One after another: the manual is among the pages, and these are made from nothing. */
const LANES = [['desktop', 'manual'], ['program']] as const;
const OUTPUTS = [
  'out/main/index.js',
  'out/preload/index.cjs',
  'out/renderer/index.html',
  'out/renderer/manual/index.html',
];
const INPUTS = [
  'src/**/*',
  'docs/**/*',
  '*.md',
  'package-lock.json',
  '*.config.ts',
  'scripts/own-files.ts',
  'scripts/manual/*',
];

async function changedAt(file: string): Promise<number | undefined> {
  return (await stat(path.join(ROOT, file)).catch(() => undefined))?.mtimeMs;
}

/** True when the program is of these files, and every other output newer than every input. */
async function isBuilt(): Promise<boolean> {
  if (!isCurrent()) return false;
  const outputs = await Promise.all(OUTPUTS.map(changedAt));
  const oldest = Math.min(...outputs.map((time) => time ?? 0));
  if (oldest === 0) return false;
  for await (const file of glob(INPUTS, { cwd: ROOT }))
    if (((await changedAt(file)) ?? 0) > oldest) return false;
  return true;
}

async function build(args: readonly string[], stop: AbortSignal | undefined): Promise<void> {
  const builder = spawn(process.execPath, args, {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(stop === undefined ? {} : { signal: stop }),
  });
  let words = '';
  builder.stderr.on('data', (chunk) => (words += chunk));
  const code = await new Promise((resolve) => {
    builder.on('error', (error) => (words += error.message));
    builder.on('close', resolve);
  });
  if (code !== 0 && stop?.aborted !== true)
    throw new Error(`The build failed: ${words.trim().slice(-2_000)}`);
}

/**
 * Builds all of `out/` unless it is newer than its sources. Rejects with a builder's last output;
 * `stop` ends the builders.
 */
export async function buildIfNeeded(stop?: AbortSignal): Promise<void> {
  if (await isBuilt()) return;
  console.log('Building Evidence Studio …');
  await Promise.all(
    LANES.map(async (lane) => {
      for (const name of lane) await build(BUILDERS[name], stop);
    }),
  );
}
