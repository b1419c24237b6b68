import { EventEmitter } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, vi } from 'vitest';
import { startDesktop } from '../../../src/main/desktop.ts';
import { readConfig } from '../../../src/server/config/config.ts';
import { STORE_THREAD } from '../../support/store-thread.ts';
import { createFakeElectron, type FakeOptions } from './fake-electron.ts';

const folders: string[] = [];
/** What a test leaves running; stopped after it, before its folders go. */
export const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true }));
});
export function newFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'desktop-'));
  folders.push(folder);
  return folder;
}

export interface Start extends FakeOptions {
  folder?: string;
  argv?: string[];
  env?: Record<string, string | undefined>;
}

/** The application on a fake Electron, with the real server and store in a folder of its own. */
export async function start({ folder = newFolder(), argv = [], env = {}, ...options }: Start = {}) {
  const fake = createFakeElectron(options);
  const built = path.join(newFolder(), 'main');
  mkdirSync(path.join(built, '../renderer'), { recursive: true });
  writeFileSync(path.join(built, '../renderer/index.html'), '<p>the page</p>');
  const process = new EventEmitter();
  const lines: string[] = [];
  const config = readConfig({ EVIDENCE_STUDIO_PORT: '0', ...env });
  await startDesktop(fake.electron, {
    config,
    dataFolder: folder,
    argv,
    platform: 'linux',
    process: process as unknown as NodeJS.Process,
    built,
    resources: built,
    ...(STORE_THREAD && { threadFile: STORE_THREAD }),
    log: { write: (line: string) => void lines.push(line) },
  });
  const quit = async (): Promise<void> => {
    if (fake.windows.length === 0 || fake.log.some((entry) => entry.startsWith('exit'))) return;
    fake.app.emit('before-quit', { preventDefault: () => undefined });
    await vi.waitFor(() => expect(fake.log).toContain('exit 0'), 60_000);
  };
  stops.push(quit);
  return { ...fake, folder, built, process, lines, quit, config };
}
