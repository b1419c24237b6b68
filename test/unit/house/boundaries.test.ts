import { describe, expect, test } from 'vitest';
import { checkSources } from '../../../scripts/check-boundaries.ts';

const messages = (path: string, text: string): string[] =>
  checkSources([{ path, text }]).map((violation) => violation.message);

describe('a planted breach is found', () => {
  test.each([
    [
      'src/shared/domain/a.ts',
      "import { x } from '../../sync/x.ts';",
      'src/shared may not import src/sync/x.ts',
    ],
    [
      'src/sync/a.ts',
      "import type { X } from '../server/x.ts';",
      'src/sync may not import src/server/x.ts',
    ],
    [
      'src/server/a.ts',
      "export { x } from '../main/x.ts';",
      'src/server may not import src/main/x.ts',
    ],
    [
      'src/main/a.ts',
      "const x = await import('../renderer/x.ts');",
      'src/main may not import src/renderer/x.ts',
    ],
    [
      'src/renderer/app/a.tsx',
      "type X = import('../../main/x.ts').X;",
      'src/renderer may not import src/main/x.ts',
    ],
    [
      'src/preload/index.ts',
      "import { x } from '../shared/domain/x.ts';",
      'src/preload may not import src/shared/domain/x.ts',
    ],
    [
      'src/renderer/features/matrix/actions/a.ts',
      "import { x } from '../grid/x.ts';",
      'a room imports downwards only: src/renderer/features/matrix/grid/x.ts',
    ],
    [
      'src/renderer/features/matrix/model/a.ts',
      "import { x } from '../MatrixEditor.tsx';",
      'a room imports downwards only: src/renderer/features/matrix/MatrixEditor.tsx',
    ],
    [
      'src/renderer/features/runs/a.ts',
      "import { x } from '../matrix/x.ts';",
      'a feature may not import another: src/renderer/features/matrix/x.ts',
    ],
    [
      'src/renderer/features/runs/deep/a.ts',
      "import { x } from '../../matrix/x.ts';",
      'a feature may not import another: src/renderer/features/matrix/x.ts',
    ],
    [
      'src/renderer/ui/Button.tsx',
      "import { db } from '../data/db.ts';",
      'src/renderer/ui may not import src/renderer/data/db.ts',
    ],
    [
      'src/renderer/ui/Button.tsx',
      "import { useTheme } from '../state/theme.ts';",
      'src/renderer/ui may not import src/renderer/state/theme.ts',
    ],
    [
      'src/renderer/data/db.ts',
      "import { Page } from '../ui/Page.tsx';",
      'src/renderer/data may not import src/renderer/ui/Page.tsx',
    ],
    [
      'src/renderer/files/zip.ts',
      "import { plural } from '../state/format.ts';",
      'src/renderer/files may not import src/renderer/state/format.ts',
    ],
    [
      'src/shared/lib/a.ts',
      "import { x } from 'lodash';",
      'src/shared runs anywhere: zod is its only package: no lodash',
    ],
    [
      'src/sync/a.ts',
      "import { hash } from 'node:crypto';",
      'src/sync runs anywhere: zod is its only package: no node:crypto',
    ],
    [
      'src/preload/index.ts',
      "import { z } from 'zod';",
      'src/preload is one sandboxed file: electron is its only package: no zod',
    ],
    [
      'src/server/a.ts',
      "import { app } from 'electron';",
      'src/server runs without Electron: no electron',
    ],
    [
      'src/server/pages/a.ts',
      "import { betterAuth } from 'better-auth/minimal';",
      'src/server loads it for people with passwords, by auth/people.ts: no better-auth/minimal',
    ],
    [
      'src/renderer/data/a.ts',
      "import fs from 'node:fs';",
      'src/renderer runs in a page: no node:fs',
    ],
    [
      'src/main/a.ts',
      "import '@electron/remote/main';",
      'src/main hands the main process to the page: no @electron/remote/main',
    ],
    [
      'src/shared/domain/a.ts',
      "export * from './b.ts';",
      '`export *` hides what a module offers: name the exports',
    ],
    [
      'src/renderer/ui/a.ts',
      "export * as b from './b.ts';",
      '`export *` hides what a module offers: name the exports',
    ],
    [
      'src/shared/domain/a.ts',
      'const now = new Date();',
      'the clock is an argument: no `new Date()` without one',
    ],
    [
      'src/sync/a.ts',
      'const now = Date();',
      'the clock is an argument: no `new Date()` without one',
    ],
    [
      'src/main/window.ts',
      'const w = { webPreferences: { contextIsolation: false } };',
      'a web preference is set to its unsafe value',
    ],
    [
      'src/main/window.ts',
      'const w = { nodeIntegration: true };',
      'a web preference is set to its unsafe value',
    ],
    ['src/main/window.ts', 'new BrowserView();', 'one kind of window: no BrowserView'],
    [
      'src/main/window.ts',
      "void window.loadFile('index.html');",
      'pages come from app://studio: no file://',
    ],
    [
      'src/main/window.ts',
      "void window.loadURL('file:///index.html');",
      'pages come from app://studio: no file://',
    ],
    ['src/server/a.ts', 'const = ;', 'cannot be parsed'],
  ])('%s: %s', (path, text, message) => {
    expect(messages(path, text)).toEqual([message]);
  });

  test.each([
    'ipcMain.handle("a", f);',
    'new electron.BrowserWindow({});',
    'await shell.openExternal(url);',
    'electron.protocol.handle("app", f);',
  ])('twice in src/main: %s', (text) => {
    const sources = ['src/main/a.ts', 'src/main/b.ts'].map((path) => ({ path, text }));
    expect(checkSources(sources)).toEqual([
      {
        path: 'src/main/b.ts',
        line: 1,
        message: expect.stringMatching(/ belongs in one file, and src\/main\/a\.ts has it$/),
      },
    ]);
  });

  test('the line is told', () => {
    expect(
      checkSources([
        { path: 'src/shared/a.ts', text: "const a = 1;\n\nexport * from './b.ts';\n" },
      ])[0]?.line,
    ).toBe(3);
  });
});

describe('what is allowed passes', () => {
  test.each([
    [
      'src/sync/a.ts',
      "import type { Uid } from '../shared/domain/uid.ts';\nimport { z } from 'zod';\nconst then = new Date(0);",
    ],
    [
      'src/main/index.ts',
      "import { createApp } from '../server/app.ts';\nimport { app } from 'electron';",
    ],
    [
      'src/preload/index.ts',
      "import type { Desktop } from '../shared/contract/ipc.ts';\nimport { ipcRenderer } from 'electron';",
    ],
    [
      'src/renderer/features/runs/RunPage.tsx',
      "import { Button } from '../../ui/Button.tsx';\nimport { sum } from './sum.ts';\nexport const Page = () => <Button>{sum}</Button>;",
    ],
    [
      'src/main/window.ts',
      'new electron.BrowserWindow({ webPreferences: { contextIsolation: true, sandbox: ' +
        'true, nodeIntegration: false } });\nnew electron.BrowserWindow({});',
    ],
    [
      'src/main/electron-like.ts',
      'export interface ElectronLike { ipcMain: { handle(): void }; BrowserWindow: unknown; shell: { openExternal(url: string): void } }',
    ],
  ])('%s', (path, text) => {
    expect(messages(path, text)).toEqual([]);
  });
});
