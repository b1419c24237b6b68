import { expect, it } from 'vitest';
import { commandWords, runCommand } from '../../../src/main/command-line.ts';
import { createFakeElectron } from './fake-electron.ts';
import { newFolder } from './start.ts';

it('words after the launcher’s mark are a command; links, files and switches open the window', () => {
  expect(commandWords(['--ozone-platform=headless', 'command', 'key', 'list', '--json'])).toEqual([
    'key',
    'list',
    '--json',
  ]);
  for (const argv of [
    [],
    ['--x'],
    ['evidence-studio://runs/a'],
    ['/tmp/command'],
    ['.', 'command'],
  ])
    expect(commandWords(argv)).toBeUndefined();
});

it('a command runs without a window, opens the key store when it is needed, and ends with its exit code', async () => {
  const { electron, log, windows } = createFakeElectron({ packaged: true });
  const data = newFolder();
  const heard: string[][] = [];
  await runCommand(electron, ['key', 'create', '--data', data], {
    argv: ['evidence-studio', 'command', 'key', 'create', '--data', data],
    platform: 'linux',
    built: data,
    exitCode: () => 3,
    program: async (args, keyStore) => {
      heard.push([...args]);
      expect(log).not.toContain('ready');
      await expect(keyStore.seal('secret')).rejects.toThrow('no key store');
      expect(log).toContain('ready');
    },
  });
  expect(heard).toEqual([['key', 'create', '--data', data]]);
  expect(windows).toEqual([]);
  expect(log.at(-1)).toBe('exit 3');
});

it('E17 a packaged application refuses the switches of a debugger beside a command too', async () => {
  const { electron, log } = createFakeElectron({ packaged: true });
  await runCommand(electron, ['status'], {
    argv: ['evidence-studio', 'command', 'status', '--inspect=0'],
    platform: 'linux',
    built: '/nowhere',
    exitCode: () => 0,
    program: () => Promise.reject(new Error('must not run')),
  });
  expect(log).toEqual(['exit 1']);
});
