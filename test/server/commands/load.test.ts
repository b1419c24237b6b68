import { cp, mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { programFile } from '../../../bin/load.js';
import { builtFrom } from '../../../scripts/built-from.ts';
import { buildIfNeeded } from '../../../scripts/build.ts';
import { ROOT, runToEnd } from '../../support/served.ts';

const SOURCE = 'src/server/commands/bin.ts';
const BUILT = 'out/server/index.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'evidence-load-'));
  await cp(path.join(ROOT, 'bin'), path.join(root, 'bin'), { recursive: true });
  await Promise.all(
    [SOURCE, 'src/server/word.ts', 'node_modules/@a/b/package.json'].map((file) =>
      put(file, 'export {};'),
    ),
  );
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(file: string, text: string): Promise<void> {
  const place = path.join(root, file);
  await mkdir(path.dirname(place), { recursive: true });
  await writeFile(place, text);
}
/** What `bin` of that folder runs. */
async function chosen(): Promise<string> {
  const { code, stdout, stderr } = await runToEnd(process.execPath, [
    '--input-type=module',
    '-e',
    `console.log((await import(${JSON.stringify(pathToFileURL(path.join(root, 'bin/load.js')))})).programFile())`,
  ]);
  expect([code, stderr]).toEqual([0, '']);
  return path.relative(root, stdout.trim()).replaceAll(path.sep, '/');
}
const BUILD = { publicDir: false, configFile: false, logLevel: 'silent' } as const;
/** Builds the folder's small program as vite.server.config.ts builds the real one. */
async function build(during: () => Promise<void> = async () => {}): Promise<void> {
  const { build: run } = await import('vite');
  await run({
    ...BUILD,
    root,
    plugins: [
      builtFrom(root, path.join(root, 'out/server/built-from.json')),
      { name: 'during', buildEnd: during },
    ],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: path.join(root, 'out/server'),
      rolldownOptions: { input: { index: path.join(root, SOURCE) } },
    },
  });
}
async function later(file: string, seconds: number): Promise<void> {
  const { atime, mtime } = await stat(path.join(root, file));
  await utimes(path.join(root, file), atime, new Date(mtime.getTime() + seconds * 1_000));
}

describe('the program that bin runs', () => {
  it('is the source where nothing was built, and the build where nothing else is there', async () => {
    expect(await chosen()).toBe(SOURCE);
    await put(BUILT, 'export {};');
    // A build that was cut off has no list of what it is of.
    expect(await chosen()).toBe(SOURCE);
    await rm(path.join(root, 'src'), { recursive: true });
    expect(await chosen()).toBe(BUILT);
  });

  it('is the build only while every file is the one that it is of', async () => {
    await put(SOURCE, "import { word } from '../word.ts';\nimport '@a/b';\nconsole.log(word);");
    await put('src/server/word.ts', "export const word: string = 'one';");
    await put('node_modules/@a/b/package.json', '{ "name": "@a/b", "exports": "./lib/index.js" }');
    await put('node_modules/@a/b/lib/index.js', "console.log('package');");
    const files = [SOURCE, 'src/server/word.ts', 'node_modules/@a/b/package.json'];
    for (const file of files)
      for (const change of [
        // Saved after the build; put back from before it; removed.
        () => later(file, 60),
        () => later(file, -86_400),
        () => rm(path.join(root, file)),
      ]) {
        const before = await readFile(path.join(root, file));
        await build();
        expect(await chosen(), file).toBe(BUILT);
        await change();
        expect(await chosen(), file).toBe(SOURCE);
        await writeFile(path.join(root, file), before);
      }
    await build();
    await put('src/server/other.ts', 'not of the program');
    expect(await chosen()).toBe(BUILT);
    await put('out/server/built-from.json', '{"src/');
    expect(await chosen()).toBe(SOURCE);
  });

  it('is the source where a file was saved while it was built', async () => {
    await build();
    expect(await chosen()).toBe(BUILT);
    await build(() => put(SOURCE, 'export const saved = 1;'));
    expect(await chosen()).toBe(SOURCE);
  });

  it('is the build of this checkout once that is made', async () => {
    await buildIfNeeded();
    expect(path.relative(ROOT, programFile())).toBe(path.normalize(BUILT));
  });

  it('loads no client for requests before one is made', async () => {
    const { code, stdout } = await runToEnd(process.execPath, [
      '--input-type=module',
      '-e',
      `const { main } = await import(${JSON.stringify(pathToFileURL(programFile()))}); ` +
        // Loads the command.
        "await main(['serve', '--help']); " +
        'console.log(process.moduleLoadList.filter((name) => ' +
        '/undici|sqlite/.test(name)).join())',
    ]);
    const loaded = stdout.trimEnd().split('\n').at(-1) ?? '';
    expect([code, loaded.includes('sqlite'), loaded.includes('undici')]).toEqual([0, true, false]);
  });
});
