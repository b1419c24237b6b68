import { spreadsheetDamage } from '../../../../shared/domain/spreadsheet-damage.ts';
import type { ItemEdit, MatrixSession } from '../../../data/port.ts';
import { type ItemLine, parseItemLines, type Refusal } from './item-lines.ts';

/** What a pasted list would add, and what not. */
export interface AddPlan {
  items: readonly ItemLine[];
  refused: readonly Refusal[];
  /** Uids that a spreadsheet seems to have changed: added only where the person says so. */
  flagged: readonly Refusal[];
  hasHeader: boolean;
}

const editOf = ({ item_uid, label, item_type }: ItemLine, before?: string): ItemEdit => ({ do: 'add', item_uid, ...(before !== undefined && { before }), ...(label !== undefined && { label }), ...(item_type !== undefined && { item_type }) });

export function planItems(text: string, session: Pick<MatrixSession, 'check'>): AddPlan {
  const { items, refused, hasHeader } = parseItemLines(text);
  const problems = new Map(session.check(items.map((item) => editOf(item))).map(({ index, message }) => [index, message]));
  const flagged: Refusal[] = [];
  const bad: Refusal[] = [];
  items.forEach(({ line, item_uid }, index) => {
    const problem = problems.get(index);
    const damage = problem === undefined ? spreadsheetDamage(item_uid) : null;
    if (problem !== undefined) bad.push({ line, item_uid, message: problem });
    else if (damage !== null) flagged.push({ line, item_uid, message: damage });
  });
  return { items: items.filter((_, index) => !problems.has(index)), refused: [...refused, ...bad].sort((a, b) => a.line - b.line), flagged, hasHeader };
}

/** The edits of a plan, in the order of its lines. Each goes before the same row, so they keep their order. */
export function editsOf(plan: AddPlan, withFlagged: boolean, before: string | undefined): ItemEdit[] {
  const left = withFlagged ? new Set<string>() : new Set(plan.flagged.map((entry) => entry.item_uid));
  return plan.items.filter((item) => !left.has(item.item_uid)).map((item) => editOf(item, before));
}
