import type { Bug } from './campaign.ts';
import { IN_ROUNDS } from './bugs/in-rounds.ts';
import { IN_SUGGESTIONS } from './bugs/in-suggestions.ts';
import { IN_DISCUSSION } from './bugs/in-discussion.ts';
import { IN_SIGNING } from './bugs/in-signing.ts';
import { IN_STORES } from './bugs/in-stores.ts';

export const BUGS: Readonly<Record<string, Bug>> = {
  ...IN_SUGGESTIONS,
  ...IN_ROUNDS,
  ...IN_STORES,
  ...IN_DISCUSSION,
  ...IN_SIGNING,
};
