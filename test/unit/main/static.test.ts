import { readFileSync, globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (pattern: string): { file: string; text: string }[] =>
  globSync(pattern).map((file) => ({ file, text: readFileSync(file, 'utf8') }));
const MAIN = read('src/main/**/*.ts');
const [PRELOAD, ...more] = read('src/preload/**/*.ts');
const where = (pattern: RegExp): string[] =>
  MAIN.filter(({ text }) => pattern.test(text)).map(({ file }) => file);

describe('what the source of the desktop may hold', () => {
  it('E13 the preload is one file without environment, without a require that is computed, and exposes once', () => {
    expect(more).toEqual([]);
    expect(PRELOAD?.text).not.toMatch(/process\.env|require\(|import\(|eval|new Function/);
    expect(PRELOAD?.text.match(/exposeInMainWorld/g)).toHaveLength(1);
    expect(PRELOAD?.text.split('\n').length).toBeLessThanOrEqual(90);
  });

  it('E7 the preload passes neither ipcRenderer nor an event on', () => {
    expect(PRELOAD?.text).not.toMatch(
      /\.send\(|sendSync|sendToHost|postMessage|removeAllListeners/,
    );
    expect(PRELOAD?.text.match(/ipcRenderer\.on\(/g)).toHaveLength(1);
    expect(PRELOAD?.text).toMatch(/ipcRenderer\.on\(MENU, \(_event,/);
  });

  it('E2 no second way to make a window or to show foreign content', () => {
    expect(where(/new electron\.BrowserWindow|new BrowserWindow/)).toEqual(['src/main/window.ts']);
    expect(where(/BrowserView|WebContentsView|<webview|loadFile|file:\/\//)).toEqual([]);
    expect(where(/\.loadURL\(/)).toEqual(['src/main/window.ts']);
  });

  it('E10 E16 nothing is kept in clear, and no crash report leaves', () => {
    expect(where(/setUsePlainTextEncryption|crashReporter/)).toEqual([]);
  });

  it('E12 links are heard in one place, and only a package registers their scheme', () => {
    expect(where(/setAsDefaultProtocolClient/)).toEqual([]);
    expect(where(/open-url/)).toEqual(['src/main/desktop.ts']);
  });

  it('E14 the application is no login item', () => {
    expect(where(/setLoginItemSettings/)).toEqual([]);
  });

  it('the composition root is short', () => {
    expect(readFileSync('src/main/index.ts', 'utf8').split('\n').length).toBeLessThanOrEqual(100);
  });
});
