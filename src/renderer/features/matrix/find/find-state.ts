import type { StoreApi } from 'zustand/vanilla';
import type { Editor } from '../editor/editor.ts';
import { itemName, ruleName } from '../model/names.ts';
import type { FindIndex, Hit } from './find-index.ts';
import { FOUND_IN_WORDS } from './find-index.ts';

export const SCOPES = ['all', 'selection', 'rule'] as const;
export type FindScope = (typeof SCOPES)[number];

export interface FindState {
  open: boolean;
  text: string;
  matchCase: boolean;
  scope: FindScope;
  /** Those in the items and rules shown, in display order. */
  hits: readonly Hit[];
  /** The one that the focus was led to; -1 before the first. */
  at: number;
  /** How many more there are in items or rules that are not shown. */
  hidden: number;
  /** A new object with every step, for the flash. */
  led: { item: string; rule: string; ofItem: boolean; field: string | undefined } | null;
}

/** Finding in one editor. */
export interface Finder {
  readonly store: StoreApi<FindState>;
  readonly index: FindIndex;
  /** Opens the bar, or calls it again. */
  open(): void;
  close(): void;
  set(change: Partial<Pick<FindState, 'text' | 'matchCase' | 'scope'>>): void;
  step(backwards: boolean): void;
  /** Set by the bar while it is on screen. */
  bar: { enter(): void; hasFocus(): boolean } | undefined;
}

export const CLOSED: FindState = {
  open: false,
  text: '',
  matchCase: false,
  scope: 'all',
  hits: [],
  at: -1,
  hidden: 0,
  led: null,
};

/** Which item, rule and text a hit is in. */
export function whereOf({ session }: Editor, hit: Hit): string {
  const item = itemName(session, session.items[hit.row]?.item_uid ?? '');
  const uid = session.rules[hit.column];
  if (hit.key !== undefined) return `${item}, ${hit.key}`;
  const place = FOUND_IN_WORDS[hit.in];
  return uid === undefined ? `${item}, ${place}` : `${item}, ${ruleName(session, uid)}, ${place}`;
}
