import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT, serve, type Served } from '../../support/served.ts';

/** The fenced blocks of a document in one language, in order. */
async function blocks(file: string, language: string): Promise<string[]> {
  const text = await readFile(path.join(ROOT, file), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    (match) => match[1] ?? '',
  );
}

let folder: string;
let server: Served;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'evidence-docs-'));
  const data = path.join(folder, 'data');
  const bin = path.join(folder, 'bin');
  server = await serve(data);
  await mkdir(bin);
  // The command as installed: `npx` looks in the folders of PATH, and this one stands in for the
  // clone's own.
  await writeFile(
    path.join(bin, 'npx'),
    `#!/bin/sh\nshift\nexec "${process.execPath}" "${path.join(ROOT, 'bin/evidence-studio.js')}" "$@"\n`,
    { mode: 0o755 },
  );
  env = {
    ...process.env,
    EVIDENCE_STUDIO_DATA: data,
    PATH: `${bin}:${path.dirname(process.execPath)}:${process.env.PATH}`,
  };
});
afterAll(async () => {
  await server.kill('SIGTERM');
  await rm(folder, { recursive: true, force: true });
});

describe('docs/agents.md', () => {
  it(
    'leads from nothing to a verified run with its own commands, in curl and in TypeScript',
    { timeout: 120_000 },
    async () => {
      const shell = await blocks('docs/agents.md', 'sh');
      expect(shell.length).toBeGreaterThanOrEqual(5);
      const script = ['set -euo pipefail', ...shell, 'echo "KEY=$KEY URL=$URL"'].join('\n');
      const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: folder, env });
      expect(stdout).toContain('content hash: matches');
      expect(stdout).toContain('recomputed, equal');
      const found = /KEY=(\S+) URL=(\S+)/.exec(stdout);
      const [program = ''] = await blocks('docs/agents.md', 'ts');
      await writeFile(path.join(folder, 'agent.mts'), program);
      const agent = await promisify(execFile)(process.execPath, ['agent.mts'], {
        cwd: folder,
        env: { ...env, KEY: found?.[1], URL: found?.[2] },
      });
      expect(agent.stdout).toMatch(/^run_\S+ sha256:[0-9a-f]{64} 0\.\d+$/m);
    },
  );
});

describe('README.md', () => {
  it('names only commands that exist', async () => {
    const commands = (await blocks('README.md', 'sh')).flatMap((block) => block.trim().split('\n'));
    const scripts = (
      JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as {
        scripts: Record<string, string>;
      }
    ).scripts;
    for (const command of commands) {
      if (command.startsWith('npx evidence-studio'))
        await promisify(execFile)('bash', ['-c', command], { cwd: folder, env });
      else if (command !== 'npm ci')
        expect(Object.keys(scripts), command).toContain(/^npm (?:run )?(\S+)/.exec(command)?.[1]);
    }
  });

  it('stays short', async () => {
    expect(
      (await readFile(path.join(ROOT, 'README.md'), 'utf8')).split('\n').length,
    ).toBeLessThanOrEqual(150);
  });
});
