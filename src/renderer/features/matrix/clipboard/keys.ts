import { readOutcomeWord } from '../../../../shared/domain/outcome-words.ts';
import { rulesByWord } from '../../../../shared/domain/rule-words.ts';
import { unprotectText } from '../../../../shared/lib/spreadsheet-text.ts';
import type { MatrixSession } from '../../../data/store/port.ts';
import { ABSENT, type PastedTable, wordAt } from '../model/pasted-table.ts';

/** Headings that our own copies give to columns which hold no outcomes. */
export const ITEM_HEADING = 'item_uid';
export const LABEL_HEADING = 'label';
const NO_OUTCOMES = new Set([ITEM_HEADING, LABEL_HEADING, 'item', 'item uid']);

/** Names found in a table's first row and in one of its columns. */
export interface Keys {
  /**
   * The session's column of each of the table's; -1: not a rule's. Absent where no row names rules.
   */
  rules: Int32Array | undefined;
  /**
   * The session's row of each of the table's; -1: not an item's. Absent where no column names
   * items.
   */
  items: Int32Array | undefined;
  /** The column that names items, -1 without. */
  itemColumn: number;
  /** Columns of names and labels. */
  ignored: ReadonlySet<number>;
  unknownRules: string[];
  unknownItems: string[];
  /** Names that stand twice: which of the two is meant is not known. */
  duplicates: string[];
}

const clean = (word: string): string => word.trim().normalize('NFC');

/** Column of a rule, with and without an apostrophe that a copy added. Outcomes name none. */
function createRuleIndex({
  profile,
  columnOf,
}: Pick<MatrixSession, 'profile' | 'columnOf'>): (word: string) => number {
  const ruleOf = rulesByWord(profile.rules);
  return (word) => {
    if (clean(word) === '' || readOutcomeWord(word) !== undefined) return -1;
    const rule = ruleOf(unprotectText(clean(word))) ?? ruleOf(word);
    return rule === undefined ? -1 : columnOf(rule);
  };
}

export function createItemIndex({ rowOf }: Pick<MatrixSession, 'rowOf'>): (word: string) => number {
  return (word) => {
    if (clean(word) === '') return -1;
    const bare = rowOf(unprotectText(clean(word)));
    return bare >= 0 ? bare : rowOf(clean(word));
  };
}

/**
 * R leaves out the corner: its first row is one field shorter, and its names stand one column to
 * the left.
 */
export function lacksCorner({ rows, columns, fields }: PastedTable): boolean {
  return (
    rows > 1 && columns > 1 && fields[columns - 1] === ABSENT && fields[columns - 2] !== ABSENT
  );
}

interface ItemColumn {
  column: number;
  items: Int32Array;
  unknown: string[];
  duplicates: string[];
}

function readItems(
  table: PastedTable,
  column: number,
  from: number,
  indexOf: (word: string) => number,
): ItemColumn | undefined {
  const items = new Int32Array(table.rows).fill(-1);
  const seen = new Map<number, string>();
  const unknown: string[] = [];
  const duplicates: string[] = [];
  let found = 0;
  for (let row = from; row < table.rows; row += 1) {
    const word = wordAt(table, row, column);
    if (clean(word) === '') continue;
    const item = indexOf(word);
    items[row] = item;
    if (item < 0) unknown.push(word);
    else {
      found += 1;
      if (seen.has(item)) duplicates.push(word);
      else seen.set(item, word);
    }
  }
  // Numbers that happen to be uids occur many times; real names are repeated by mistake, once or
  // twice.
  const isKey = found > 0 && found >= unknown.length && duplicates.length * 2 <= found;
  return isKey ? { column, items, unknown, duplicates } : undefined;
}

/** What the table names, or undefined where it holds outcomes alone. */
export function findKeys(
  table: PastedTable,
  session: Pick<MatrixSession, 'profile' | 'columnOf' | 'rowOf'>,
): Keys | undefined {
  const ruleIndex = createRuleIndex(session);
  const shift = lacksCorner(table) ? 1 : 0;
  const rules = new Int32Array(table.columns).fill(-1);
  const duplicates: string[] = [];
  const strangers: { column: number; word: string }[] = [];
  const ignored = new Set<number>();
  const named = new Set<number>();
  let found = 0;
  for (let column = shift; column < table.columns; column += 1) {
    const word = wordAt(table, 0, column - shift);
    const rule = ruleIndex(word);
    if (rule < 0) {
      if (NO_OUTCOMES.has(clean(word).toLowerCase())) ignored.add(column);
      else strangers.push({ column, word });
      continue;
    }
    found += 1;
    if (named.has(rule)) duplicates.push(word);
    else rules[column] = rule;
    named.add(rule);
  }
  const hasHeading = found > 0;
  const candidates = hasHeading
    ? Array.from({ length: table.columns }, (_, column) => column)
        .filter((column) => rules[column] === -1)
        .slice(0, 8)
    : table.columns > 1
      ? [0]
      : [];
  const itemIndex = createItemIndex(session);
  let names: ItemColumn | undefined;
  for (const column of candidates)
    names ??= readItems(table, column, hasHeading ? 1 : 0, itemIndex);
  if (!hasHeading && names === undefined) return undefined;
  if (names !== undefined) ignored.add(names.column);
  return {
    rules: hasHeading ? rules : undefined,
    items: names?.items,
    itemColumn: names?.column ?? -1,
    ignored: hasHeading ? ignored : new Set(names === undefined ? [] : [names.column]),
    unknownRules: hasHeading
      ? strangers
          .filter(({ column }) => !ignored.has(column) && (rules[column] ?? -1) < 0)
          .map(({ word }) => word)
      : [],
    unknownItems: names?.unknown ?? [],
    duplicates: [...(hasHeading ? duplicates : []), ...(names?.duplicates ?? [])],
  };
}
