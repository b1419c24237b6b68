import { type Mapping, mappingProblems } from './mapping.ts';
import type { ProfileUid } from '../../../../shared/domain/uid.ts';
import type { ImportPlan, Meet } from './plan.ts';
import type { ChosenFile, ReadFile } from './read-file.ts';
import { headersOf } from './source.ts';
import {
  type ChosenMeanings,
  type ColumnValues,
  type FoundValue,
  meaningOf,
  type Polarities,
} from './values.ts';
import { t } from '../../../text/t.ts';

export type WizardStep = 'file' | 'review' | 'done';

/** Cells with a character that a wrong encoding left behind, by their place in the file. */
export interface Damage {
  count: number;
  first: { line: number; column: number }[];
}

/** What a person chose of values: kept for files with the same headings. */
export interface ValueChoices {
  /** What was chosen for single values of a column. */
  chosen: ChosenMeanings;
  /** What the positive half of a pair means in a column. */
  polarities: Polarities;
}

export interface WizardState extends ValueChoices {
  step: WizardStep;
  /** Work that has to end before anything else can be done. */
  busy: { label: string; done: number | undefined } | null;
  /** The file is being compared with the matrix; choices go on meanwhile. */
  comparing: { done: number | undefined } | null;
  problem: string | null;
  /** Files that were not read, since they are of a matrix under this profile. */
  wanted: { profileUid: ProfileUid; files: readonly File[] } | null;
  opened: ChosenFile | null;
  read: ReadFile | null;
  damage: Damage;
  /** Index of the heading row among the table's rows. */
  headerRow: number;
  mapping: Mapping;
  /** Of each column, why it is used so. */
  reasons: readonly string[];
  /** Columns and values are used as the last time. */
  remembered: boolean;
  columns: readonly ColumnValues[];
  keepsWords: boolean;
  emptyClears: boolean;
  meet: Meet;
  /** Items of the case that are meant by other IDs of the file. */
  aliases: ReadonlyMap<string, string>;
  /** Null while it is not known what the import would do. */
  plan: ImportPlan | null;
  result: { items: number; cells: number } | null;
}

export const START: WizardState = {
  step: 'file',
  busy: null,
  comparing: null,
  problem: null,
  wanted: null,
  opened: null,
  read: null,
  damage: { count: 0, first: [] },
  headerRow: 0,
  mapping: { form: 'wide', roles: [] },
  reasons: [],
  remembered: false,
  columns: [],
  chosen: new Map(),
  polarities: new Map(),
  keepsWords: true,
  emptyClears: false,
  meet: 'fill',
  aliases: new Map(),
  plan: null,
  result: null,
};

export const headersNow = ({ read, headerRow }: WizardState): string[] =>
  read === null ? [] : headersOf(read.table, headerRow);

export const isUndecided = (
  { chosen, polarities }: ValueChoices,
  column: number,
  value: FoundValue,
): boolean => meaningOf(value, chosen.get(column), polarities.get(column)) === undefined;

/** The values that map to nothing yet, with their columns. */
export const undecided = (
  state: Pick<WizardState, 'columns'> & ValueChoices,
): { column: number; value: FoundValue }[] =>
  state.columns.flatMap(({ column, values }) =>
    values.filter((value) => isUndecided(state, column, value)).map((value) => ({ column, value })),
  );

/** Why nothing can be imported; empty where it can. */
export function obstacles(state: WizardState): string[] {
  const { step, read, headerRow, mapping, plan } = state;
  if (step !== 'review' || read === null) return [];
  if (read.table.rows.length <= headerRow + 1) return [t('There is no row below the headings.')];
  const problems = mappingProblems(mapping, headersNow(state));
  if (problems.length > 0) return problems;
  const open = undecided(state).length;
  if (open > 0)
    return [
      t(
        '{values, plural, one {One value is not mapped yet.} other {{values} values are not mapped yet.}}',
        { values: open },
      ),
    ];
  return plan?.problem === undefined ? [] : [plan.problem];
}
