import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { replaceFile } from '../server/instance/atomic-file.ts';
import { isOurPage, ORIGIN } from './origin.ts';

const Pixels = z.int().min(-100_000).max(100_000);
const Bounds = z.strictObject({
  x: Pixels.optional(),
  y: Pixels.optional(),
  width: Pixels.min(200),
  height: Pixels.min(200),
});
/** Path and query of a page of the studio. */
const Page = z
  .string()
  .max(4_096)
  .startsWith('/')
  .refine((page) => isOurPage(ORIGIN + page));
export const WindowState = z.strictObject({
  bounds: Bounds,
  maximized: z.boolean(),
  theme: z.enum(['system', 'light', 'dark']),
  page: Page.optional(),
});
export type WindowState = z.infer<typeof WindowState>;
export type WindowTheme = WindowState['theme'];

interface ScreenArea {
  x: number;
  y: number;
  width: number;
  height: number;
}

export const DEFAULT_STATE: WindowState = {
  bounds: { width: 1280, height: 860 },
  maximized: false,
  theme: 'system',
};

/** Whether enough of the title bar is on a screen to be grabbed. */
function isReachable({ x, y, width }: ScreenArea, screens: readonly ScreenArea[]): boolean {
  return screens.some(
    (screen) =>
      x + width > screen.x + 100 &&
      x < screen.x + screen.width - 100 &&
      y >= screen.y - 10 &&
      y < screen.y + screen.height - 50,
  );
}

/** The page that an address of the window shows; undefined for an address that is not kept. */
export function pageOf(address: string): string | undefined {
  return Page.safeParse(address.startsWith(ORIGIN) ? address.slice(ORIGIN.length) : '').data;
}

/**
 * The state as saved: the default size where it cannot be read, and no position where its screen is
 * gone.
 */
export function readWindowState(file: string, screens: readonly ScreenArea[]): WindowState {
  let state: WindowState | undefined;
  try {
    state = WindowState.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data;
  } catch {
    // There is no file, or it is not JSON: the default is used.
  }
  if (state === undefined) return DEFAULT_STATE;
  const { x, y, width, height } = state.bounds;
  if (x === undefined || y === undefined || isReachable({ x, y, width, height }, screens))
    return state;
  return { ...state, bounds: { width, height } };
}

/** Saves the state. In a folder that takes no writes only the window's position is lost. */
export function writeWindowState(file: string, state: WindowState): void {
  try {
    replaceFile(file, JSON.stringify(WindowState.parse(state)));
  } catch {
    // That the folder cannot be written to is reported by the store.
  }
}
