import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { type Browser, chromium } from '@playwright/test';
import { CHROMIUM_ARGS, findChromium } from '../support/chromium.ts';

/**
 * Chromium as a child in this process's session, as a desktop's windows are in that of its main
 * process. Linux shares the CPU between sessions first, and a browser that Playwright starts has
 * one of its own: there the priority of a server's thread would mean nothing to the window.
 */
export async function withDesktopBrowser<T>(
  folder: string,
  work: (browser: Browser) => Promise<T>,
): Promise<T> {
  const child = spawn(
    findChromium(),
    [
      ...CHROMIUM_ARGS,
      '--headless=new',
      '--remote-debugging-port=0',
      `--user-data-dir=${path.join(folder, 'chromium')}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(child, 'exit');
  try {
    return await work(await chromium.connectOverCDP(await debuggingAddress(child.stderr)));
  } finally {
    child.kill();
    await ended;
  }
}

async function debuggingAddress(messages: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: messages })) {
    const address = /ws:\/\/\S+/.exec(line)?.[0];
    if (address !== undefined) {
      messages.resume();
      return address;
    }
  }
  throw new Error('Chromium ended without an address for its debugger.');
}
