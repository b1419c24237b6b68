import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { newFolder } from './start.ts';

const MODULE = pathToFileURL(path.resolve('src/main/updates/put-back.ts')).href;

/**
 * A studio that is replaced by `next` and ends; what each program writes to `ran` tells the rest.
 */
function replaced(next: string, times: number) {
  const folder = newFolder();
  const program = path.join(folder, 'Studio 1.AppImage');
  const file = path.join(folder, 'fresh');
  const data = path.join(folder, 'data');
  mkdirSync(path.join(data, 'updates'), { recursive: true });
  const says = (name: string): string => `#!/bin/sh\necho ${name} >>'${folder}/ran'\n`;
  writeFileSync(program, says('before'), { mode: 0o755 });
  writeFileSync(file, says('after') + next.replaceAll('DATA', `${data}/updates`));
  chmodSync(file, 0o755);
  const replacing = { program, file, version: '0.3.1', dataFolder: data, times };
  const code = `import { replaceProgram } from ${JSON.stringify(MODULE)}; replaceProgram(${JSON.stringify(replacing)});`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code]);
  expect(status, String(stderr)).toBe(0);
  return {
    program,
    data,
    ran: () => (existsSync(`${folder}/ran`) ? readFileSync(`${folder}/ran`, 'utf8') : ''),
    isBefore: () => readFileSync(program, 'utf8').includes('before'),
    kept: () => existsSync(`${program}.previous`),
    failed: () => existsSync(path.join(data, 'updates/failed')),
  };
}

// An AppImage is Linux’s, and so is what puts it back.
describe.skipIf(process.platform !== 'linux')('a program that was replaced', () => {
  it('stays where it starts, and the one before goes', async () => {
    const { isBefore, kept, failed, ran } = replaced('touch DATA/started\nsleep 1\n', 50);
    await vi.waitFor(() => expect(kept()).toBe(false), 60_000);
    expect([ran(), isBefore(), failed()]).toEqual(['after\n', false, false]);
  });

  it.each([
    ['fails', 'exit 1\n'],
    ['crashes', 'kill -SEGV $$\n'],
    ['is no program', 'exec /nowhere\n'],
  ])('is put back where the new one %s, and starts', async (_, next) => {
    const { isBefore, kept, failed, ran, data } = replaced(next, 50);
    await vi.waitFor(() => expect(ran()).toBe('after\nbefore\n'), 60_000);
    expect([isBefore(), kept(), failed()]).toEqual([true, false, true]);
    expect(readFileSync(path.join(data, 'updates/failed'), 'utf8')).toBe('0.3.1');
  });

  it('is put back where the new one shows nothing for too long, which is ended', async () => {
    const { ran, isBefore } = replaced('echo $$ >DATA/own\nexec sleep 100\n', 3);
    await vi.waitFor(() => expect(ran()).toBe('after\nbefore\n'), 60_000);
    expect(isBefore()).toBe(true);
  });

  it('is left alone where the person ended it before it had shown a page', async () => {
    const { ran, data, isBefore, failed } = replaced('exit 0\n', 50);
    await vi.waitFor(() => expect(existsSync(path.join(data, 'updates/exit'))).toBe(true), 60_000);
    expect([ran(), isBefore(), failed()]).toEqual(['after\n', false, false]);
  });
});
