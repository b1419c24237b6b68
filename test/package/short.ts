/**
 * `node test/package/short.ts`: the server's package proves itself, in seconds and on every
 * machine: it is made, installed without a network, and started beside nothing of this repository.
 * The desktop's is proved by `prove.ts`.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PACKAGES = path.join(ROOT, 'dist/packages');
const Manifest = z.object({ version: z.string() });
const { version } = Manifest.parse(
  JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')),
);
const Discovery = z.object({ url: z.string() });

execFileSync(process.execPath, ['packaging/package.ts', 'npm'], { cwd: ROOT, stdio: 'pipe' });
const name = `evidence-studio-${version}.tgz`;
const tarball = path.join(PACKAGES, name);
const hash = createHash('sha256').update(readFileSync(tarball)).digest('hex');
assert(readFileSync(path.join(PACKAGES, 'SHA256SUMS'), 'utf8').includes(`${hash}  ${name}\n`));

const folder = mkdtempSync(path.join(tmpdir(), 'package-'));
const data = path.join(folder, 'data');
const installed = path.join(folder, 'node_modules/evidence-studio');
const program = path.join(installed, 'bin/evidence-studio.js');
const env = { PATH: process.env.PATH ?? '', HOME: folder, EVIDENCE_STUDIO_PORT: '0' };
const npm = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball];
try {
  execFileSync('npm', npm, { cwd: folder, stdio: 'pipe', env });
  for (const part of ['LICENCES.txt', 'sbom.cdx.json'])
    assert(existsSync(path.join(installed, 'parts', part)), part);
  assert.deepEqual(globSync('**/*.map', { cwd: installed }), []);
  assert(!existsSync(path.join(installed, 'node_modules')));
  const server = spawn(process.execPath, [program, 'serve', '--data', data], { cwd: folder, env });
  const ended = new Promise((resolve) => server.on('exit', resolve));
  try {
    const file = path.join(data, 'server.json');
    for (let tries = 0; !existsSync(file); tries += 1) {
      assert(tries < 300 && server.exitCode === null, 'it does not start');
      await delay(100);
    }
    const { url } = Discovery.parse(JSON.parse(readFileSync(file, 'utf8')));
    const status = async (page: string): Promise<number> => (await fetch(`${url}${page}`)).status;
    assert.equal(await status('/healthz'), 200);
    assert.equal(await status('/studio'), 401);
    assert.equal(await status('/manual/index.html'), 200);
    const identity = await (await fetch(`${url}/.well-known/evidence-studio`)).json();
    assert.equal(Manifest.parse(identity).version, version);
  } finally {
    server.kill('SIGTERM');
  }
  assert.equal(await ended, 0);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${name}: made, installed without a network, started, ended.`);
