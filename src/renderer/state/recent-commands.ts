import { z } from 'zod';

const KEY = 'evidence-studio.recent-commands';
const MOST = 6;
const Recent = z.array(z.string().min(1).max(200)).max(MOST);

export function parseRecent(text: string | null): string[] {
  try {
    return Recent.parse(JSON.parse(text ?? '[]'));
  } catch {
    return [];
  }
}

/** The new one first, no other twice. */
export const withRecent = (recent: readonly string[], id: string): string[] => [id, ...recent.filter((other) => other !== id)].slice(0, MOST);

/** Storage may be switched off: then nothing is remembered. */
export function loadRecent(): string[] {
  try {
    return parseRecent(localStorage.getItem(KEY));
  } catch {
    return [];
  }
}

export function saveRecent(recent: readonly string[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(recent));
  } catch {
    // forgotten
  }
}
