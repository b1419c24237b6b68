import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  DEFAULT_STATE,
  readWindowState,
  type WindowState,
  writeWindowState,
} from '../../../src/main/window-state.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'window-'));
const file = path.join(folder, 'window.json');
afterAll(() => rmSync(folder, { recursive: true }));

const SCREENS = [
  { x: 0, y: 0, width: 1920, height: 1080 },
  { x: 1920, y: 0, width: 1280, height: 1024 },
];
const state = (x: number, y: number): WindowState => ({
  bounds: { x, y, width: 900, height: 700 },
  maximized: true,
  theme: 'dark',
});

describe('where the window was', () => {
  it('comes back as it was saved, in a private file', () => {
    for (const [x, y] of [
      [10, 20],
      [-700, 0],
      [2_000, 300],
      [1_800, 900],
    ] as const) {
      writeWindowState(file, state(x, y));
      expect(readWindowState(file, SCREENS)).toEqual(state(x, y));
    }
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['window.json']);
  });

  it('keeps its size but not its place where that screen is gone', () => {
    for (const [x, y] of [
      [-5_000, 0],
      [5_000, 0],
      [100, -900],
      [100, 2_000],
    ] as const) {
      writeWindowState(file, state(x, y));
      expect(readWindowState(file, SCREENS)).toEqual({
        ...state(x, y),
        bounds: { width: 900, height: 700 },
      });
    }
  });

  for (const text of [
    '',
    'null',
    '{}',
    '[]',
    '{"bounds":{"width":1,"height":1},"maximized":false,"theme":"system"}',
    '{"bounds":{"width":"900","height":700},"maximized":false,"theme":"system"}',
    '{"bounds":{"width":900,"height":700},"maximized":false,"theme":"system","webPreferences":{"sandbox":false}}',
    '{"bounds":{"width":1e999,"height":700},"maximized":false,"theme":"system"}',
  ]) {
    it(`is the default where the file says ${text.slice(0, 60) || 'nothing'}`, () => {
      writeFileSync(file, text);
      expect(readWindowState(file, SCREENS)).toEqual(DEFAULT_STATE);
    });
  }

  it('is the default where there is no file, and a folder without one loses nothing else', () => {
    const missing = path.join(folder, 'absent', 'window.json');
    expect(readWindowState(missing, SCREENS)).toEqual(DEFAULT_STATE);
    writeWindowState(missing, DEFAULT_STATE);
    expect(() => readFileSync(missing)).toThrow('ENOENT');
  });
});
