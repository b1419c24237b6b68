import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateTypes } from '../support/generate-client.ts';
import { IS_LONG } from '../support/length.ts';
import { ROOT } from '../support/served.ts';
import { bootServer, type TestServer } from '../support/server.ts';

const run = promisify(execFile);
const CHECKED = {
  compilerOptions: {
    target: 'es2024',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2024', 'dom', 'dom.iterable'],
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    allowImportingTsExtensions: true,
  },
  include: ['*.ts'],
};

let server: TestServer;
let folder: string;
let program: string;
beforeAll(async () => {
  server = await bootServer();
  // In the checkout, so that the packages are found.
  await mkdir(path.join(ROOT, '.tsc'), { recursive: true });
  folder = await mkdtemp(path.join(ROOT, '.tsc', 'generated-client-'));
  const text = await readFile(path.join(ROOT, 'docs/agents.md'), 'utf8');
  program = text.split('## With a generated client')[1]?.split(/```(?:ts)?\n/)[1] ?? '';
  await writeFile(path.join(folder, 'program.ts'), program);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await server.close();
});

describe('a client generated from the OpenAPI document', () => {
  it('does the whole work: profile, project, case, evidence, suggestions, run', async () => {
    const { stdout } = await run(process.execPath, ['program.ts'], {
      cwd: folder,
      env: { ...process.env, URL: server.url, KEY: server.key },
    });
    const profile = await server.call('GET', '/api/v1/profiles/general_claim_evidence');
    expect(stdout).toMatch(/^sha256:[0-9a-f]{64} 1 \d+$/m);
    expect(stdout.trim().split(' ').at(-1)).toBe(String(profile.body.rules.length));
  });

  it.runIf(IS_LONG)('is typed: a boolean for an outcome does not compile', async () => {
    const { body } = await server.call('GET', '/api/v1/openapi.json', { key: null });
    await writeFile(path.join(folder, 'api.d.ts'), await generateTypes(body));
    await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(CHECKED));
    const check = () =>
      run(process.execPath, [path.join(ROOT, 'node_modules/.bin/tsc'), '-p', folder]);
    await check();
    await writeFile(
      path.join(folder, 'program.ts'),
      program.replace("raw_outcome: 'FALSE'", 'raw_outcome: false'),
    );
    await expect(check()).rejects.toMatchObject({ stdout: expect.stringContaining('TS2322') });
  });
});
