import { decide } from './decide.ts';
import { setPolicy } from './policy.ts';
import { suggest } from './suggest.ts';
import { listSuggestions } from './suggestion-list.ts';

export const suggestionReads = { list: listSuggestions };
export const suggestionWrites = { suggest, decide, setPolicy };
