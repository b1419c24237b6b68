import { z } from 'zod';
import { readStored, writeStored } from '../../../state/stored.ts';

/** Where the focus goes by itself after T, F or N on one cell. */
export const ADVANCES = ['off', 'down', 'right'] as const;
export type Advance = (typeof ADVANCES)[number];

export const DENSITIES = ['dense', 'usual', 'roomy'] as const;
export type Density = (typeof DENSITIES)[number];

/** Rows of a page where the matrix is read page by page. */
export const PAGE_ROWS = 50;

export const PANEL_WIDTH = { least: 280, usual: 348, most: 640 };
const KEY = 'evidence-studio.matrix';

export const clampWidth = (width: number): number =>
  Math.round(Math.min(Math.max(width, PANEL_WIDTH.least), PANEL_WIDTH.most));

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
  paged: boolean;
  askReason: boolean;
  panelOpen: boolean;
  panelWidth: number;
}

export function parsePreferences(value: unknown): Preferences {
  const { compact, ...others } = Preferences.catch(() => Preferences.parse({})).parse(value);
  return { ...others, compact };
}

export const loadPreferences = (): Preferences => parsePreferences(readStored(KEY, z.unknown()));

export const savePreferences = (preferences: Preferences): void =>
  void writeStored(KEY, preferences);
