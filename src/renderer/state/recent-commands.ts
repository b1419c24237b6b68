import { z } from 'zod';
import { parseStored, readStored, writeStored } from './stored.ts';

const KEY = 'evidence-studio.recent-commands';
const MAX_RECENT = 6;
const Recent = z.array(z.string().min(1).max(200)).max(MAX_RECENT);

export const parseRecent = (text: string | null): string[] => parseStored(text, Recent) ?? [];

/** The new one first, no other twice. */
export const withRecent = (recent: readonly string[], id: string): string[] =>
  [id, ...recent.filter((other) => other !== id)].slice(0, MAX_RECENT);

export const loadRecent = (): string[] => readStored(KEY, Recent) ?? [];

export const saveRecent = (recent: readonly string[]): void => void writeStored(KEY, recent);
