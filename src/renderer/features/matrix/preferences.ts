/** Where the focus goes by itself after T, F or N on one cell. */
export const ADVANCES = ['off', 'down', 'right'] as const;
export type Advance = (typeof ADVANCES)[number];

/** What the editor remembers on this computer; never evidence. */
export interface Preferences {
  advance: Advance;
  /** Narrow columns with turned headings; undefined lets the number of rules decide. */
  compact: boolean | undefined;
  panelOpen: boolean;
  panelWidth: number;
}

export const PANEL_WIDTH = { least: 280, usual: 348, most: 640 };
const KEY = 'evidence-studio.matrix';
const DEFAULTS: Preferences = { advance: 'off', compact: undefined, panelOpen: true, panelWidth: PANEL_WIDTH.usual };

export const clampWidth = (width: number): number => Math.round(Math.min(Math.max(width, PANEL_WIDTH.least), PANEL_WIDTH.most));

export function parsePreferences(text: string | null): Preferences {
  let value: unknown;
  try {
    value = JSON.parse(text ?? '');
  } catch {
    return DEFAULTS;
  }
  if (typeof value !== 'object' || value === null) return DEFAULTS;
  const { advance, compact, panelOpen, panelWidth } = value as Record<string, unknown>;
  return {
    advance: ADVANCES.find((known) => known === advance) ?? DEFAULTS.advance,
    compact: typeof compact === 'boolean' ? compact : undefined,
    panelOpen: typeof panelOpen === 'boolean' ? panelOpen : DEFAULTS.panelOpen,
    panelWidth: typeof panelWidth === 'number' && Number.isFinite(panelWidth) ? clampWidth(panelWidth) : DEFAULTS.panelWidth,
  };
}

/** Storage may be switched off in a browser: then the editor only forgets. */
export function loadPreferences(): Preferences {
  try {
    return parsePreferences(localStorage.getItem(KEY));
  } catch {
    return DEFAULTS;
  }
}

export function savePreferences(preferences: Preferences): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences));
  } catch {
    // forgotten
  }
}
