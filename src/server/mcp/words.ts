import { DATA_NOTE } from './answers.ts';

/** What holds whatever is judged; in the instructions and in the prompt. */
const CAUTIONS = [
  'Never invent an outcome or a source. Where the evidence cannot be had, the outcome is NA; where you cannot tell, leave the cell open.',
  'Cite for each outcome the source, its version, and the place in it; quote its words.',
  'TRUE means a problem was found, FALSE that the evidence is present. They are strings, no booleans.',
  'Never compare figures under different sets of rules, and never read 18 of 24 as a probability.',
  'A result states evidence sufficiency under one profile, never truth.',
];

const list = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n');

/** What a host tells its model about the server as a whole. */
export const INSTRUCTIONS = `Evidence Studio holds matrices of items and rules. You judge cells and suggest outcomes; a person decides about each in the studio.
The way: find_cases, read_case, next_open_items, then suggest_outcomes, later list_suggestions to see what was decided. list_profiles and read_profile say what the rules ask. freeze_run, read_result, compare_runs and verify_run are for frozen results.
${list(CAUTIONS)}
- ${DATA_NOTE}`;

/** The prompt: how one item is judged. */
export const judgeWords = (
  caseUid: string,
  itemUid: string,
  profileUid: string | undefined,
): string => `Judge the item ${JSON.stringify(itemUid)} of the case ${JSON.stringify(caseUid)}${
  profileUid === undefined ? '' : ` under the profile ${JSON.stringify(profileUid)}`
}.
1. Read what the rules ask: the item and its open rules stand below, read_profile has all rules.
2. Judge each open rule on its own, from sources that you have read yourself.
3. Hand in what you found with suggest_outcomes, with quote, locator and if_revision. A person decides.
${list(CAUTIONS)}`;
