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

/** What messages call a cell. */
export const cellName = (session: NameReads, { item, rule }: CellAddress): string =>
  `${itemName(session, item)}, ${ruleName(session, rule)}`;
