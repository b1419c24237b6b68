import type { RegisterCell } from '../../../sync/register.ts';
import type { ProfileUid } from '../../../shared/contract/ids.ts';
import type { ReadContext } from '../db/context.ts';
import { namedCells } from '../evidence/evidence-read.ts';
import type { ShownCell } from './cell-states.ts';

interface OfMatrix {
  casePk: number;
  profile_uid: string;
  profile_version: string;
}

const matrixOf = ({ session }: ReadContext, { casePk, profile_uid, profile_version }: OfMatrix) =>
  session.db
    .selectFrom('matrices')
    .where('account', '=', session.account)
    .where('case_pk', '=', casePk)
    .where('profile_uid', '=', profile_uid as ProfileUid)
    .where('profile_version', '=', profile_version);

/** The digest of the document that the case's log names for the matrix (YS4). */
export async function namedDocument(
  ctx: ReadContext,
  matrix: OfMatrix,
): Promise<string | undefined> {
  const row = await matrixOf(ctx, matrix).select(['digest', 'named']).executeTakeFirst();
  return row?.named === 1 ? (row.digest ?? undefined) : undefined;
}

/** What the record shows in some cells of one matrix. */
export class ShownCells {
  readonly #cells = new Map<string, ShownCell>();

  add(rule: string, item: string, cell: ShownCell): void {
    this.#cells.set(`${rule}/${item}`, cell);
  }

  get({ rule, item }: Pick<RegisterCell, 'rule' | 'item'>): ShownCell | undefined {
    return this.#cells.get(`${rule}/${item}`);
  }
}

/** Reads what the record shows where these suggestions are for. */
export async function shownCells(
  ctx: ReadContext,
  matrix: OfMatrix,
  of: readonly Pick<RegisterCell, 'rule' | 'item'>[],
): Promise<ShownCells> {
  const shown = new ShownCells();
  if (of.length === 0) return shown;
  const { session } = ctx;
  const all = (key: 'rule' | 'item'): string[] => [...new Set(of.map((cell) => cell[key]))];
  const cells = await namedCells(ctx)
    .select([
      'rule_uid',
      'item_uid',
      'raw',
      'source_value',
      'provenance',
      'head_seq',
      'head_index',
      'restores',
      'revision',
      'contested',
    ])
    .where('cells.account', '=', session.account)
    .where('matrix_pk', '=', matrixOf(ctx, matrix).select('matrix_pk'))
    .where('case_pk', '=', matrix.casePk)
    .where(session.inList('rule_uid', all('rule')))
    .where(session.inList('item_uid', all('item')))
    .execute();
  for (const { rule_uid, item_uid, raw, source_value, provenance, restores, ...cell } of cells)
    shown.add(rule_uid, item_uid, {
      head: cell.head_seq === null ? null : { seq: cell.head_seq, index: cell.head_index ?? 0 },
      revision: cell.revision,
      contested: cell.contested,
      raw,
      sourceValue: source_value,
      provenance,
      restores,
    });
  return shown;
}
