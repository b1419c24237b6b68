import { pageAddress } from '../../../../shared/contract/page-addresses.ts';

/** The page of an item of a run. */
export const itemPath = (runUid: string, itemUid: string): string =>
  `${pageAddress('runItem', { runUid })}?${new URLSearchParams({ uid: itemUid })}`;

/** An item's card: a report of one page. */
export const cardPath = (runUid: string, itemUid: string): string =>
  `${pageAddress('report', { runUid })}?${new URLSearchParams({ item: itemUid })}`;
