import { t } from '../../text/t.ts';

/** Short answers to what people ask first; found by Ctrl+K and shown by F1. */
export interface HelpTopic {
  id: string;
  title: string;
  text: string;
}

export const HELP_TOPICS: readonly HelpTopic[] = [
  {
    id: 'outcomes',
    title: t('What TRUE, FALSE and NA mean'),
    text: t(
      'Rules are failure checks. FALSE: evidence present. TRUE: problem found. NA: not available. A cell that nobody has recorded is a fourth state; in a run it counts as NA and is listed.',
    ),
  },
  {
    id: 'result',
    title: t('What a result says'),
    text: t(
      'Evidence sufficiency under one profile. It does not establish truth, pathogenicity, safety, regulatory acceptability or clinical actionability.',
    ),
  },
  {
    id: 'saved',
    title: t('When a change is saved'),
    text: t(
      'The bar says "All changes saved" once the server has everything on disk. Without the server changes wait in this window and are sent when it answers; the page Sync lists them.',
    ),
  },
  {
    id: 'conflicts',
    title: t('What a conflict is'),
    text: t(
      'Two people recorded different values without seeing each other’s. Both are kept; one of them counts once somebody resolves the conflict, with a reason.',
    ),
  },
  {
    id: 'suggestions',
    title: t('What a suggestion is'),
    text: t(
      'What an agent would record, with its source. It counts in no result until a person accepts it; the case page leads to those that wait.',
    ),
  },
  {
    id: 'runs',
    title: t('What a run is'),
    text: t(
      'Case, profile, matrix and result, frozen under one hash that anyone can verify. A run never changes; it can be hidden from lists.',
    ),
  },
  {
    id: 'deleted',
    title: t('How to bring back what was archived or deleted'),
    text: t(
      'Choose Show: Archived or Deleted above a list, then Restore. Nothing is destroyed: a deleted case or project comes back with all that stands in it.',
    ),
  },
  {
    id: 'profiles',
    title: t('What an evidence profile is'),
    text: t(
      'A document with rules. A version never changes; outcomes are carried to a newer version where a rule means the same.',
    ),
  },
];
