import { MAX_RULES } from '../../../../shared/domain/profile.ts';
import { createDelimitedReader } from '../../../files/delimited.ts';
import { FileProblem } from '../../../files/table.ts';
import type { RuleTextField, RuleValues } from './change-draft.ts';
import { t } from '../../../text/t.ts';

/** What a column of the pasted table holds. */
export type PastedColumn = RuleTextField | 'ignore';

export interface RuleTable {
  /** One a column, from its heading or else from its place. */
  columns: PastedColumn[];
  /** The first line names the columns. */
  headed: boolean;
  rows: string[][];
  /** Why the lines cannot be separated for certain. */
  damage?: string | undefined;
}

export const COLUMN_WORDS: Record<PastedColumn, string> = {
  ruleUid: t('Rule ID'),
  name: t('Name'),
  description: t('Description'),
  evidenceMeaning: t('FALSE means'),
  problemMeaning: t('TRUE means'),
  notAvailableMeaning: t('NA means'),
  ignore: t('Leave out'),
};

/**
 * Headings that say a column, with case, spaces and signs left aside. Others are left for a person
 * to place.
 */
const HEADINGS = new Map<string, PastedColumn>([
  ['ruleuid', 'ruleUid'],
  ['uid', 'ruleUid'],
  ['rule', 'name'],
  ['name', 'name'],
  ['rulename', 'name'],
  ['description', 'description'],
  ['check', 'description'],
  ['evidencemeaning', 'evidenceMeaning'],
  ['false', 'evidenceMeaning'],
  ['falsemeans', 'evidenceMeaning'],
  ['evidencepresent', 'evidenceMeaning'],
  ['problemmeaning', 'problemMeaning'],
  ['true', 'problemMeaning'],
  ['truemeans', 'problemMeaning'],
  ['problemfound', 'problemMeaning'],
  ['notavailablemeaning', 'notAvailableMeaning'],
  ['na', 'notAvailableMeaning'],
  ['nameans', 'notAvailableMeaning'],
  ['notavailable', 'notAvailableMeaning'],
  ['ruleorder', 'ignore'],
  ['order', 'ignore'],
]);
const BY_PLACE: readonly PastedColumn[] = [
  'ruleUid',
  'name',
  'description',
  'evidenceMeaning',
  'problemMeaning',
  'notAvailableMeaning',
];
/** So many known headings make a line of headings. */
const ENOUGH = 2;

const headingOf = (cell: string): PastedColumn | undefined =>
  HEADINGS.get(cell.toLowerCase().replace(/[^a-z]/g, ''));

/**
 * Tab-separated lines as spreadsheets copy them; quoted cells may hold tabs and line ends. Empty
 * lines are no rules.
 */
function linesOf(text: string): { lines: string[][]; damage?: string } {
  const lines: string[][] = [];
  const reader = createDelimitedReader('\t', (fields) => {
    if (fields.some((field) => field.trim() !== ''))
      lines.push(fields.map((field) => field.replace(/\r\n?/g, '\n')));
  });
  try {
    reader.push(text);
    reader.end();
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    return { lines: lines.slice(0, MAX_RULES), damage: error.message };
  }
  return reader.unclosed === undefined
    ? { lines }
    : {
        lines,
        damage: t('Line {line}: a quotation mark opens a cell that is never closed.', {
          line: reader.unclosed,
        }),
      };
}

export function readRuleTable(text: string): RuleTable {
  const { lines, damage } = linesOf(text);
  const [first = []] = lines;
  const width = Math.max(0, ...lines.map((line) => line.length));
  const named = first.map(headingOf);
  const headed = named.filter((column) => column !== undefined).length >= ENOUGH;
  const places = width < BY_PLACE.length ? BY_PLACE.slice(1) : BY_PLACE;
  const used = new Set<PastedColumn>();
  const columns = Array.from({ length: width }, (_, index): PastedColumn => {
    const column = (headed ? named[index] : places[index]) ?? 'ignore';
    if (column === 'ignore' || used.has(column)) return 'ignore';
    used.add(column);
    return column;
  });
  return { columns, headed, rows: headed ? lines.slice(1) : lines, damage };
}

export function rulesOf({ rows, columns }: RuleTable): RuleValues[] {
  return rows.map((row) => {
    const values: RuleValues = {
      ruleUid: '',
      name: '',
      description: '',
      evidenceMeaning: '',
      problemMeaning: '',
      notAvailableMeaning: '',
    };
    for (const [index, column] of columns.entries())
      if (column !== 'ignore') values[column] = (row[index] ?? '').trim();
    return values;
  });
}

/** Why the table cannot be added as it is, beyond what the editor itself will say of each field. */
export function tableProblem(
  { rows, columns, damage }: RuleTable,
  present: number,
): string | undefined {
  if (damage !== undefined) return damage;
  if (rows.length === 0) return t('There is no line of text yet.');
  if (!columns.includes('name')) return t('Say which column holds the name of the rule.');
  if (rows.length + present > MAX_RULES)
    return t('A profile holds at most {most} rules; with these it would hold {rules}.', {
      most: MAX_RULES,
      rules: rows.length + present,
    });
  return undefined;
}
