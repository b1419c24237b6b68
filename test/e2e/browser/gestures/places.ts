import { expect, type Page } from '@playwright/test';
import { type Raw, send, type Studio } from '../support/studio.ts';

/**
 * The four places where the same evidence stands: the server, this browser's database, the session
 * in memory, the screen that draws it.
 */
export const CASE = 'gestures';
export const PROFILE_UID = 'gesture_profile';

export interface Cell {
  item: string;
  rule: string;
}
export interface Shown extends Cell {
  raw: Raw | null;
  contested: boolean;
}
export interface Value {
  raw: Raw | null;
  contested: boolean;
  source_value: string | null;
  notes: string | null;
  provenance: string;
}
export interface Row {
  uid: string;
  label: string;
  type: string;
  metadata: string;
}
export interface Stored {
  rows: Row[];
  cells: Map<string, Value>;
}

export const nameOf = ({ item, rule }: Cell): string => `${item} ${rule}`;
/** Members in one order, so that equal ones read the same. */
const text = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  ) ?? 'null';

export async function onServer(studio: Studio, key: string): Promise<Stored> {
  const stored: Stored = { rows: [], cells: new Map() };
  const page = await send(
    studio,
    key,
    'GET',
    `cases/${CASE}/evidence?profile_uid=${PROFILE_UID}&limit=200`,
  );
  expect(page.next_cursor).toBe(null);
  for (const { item_uid, label, item_type, metadata, evidence } of page.items) {
    stored.rows.push({ uid: item_uid, label, type: item_type, metadata: text(metadata) });
    for (const { rule_uid, raw_outcome, contested, source_value, notes, provenance } of evidence)
      stored.cells.set(`${item_uid} ${rule_uid}`, {
        raw: raw_outcome,
        contested,
        source_value,
        notes,
        provenance: text(provenance),
      });
  }
  return stored;
}

/** Rows as this browser keeps them, and how many steps can be undone and redone. */
export async function inDatabase(
  page: Page,
): Promise<{ rows: Row[]; removed: string[]; undo: number; redo: number }> {
  const { items, stacks } = await page.evaluate(
    () =>
      new Promise<{ items: any[]; stacks: string[] }>((resolve, reject) => {
        const request = indexedDB.open('evidence-studio');
        request.addEventListener('error', () => reject(request.error ?? new Error('not opened')));
        request.addEventListener('success', () => {
          const database = request.result;
          const transaction = database.transaction(['items', 'gestures']);
          const blocks = transaction.objectStore('items').getAll();
          const stacks: string[] = [];
          transaction
            .objectStore('gestures')
            .openCursor()
            .addEventListener('success', ({ target }) => {
              const cursor = (target as IDBRequest<IDBCursorWithValue | null>).result;
              if (cursor === null) return;
              stacks.push(cursor.value.stack);
              cursor.continue();
            });
          transaction.addEventListener('complete', () => {
            database.close();
            resolve({
              items: blocks.result.flatMap((block: { items: unknown[] }) => block.items),
              stacks,
            });
          });
        });
      }),
  );
  const sorted = items.toSorted(
    (a, b) => a.position - b.position || (a.item_uid < b.item_uid ? -1 : 1),
  );
  return {
    rows: sorted
      .filter(({ exists }) => exists)
      .map(({ item_uid, label, item_type, metadata }) => ({
        uid: item_uid,
        label,
        type: item_type,
        metadata: text(metadata),
      })),
    removed: sorted.filter(({ exists }) => !exists).map(({ item_uid }) => item_uid),
    undo: stacks.filter((stack) => stack === 'undo').length,
    redo: stacks.filter((stack) => stack === 'redo').length,
  };
}

/** Every cell on the screen; the window is large enough for the whole matrix. */
export function cellsShown(page: Page): Promise<Shown[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('[role=gridcell][aria-label*=", rule_"]')].flatMap((element) => {
      const parts =
        /^(\S+), (rule_\d+): (TRUE|FALSE|NA|unrecorded)(?:, (?!conflict)[^,]+)?(, conflict)?$/.exec(
          element.getAttribute('aria-label') ?? '',
        );
      return parts === null
        ? []
        : [
            {
              item: parts[1]!,
              rule: parts[2]!,
              raw: parts[3] === 'unrecorded' ? null : (parts[3] as Raw),
              contested: parts[4] !== undefined,
            },
          ];
    }),
  );
}

/** The selected cells, as soon as they are painted. */
export function cellsSelected(page: Page): Promise<Cell[]> {
  return page.evaluate(async () => {
    await new Promise((resolve) => {
      requestAnimationFrame(() => requestAnimationFrame(resolve));
    });
    return [...document.querySelectorAll('.mx-cell[aria-selected=true]')].map((element) => {
      const [item = '', rule = ''] =
        /^(\S+), (rule_\d+): /.exec(element.getAttribute('aria-label') ?? '')?.slice(1) ?? [];
      return { item, rule };
    });
  });
}

/** Uid and heading of each row, in the order on the screen. */
export function rowsShown(page: Page): Promise<{ uid: string; heading: string }[]> {
  return page.evaluate(() => {
    const rows = new Map<number, { uid: string; heading: string }>();
    for (const element of document.querySelectorAll('.ag-row')) {
      const row = rows.get(Number(element.getAttribute('row-index'))) ?? { uid: '', heading: '' };
      const uid = element.querySelector('.mx-cell')?.getAttribute('aria-label')?.split(', ')[0];
      const heading = element.querySelector('[role=rowheader]')?.textContent;
      rows.set(Number(element.getAttribute('row-index')), {
        uid: uid ?? row.uid,
        heading: heading ?? row.heading,
      });
    }
    return [...rows].toSorted(([a], [b]) => a - b).map(([, row]) => row);
  });
}
