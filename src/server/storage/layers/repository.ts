import { decide } from './decide.ts';
import { setPolicy } from './policy.ts';
import { suggest } from './suggest.ts';
import { listSuggestions } from './suggestion-list.ts';
import { listToJudge } from './to-judge.ts';

export const suggestionReads = { list: listSuggestions, toJudge: listToJudge };
export const suggestionWrites = { suggest, decide, setPolicy };
