import { z } from 'zod';
import { readStored, writeStored } from '../../../state/stored.ts';

/** Where the focus goes by itself after T, F or N on one cell. */
export const ADVANCES = ['off', 'down', 'right'] as const;
export type Advance = (typeof ADVANCES)[number];

export const DENSITIES = ['dense', 'usual', 'roomy'] as const;
export type Density = (typeof DENSITIES)[number];

/** Rows of a page where the matrix is read page by page. */
export const PAGE_ROWS = 50;

/** CSS pixels of the headings; `step` is what one command changes. */
export const HEAD_HEIGHT = { least: 60, usual: 150, most: 400, step: 24 };
export const PANEL_WIDTH = { least: 280, usual: 348, most: 640 };
const KEY = 'evidence-studio.matrix';

export const clampWidth = (width: number): number =>
  Math.round(Math.min(Math.max(width, PANEL_WIDTH.least), PANEL_WIDTH.most));

export const clampHead = (height: number): number =>
  Math.round(Math.min(Math.max(height, HEAD_HEIGHT.least), HEAD_HEIGHT.most));

/**
 * What the editor remembers on this computer; never evidence. What cannot be read is as if it had
 * never been chosen.
 */
const Preferences = z.object({
  advance: z.enum(ADVANCES).catch('off'),
  /** Narrow columns with turned headings; undefined lets the number of rules decide. */
  compact: z.boolean().optional().catch(undefined),
  /** Height of the rows. */
  density: z.enum(DENSITIES).catch('usual'),
  /** Height of the headings; undefined lets the window decide. */
  headHeight: z.number().transform(clampHead).optional().catch(undefined),
  /** Pages of rows, all columns in the document: for screen readers. */
  paged: z.boolean().catch(false),
  /** A reason is asked for before recorded outcomes change. */
  askReason: z.boolean().catch(false),
  panelOpen: z.boolean().catch(true),
  panelWidth: z.number().transform(clampWidth).catch(PANEL_WIDTH.usual),
});
export interface Preferences {
  advance: Advance;
  compact: boolean | undefined;
  density: Density;
  headHeight: number | undefined;
  paged: boolean;
  askReason: boolean;
  panelOpen: boolean;
  panelWidth: number;
}

export function parsePreferences(value: unknown): Preferences {
  const { compact, headHeight, ...others } = Preferences.catch(() => Preferences.parse({})).parse(
    value,
  );
  return { ...others, compact, headHeight };
}

export const loadPreferences = (): Preferences => parsePreferences(readStored(KEY, z.unknown()));

export const savePreferences = (preferences: Preferences): void =>
  void writeStored(KEY, preferences);
