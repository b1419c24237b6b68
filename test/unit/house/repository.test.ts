import { execFile, execFileSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasTool } from '../../../packaging/project.ts';
import { makeRepository } from '../../../packaging/repository.ts';
import { IS_LONG } from '../../support/length.ts';

const isDebian = ['apt-get', 'apt-ftparchive', 'dpkg-deb', 'gpg'].every(hasTool);

// Tools of Debian, and an apt whose every file is in a folder that is thrown away.
describe.skipIf(!IS_LONG || !isDebian)('a repository of our own', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'repository-'));
  const below = (...names: string[]): string => path.join(folder, ...names);
  const env = { GNUPGHOME: below('gnupg') };
  const target = below('web');
  const list = below('web/deb/dists/stable/InRelease');
  const server = http.createServer((request, response) => {
    const file = path.join(target, new URL(request.url ?? '/', 'http://x').pathname);
    if (!file.startsWith(target) || !existsSync(file)) response.writeHead(404).end();
    else response.end(readFileSync(file));
  });
  let options: string[] = [];

  /** apt with a root of its own: nothing of this machine is read or changed. */
  const apt = (...words: string[]): Promise<{ status: number; text: string }> =>
    new Promise((resolve) =>
      execFile('apt-get', [...options, ...words], { cwd: below('taken') }, (error, out, err) =>
        resolve({ status: error === null ? 0 : 1, text: `${out}${err}` }),
      ),
    );
  function makeDeb(version: string): void {
    const tree = below('tree', version);
    mkdirSync(path.join(tree, 'DEBIAN'), { recursive: true });
    writeFileSync(
      path.join(tree, 'DEBIAN/control'),
      `Package: evidence-studio\nVersion: ${version}\nArchitecture: amd64\nMaintainer: x <x@x.invalid>\nDescription: x\n`,
    );
    execFileSync('dpkg-deb', [
      '--build',
      tree,
      below('packages', `evidence-studio_${version}_amd64.deb`),
    ]);
  }
  const make = () =>
    makeRepository({ key: 'publisher@example.invalid', folder: below('packages'), target, env });

  beforeAll(async () => {
    for (const name of [
      'packages',
      'web',
      'taken',
      'apt/lists/partial',
      'apt/cache/archives/partial',
    ])
      mkdirSync(below(name), { recursive: true });
    mkdirSync(env.GNUPGHOME, { mode: 0o700 });
    execFileSync(
      'gpg',
      ['--batch', '--passphrase', '', '--quick-gen-key', 'publisher@example.invalid', 'ed25519'],
      { env: { ...process.env, ...env }, stdio: 'ignore' },
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    makeDeb('0.3.0');
    expect(make()).toContain('deb');
    const { port } = server.address() as AddressInfo;
    const key = below('web/evidence-studio.asc');
    copyFileSync(key, below('apt/key.asc'));
    writeFileSync(
      below('apt/sources.list'),
      `deb [arch=amd64 signed-by=${below('apt/key.asc')}] http://127.0.0.1:${port}/deb stable main\n`,
    );
    writeFileSync(below('apt/status'), '');
    const settings = {
      'Dir::Etc::SourceList': below('apt/sources.list'),
      'Dir::Etc::SourceParts': '/dev/null',
      'Dir::State::Lists': below('apt/lists'),
      'Dir::State::Status': below('apt/status'),
      'Dir::Cache': below('apt/cache'),
      'Dir::Log': below('apt'),
      'APT::Architecture': 'amd64',
      'APT::Sandbox::User': 'root',
      'Acquire::Retries': '0',
      'Acquire::http::Proxy::127.0.0.1': 'DIRECT',
    };
    options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is believed by its key, and brings a newer version', async () => {
    const updated = await apt('update', '-o', 'APT::Update::Error-Mode=any');
    expect(updated.status, updated.text).toBe(0);
    expect((await apt('download', 'evidence-studio')).status).toBe(0);
    expect(existsSync(below('taken/evidence-studio_0.3.0_amd64.deb'))).toBe(true);
    makeDeb('0.3.1');
    make();
    await apt('update');
    expect((await apt('download', 'evidence-studio')).status).toBe(0);
    expect(existsSync(below('taken/evidence-studio_0.3.1_amd64.deb'))).toBe(true);
  });

  it('is refused where a package or the list was changed', async () => {
    rmSync(below('taken/evidence-studio_0.3.1_amd64.deb'));
    appendFileSync(below('web/deb/pool/evidence-studio_0.3.1_amd64.deb'), 'x');
    const changed = await apt('download', 'evidence-studio');
    expect([changed.status, existsSync(below('taken/evidence-studio_0.3.1_amd64.deb'))]).toEqual([
      1,
      false,
    ]);
    const whole = readFileSync(list, 'utf8');
    writeFileSync(list, whole.replace('Suite: stable', 'Suite: stabel'));
    const forged = await apt('update', '-o', 'APT::Update::Error-Mode=any');
    expect(forged.status).toBe(1);
    expect(forged.text).toMatch(/signature|BADSIG|invalid/i);
  });
});
