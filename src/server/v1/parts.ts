import type { ItemEvidence, ListedCell } from '../../shared/contract/v1/cells.ts';
import { CELL_MEMBERS, type Evidence, ITEM_MEMBERS } from '../../shared/contract/v1/evidence.ts';

/** The members of a record that a request chose (`fields`), beside its identifiers. */
function partOf(
  record: object,
  identifiers: readonly string[],
  fields: string,
  members: readonly string[],
): object {
  const chosen = new Set([
    ...identifiers,
    ...fields.split(',').filter((name) => members.includes(name)),
  ]);
  return Object.fromEntries(Object.entries(record).filter(([name]) => chosen.has(name)));
}

const cellPart = (cell: object, fields: string): object =>
  partOf(cell, ['item_uid', 'rule_uid'], fields, CELL_MEMBERS);
const itemPart = (item: object, fields: string): object =>
  partOf(item, ['item_uid'], fields, ITEM_MEMBERS);

export const partOfPage = ({ items, ...page }: Evidence, fields: string): string =>
  JSON.stringify({
    ...page,
    items: items.map(({ evidence, ...item }) => ({
      ...itemPart(item, fields),
      evidence: evidence.map((cell) => cellPart(cell, fields)),
    })),
  });

export const partOfItem = ({ item, evidence, ...of }: ItemEvidence, fields: string): string =>
  JSON.stringify({
    ...of,
    item: itemPart(item, fields),
    evidence: evidence.map((cell) => cellPart(cell, fields)),
  });

export const partOfCell = (cell: ListedCell, fields: string): string =>
  JSON.stringify(cellPart(cell, fields));

export const partOfCells = (
  { data, ...page }: { data: readonly ListedCell[]; next_cursor: string | null },
  fields: string,
): string => JSON.stringify({ ...page, data: data.map((cell) => cellPart(cell, fields)) });
