import { text as textOf } from '../../../../shared/contract/common.ts';
import { MAX_ITEMS } from '../../../../shared/contract/v1/evidence.ts';
import { spreadsheetDamage } from '../../../../shared/domain/spreadsheet-damage.ts';
import { itemUidProblem } from '../../../../shared/domain/uid.ts';
import type { ItemEdit, MatrixSession } from '../../../data/store/port.ts';

import { type ItemLine, readItemLines, type RefusedLine } from './item-lines.ts';
import { t, tOf } from '../../../text/t.ts';

/** What a pasted list would add, and what not. */
export interface AddPlan {
  items: readonly ItemLine[];
  refused: readonly RefusedLine[];
  /** Uids that a spreadsheet seems to have changed: added only where the person says so. */
  flagged: readonly RefusedLine[];
  hasHeader: boolean;
}

export const NO_ITEMS: AddPlan = { items: [], refused: [], flagged: [], hasHeader: false };

const [Label, Type] = [textOf(500), textOf(64, 1)];
const FULL = t('A case holds at most {most, number} items.', { most: MAX_ITEMS });

function problemOf(
  { item_uid, label, item_type }: ItemLine,
  session: Pick<MatrixSession, 'rowOf'>,
): string | undefined {
  const uid = itemUidProblem(item_uid);
  if (uid !== undefined) return tOf(uid);
  if (session.rowOf(item_uid) >= 0) return t('Is in the matrix already.');
  const labelIssue = label === undefined ? undefined : Label.safeParse(label).error?.issues[0];
  if (labelIssue !== undefined) return t('Label: {message}', { message: tOf(labelIssue.message) });
  const typeIssue =
    item_type === undefined ? undefined : Type.safeParse(item_type).error?.issues[0];
  return typeIssue === undefined
    ? undefined
    : t('Type: {message}', { message: tOf(typeIssue.message) });
}

/**
 * Reads a list of any length; `pause` is called line by line and gives the window its turn where
 * one is due.
 */
export async function planItems(
  text: string,
  session: Pick<MatrixSession, 'items' | 'rowOf'>,
  pause: () => Promise<void> | undefined,
): Promise<AddPlan> {
  const [items, refused, flagged]: [ItemLine[], RefusedLine[], RefusedLine[]] = [[], [], []];
  let hasHeader = false;
  for (const line of readItemLines(text)) {
    const turn = pause();
    if (turn !== undefined) await turn;
    if (line.kind === 'header') hasHeader = true;
    else if (line.kind === 'refused')
      refused.push({ line: line.line, item_uid: line.item_uid, message: line.message });
    else {
      const { kind: _, ...item } = line;
      const full = session.items.length + items.length >= MAX_ITEMS ? FULL : undefined;
      const problem = problemOf(item, session) ?? full;
      const damage = problem === undefined ? spreadsheetDamage(item.item_uid) : null;
      if (problem === undefined) items.push(item);
      else refused.push({ line: item.line, item_uid: item.item_uid, message: problem });
      if (damage !== null)
        flagged.push({ line: item.line, item_uid: item.item_uid, message: tOf(damage) });
    }
  }
  return { items, refused, flagged, hasHeader };
}

/**
 * The edits of a plan, in the order of its lines. Each goes before the same row, so they keep their
 * order.
 */
export function editsOf(
  plan: AddPlan,
  withFlagged: boolean,
  before: string | undefined,
): ItemEdit[] {
  const left = withFlagged
    ? new Set<string>()
    : new Set(plan.flagged.map((entry) => entry.item_uid));
  return plan.items
    .filter((item) => !left.has(item.item_uid))
    .map(({ item_uid, label, item_type }) => ({
      do: 'add',
      item_uid,
      ...(before !== undefined && { before }),
      ...(label !== undefined && { label }),
      ...(item_type !== undefined && { item_type }),
    }));
}
