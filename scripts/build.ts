import { spawn } from 'node:child_process';
import { glob, stat } from 'node:fs/promises';
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '..');
const OUTPUTS = ['out/main/index.js', 'out/preload/index.cjs', 'out/renderer/index.html'];
const INPUTS = ['src/**/*', 'package-lock.json', '*.config.ts', 'scripts/own-files.ts'];

async function changedAt(file: string): Promise<number | undefined> {
  return (await stat(path.join(ROOT, file)).catch(() => undefined))?.mtimeMs;
}

/** True when every output is newer than every input. */
async function isBuilt(): Promise<boolean> {
  const outputs = await Promise.all(OUTPUTS.map(changedAt));
  const oldest = Math.min(...outputs.map((time) => time ?? 0));
  if (oldest === 0) return false;
  for await (const file of glob(INPUTS, { cwd: ROOT }))
    if (((await changedAt(file)) ?? 0) > oldest) return false;
  return true;
}

/**
 * Builds main, preload and renderer into `out/` unless they are newer than their sources. Rejects
 * with the builder's last output; `stop` ends the builder.
 */
export async function buildIfNeeded(stop?: AbortSignal): Promise<void> {
  if (await isBuilt()) return;
  console.log('Building Evidence Studio …');
  const builder = spawn(
    process.execPath,
    [
      path.join(ROOT, 'node_modules/electron-vite/bin/electron-vite.js'),
      'build',
      '--logLevel',
      'warn',
    ],
    {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'pipe'],
      ...(stop === undefined ? {} : { signal: stop }),
    },
  );
  let words = '';
  builder.stderr.on('data', (chunk) => (words += chunk));
  const code = await new Promise((resolve) => {
    builder.on('error', (error) => (words += error.message));
    builder.on('close', resolve);
  });
  if (code !== 0 && stop?.aborted !== true)
    throw new Error(`The build failed: ${words.trim().slice(-2_000)}`);
}
