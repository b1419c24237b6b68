import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  lutimesSync,
  readdirSync,
  readFileSync,
} from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

export const ROOT = path.resolve(import.meta.dirname, '..');
/** Everything that packaging writes. */
export const DIST = path.join(ROOT, 'dist');
export const PACKAGES = path.join(DIST, 'packages');
/** Licences and SBOM, which every form carries. */
export const PARTS = path.join(DIST, 'parts');

const Manifest = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  license: z.string(),
  engines: z.object({ node: z.string() }),
  devDependencies: z.object({ electron: z.string(), node: z.string() }),
});
export const MANIFEST = Manifest.parse(
  JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')),
);
export const MAINTAINER = 'Evidence Studio contributors <maintainers@evidence-studio.invalid>';

function lastCommit(): string {
  return execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: ROOT, encoding: 'utf8' });
}

/**
 * Seconds since 1970 that every file of a package is dated with: the last commit's, if not said.
 */
export const EPOCH = Number(process.env.SOURCE_DATE_EPOCH ?? lastCommit());

/** Runs a tool; the end of its output is shown only where it fails. */
export function run(
  tool: string,
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): string {
  const { status, stdout, stderr, error } = spawnSync(tool, args, {
    cwd: options.cwd ?? ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, SOURCE_DATE_EPOCH: String(EPOCH), LC_ALL: 'C', ...options.env },
  });
  if (status !== 0)
    throw new Error(
      `${path.basename(tool)} ${path.basename(args[0] ?? '')} failed: ${error?.message ?? `${stdout}${stderr}`.slice(-2_000)}`,
    );
  return stdout;
}

export function hasTool(name: string): boolean {
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .some((folder) => existsSync(path.join(folder, name)));
}

/** Copies a folder without what is only for developers. */
export function copyBuild(from: string, to: string): void {
  cpSync(from, to, {
    recursive: true,
    filter: (file) => !file.endsWith('.map') && path.basename(file) !== 'built-from.json',
  });
}

/** Every file and folder below, names in one order on every system; the folder itself last. */
export function everything(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  return [...names.map((name) => path.join(folder, name)), folder];
}

/**
 * Modes and times that do not depend on who packs, and when. What may be executed stays so; a
 * setuid bit is kept.
 */
export function settle(folder: string): void {
  for (const file of everything(folder)) {
    const facts = lstatSync(file);
    if (!facts.isSymbolicLink()) {
      const open = facts.isDirectory() || (facts.mode & 0o100) !== 0 ? 0o755 : 0o644;
      chmodSync(file, open | (facts.mode & 0o4000));
    }
    lutimesSync(file, EPOCH, EPOCH);
  }
}

/** A tar.gz of one folder, the same bytes for the same files. */
export function archive(folder: string, file: string): void {
  const tar = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--format=gnu'];
  run('tar', [
    ...tar,
    `--mtime=@${EPOCH}`,
    '--use-compress-program=gzip -n -9',
    '-cf',
    file,
    '-C',
    path.dirname(folder),
    path.basename(folder),
  ]);
}
