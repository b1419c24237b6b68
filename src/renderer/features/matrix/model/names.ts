import { fieldKeyOf } from './fields.ts';
import type { CellAddress, MatrixSession } from '../../../data/store/port.ts';

type NameReads = Pick<MatrixSession, 'items' | 'rowOf' | 'profile' | 'removedItems'>;

/** What messages call an item: its label, or its ID where it has none. */
export function itemName(session: NameReads, uid: string): string {
  const item =
    session.items[session.rowOf(uid)] ??
    session.removedItems().find(({ item_uid }) => item_uid === uid);
  return item === undefined || item.label === '' ? uid : item.label;
}

/** What messages call a rule. */
export const ruleName = ({ profile }: Pick<NameReads, 'profile'>, uid: string): string =>
  profile.rules.find(({ ruleUid }) => ruleUid === uid)?.name ?? uid;

/** What messages call a column: the name of a rule, or of a field of the items. */
export const columnName = (session: Pick<NameReads, 'profile'>, column: string): string =>
  fieldKeyOf(column) ?? ruleName(session, column);

/** What messages call a cell. */
export const cellName = (session: NameReads, { item, rule }: CellAddress): string =>
  `${itemName(session, item)}, ${columnName(session, rule)}`;
