import { type Mapping, mappingProblems } from './mapping.ts';
import type { ImportPlan } from './plan.ts';
import type { ChosenFile, ReadFile } from './read-file.ts';
import { headersOf } from './source.ts';
import { type FoundWord, type Meaning, wordKey } from './words.ts';

export const STEPS = ['file', 'reading', 'columns', 'outcomes', 'check', 'done'] as const;
export type WizardStep = (typeof STEPS)[number];

/** Cells with a character that a wrong encoding left behind, by their place in the file. */
export interface Damage {
  count: number;
  first: { line: number; column: number }[];
}

export interface WizardState {
  step: WizardStep;
  busy: { label: string; done: number | undefined } | null;
  problem: string | null;
  opened: ChosenFile | null;
  read: ReadFile | null;
  damage: Damage;
  /** Index of the heading row among the table's rows. */
  headerRow: number;
  mapping: Mapping;
  /** The columns are used as the last time. */
  remembered: boolean;
  words: readonly FoundWord[];
  meanings: ReadonlyMap<string, Meaning>;
  keepsWords: boolean;
  emptyClears: boolean;
  plan: ImportPlan | null;
  result: { items: number; cells: number } | null;
}

export const START: WizardState = {
  step: 'file',
  busy: null,
  problem: null,
  opened: null,
  read: null,
  damage: { count: 0, first: [] },
  headerRow: 0,
  mapping: { form: 'wide', roles: [] },
  remembered: false,
  words: [],
  meanings: new Map(),
  keepsWords: true,
  emptyClears: false,
  plan: null,
  result: null,
};

export const headersNow = ({ read, headerRow }: WizardState): string[] =>
  read === null ? [] : headersOf(read.table, headerRow);
export const undecided = ({ words, meanings }: WizardState): readonly FoundWord[] =>
  words.filter(({ word }) => !meanings.has(wordKey(word)));

/** Why the next step cannot be taken; empty where it can. */
export function obstacles(state: WizardState): string[] {
  const { step, read, headerRow, mapping, plan } = state;
  if (step === 'reading' && read !== null && read.table.rows.length <= headerRow + 1)
    return ['There is no row below the headings.'];
  if (step === 'columns') return mappingProblems(mapping, headersNow(state));
  if (step === 'outcomes' && undecided(state).length > 0)
    return [
      `${undecided(state).length === 1 ? 'One value is' : `${undecided(state).length} values are`} not mapped yet.`,
    ];
  if (step === 'check' && plan?.problem !== undefined) return [plan.problem];
  return [];
}
