import type { Command } from '../../state/commands.ts';
import { fit, LOOSE } from './rank.ts';
import type { Section } from './sections.ts';

/** Begins the ids of what the server found: it is no command to remember. */
export const FOUND = 'found.';

/** What a search gives beside the commands on screen. */
export interface Search {
  sections: readonly Section[];
  /** Its answer to what is typed now is still to come. */
  isUnderWay: boolean;
}

/**
 * Of what was found for an earlier text, what fits the text that is typed now: Enter must not open
 * what an answer that is on its way would leave out.
 */
export function stillFitting(sections: readonly Section[], typed: string): Section[] {
  if (typed.trim() === '') return [];
  const fits = ({ label, detail = '' }: Command): boolean =>
    (fit(`${label} ${detail}`, typed) ?? LOOSE) < LOOSE;
  return sections
    .map(({ value, items }) => ({ value, items: items.filter(fits) }))
    .filter(({ items }) => items.length > 0);
}
