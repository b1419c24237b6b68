import { listSuggestions } from './suggestion-list.ts';

export const suggestionReads = { list: listSuggestions };
