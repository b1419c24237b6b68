import type { AccountId } from '../../../shared/contract/ids.ts';
import type { ListedCell } from '../../../shared/contract/v1/cells.ts';
import type { Cell, Evidence } from '../../../shared/contract/v1/evidence.ts';
import type { ReadContext } from '../db/context.ts';
import { type Listed, type Page, readCursor, writeCursor } from '../db/cursor.ts';
import { yieldToEventLoop } from '../db/event-loop.ts';
import type { MatrixQuery } from '../db/matrix-query.ts';
import { type HiddenCells, hiddenCells } from '../rounds/hidden-cells.ts';
import { evidencePage } from './evidence-page.ts';

/** Which cells of a matrix are listed. */
export interface CellListQuery extends MatrixQuery {
  since: string | undefined;
  /** Leaves out cells that the rest of the query means. */
  isLeftOut?: (cell: Pick<ListedCell, 'item_uid' | 'rule_uid' | 'revision'>) => boolean;
}

/** Items that are read in one go. */
const ITEMS_AT_ONCE = 50;
/** Most items that one page looks at: a page may be short, and go on. */
const MOST_LOOKED_AT = 1_000;
const CURSOR = 'cells';

/** Where a page of cells goes on: behind a rule of an item, in the page of items after a cursor. */
interface Place {
  items: string | undefined;
  item: string;
  rule: string;
}

const placeOf = (cursor: string | undefined): Place => {
  if (cursor === undefined) return { items: undefined, item: '', rule: '' };
  const [items, item, rule] = readCursor(CURSOR, ['string', 'string', 'string'], cursor);
  return {
    items: items === '' ? undefined : String(items),
    item: String(item),
    rule: String(rule),
  };
};

const open = (item_uid: string, rule_uid: string): ListedCell => ({
  item_uid,
  rule_uid,
  raw_outcome: null,
  matrix_value: null,
  source_value: null,
  notes: null,
  provenance: null,
  updated_at: null,
  updated_by: null,
  recorded_by: null,
  revision: 0,
  contested: false,
});

function isWanted(
  { raw_outcome, recorded_by, updated_at }: ListedCell,
  { outcome, recorded_by: of, since }: CellListQuery,
): boolean {
  if (outcome !== undefined && (raw_outcome ?? 'unrecorded') !== outcome) return false;
  if (of?.kind !== undefined && recorded_by?.kind !== of.kind) return false;
  if (of?.name !== undefined && recorded_by?.name !== of.name) return false;
  return since === undefined || (updated_at !== null && updated_at >= since);
}

/**
 * Whether a cell is hidden from the caller: where cells of some outcome are asked for, it is none
 * of them, and nobody says that it is not recorded.
 */
const isHidden = (
  hidden: HiddenCells | undefined,
  { profile_uid: profile, profile_version: version }: Evidence,
  { item_uid: item, rule_uid: rule }: ListedCell,
): boolean => hidden?.hides({ profile, version, rule, item }) === true;

/** All cells of an item, in the order of the rules. */
function cellsOf(
  { item_uid, evidence }: Evidence['items'][number],
  rules: readonly string[],
): ListedCell[] {
  const found = new Map<string, Cell>(evidence.map((cell) => [cell.rule_uid, cell]));
  return rules.map((rule) => found.get(rule) ?? open(item_uid, rule));
}

/**
 * A page of the cells of a matrix, recorded or open, item by item. It has fewer than `limit` cells
 * where very many items were looked at for it. Throws not_found.
 */
export async function listCells(
  ctx: ReadContext,
  account: AccountId,
  query: CellListQuery,
  { limit, cursor }: Page,
  keys = true,
): Promise<Listed<ListedCell>> {
  let place = placeOf(cursor);
  const data: ListedCell[] = [];
  const hidden =
    query.outcome === undefined ? undefined : await hiddenCells(ctx, account, query.case_uid);
  for (let looked = 0; looked < MOST_LOOKED_AT; looked += ITEMS_AT_ONCE) {
    if (looked > 0) await yieldToEventLoop();
    const page = { limit: ITEMS_AT_ONCE, cursor: place.items };
    const shown = (await evidencePage(ctx, account, query, page, keys)).value();
    const { items, rules, next_cursor } = shown;
    const wanted =
      query.rule_uid === undefined ? rules : rules.filter((uid) => uid === query.rule_uid);
    if (wanted.length === 0) return { data, next_cursor: null };
    const start = Math.max(
      0,
      items.findIndex(({ item_uid }) => item_uid === place.item),
    );
    for (const item of items.slice(start)) {
      const behind = item.item_uid === place.item ? wanted.indexOf(place.rule) + 1 : 0;
      for (const cell of cellsOf(item, wanted).slice(behind)) {
        if (!isWanted(cell, query) || query.isLeftOut?.(cell) === true) continue;
        if (isHidden(hidden, shown, cell)) continue;
        if (data.length === limit) {
          const last = data.at(-1) as ListedCell;
          return {
            data,
            next_cursor: writeCursor(CURSOR, [place.items ?? '', last.item_uid, last.rule_uid]),
          };
        }
        data.push(cell);
      }
    }
    if (next_cursor === null) return { data, next_cursor: null };
    place = { items: next_cursor, item: '', rule: '' };
  }
  return { data, next_cursor: writeCursor(CURSOR, [place.items ?? '', '', '']) };
}
