import Papa from 'papaparse';
import { MAX_RULES } from '../../../../shared/domain/profile.ts';
import type { RuleTextField, RuleValues } from './change-draft.ts';

/** What a column of the pasted table holds. */
export type Column = RuleTextField | 'ignore';

export interface RuleTable {
  /** One a column, from its heading or else from its place. */
  columns: Column[];
  /** The first line names the columns. */
  headed: boolean;
  rows: string[][];
}

export const COLUMN_WORDS: Record<Column, string> = {
  ruleUid: 'Rule uid', name: 'Name', description: 'Description', evidenceMeaning: 'FALSE means', problemMeaning: 'TRUE means', notAvailableMeaning: 'NA means', ignore: 'Leave out',
};

/** Headings that say a column, with case, spaces and signs left aside. Others are left for a person to place. */
const HEADINGS = new Map<string, Column>(Object.entries({
  ruleuid: 'ruleUid', uid: 'ruleUid', rule: 'name', name: 'name', rulename: 'name', description: 'description', check: 'description',
  evidencemeaning: 'evidenceMeaning', false: 'evidenceMeaning', falsemeans: 'evidenceMeaning', evidencepresent: 'evidenceMeaning',
  problemmeaning: 'problemMeaning', true: 'problemMeaning', truemeans: 'problemMeaning', problemfound: 'problemMeaning',
  notavailablemeaning: 'notAvailableMeaning', na: 'notAvailableMeaning', nameans: 'notAvailableMeaning', notavailable: 'notAvailableMeaning',
  ruleorder: 'ignore', order: 'ignore',
}));
const BY_PLACE: readonly Column[] = ['ruleUid', 'name', 'description', 'evidenceMeaning', 'problemMeaning', 'notAvailableMeaning'];
/** So many known headings make a line of headings. */
const ENOUGH = 2;

const headingOf = (cell: string): Column | undefined => HEADINGS.get(cell.toLowerCase().replace(/[^a-z]/g, ''));

/** Tab-separated lines as spreadsheets copy them; quoted cells may hold tabs and line ends. Empty lines are no rules. */
export function readRuleTable(text: string): RuleTable {
  const { data } = Papa.parse<string[]>(text.replace(/\r\n?/g, '\n'), { delimiter: '\t', newline: '\n' });
  const lines = data.filter((line) => line.some((cell) => cell.trim() !== ''));
  const [first = []] = lines;
  const width = Math.max(0, ...lines.map((line) => line.length));
  const named = first.map(headingOf);
  const headed = named.filter((column) => column !== undefined).length >= ENOUGH;
  const places = width < BY_PLACE.length ? BY_PLACE.slice(1) : BY_PLACE;
  const used = new Set<Column>();
  const columns = Array.from({ length: width }, (_, index): Column => {
    const column = (headed ? named[index] : places[index]) ?? 'ignore';
    if (column === 'ignore' || used.has(column)) return 'ignore';
    used.add(column);
    return column;
  });
  return { columns, headed, rows: headed ? lines.slice(1) : lines };
}

export function rulesOf({ rows, columns }: RuleTable): RuleValues[] {
  return rows.map((row) => {
    const values: RuleValues = { ruleUid: '', name: '', description: '', evidenceMeaning: '', problemMeaning: '', notAvailableMeaning: '' };
    for (const [index, column] of columns.entries()) if (column !== 'ignore') values[column] = (row[index] ?? '').trim();
    return values;
  });
}

/** Why the table cannot be added as it is, beyond what the editor itself will say of each field. */
export function tableProblem({ rows, columns }: RuleTable, present: number): string | undefined {
  if (rows.length === 0) return 'There is no line of text yet.';
  if (!columns.includes('name')) return 'Say which column holds the name of the rule.';
  if (rows.length + present > MAX_RULES) return `A profile holds at most ${MAX_RULES} rules; with these it would hold ${rows.length + present}.`;
  return undefined;
}
