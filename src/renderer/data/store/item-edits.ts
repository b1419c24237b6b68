import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { Metadata, text } from '../../../shared/contract/common.ts';
import { MAX_ITEMS } from '../../../shared/contract/v1/evidence.ts';
import { ItemUid } from '../../../shared/domain/uid.ts';
import type { ItemField } from '../../../sync/register.ts';
import type { ItemEdit } from './port.ts';
import { RowOrder } from './row-order.ts';
import { t, tOf } from '../../text/t.ts';

export interface ItemFields {
  item_type: string;
  label: string;
  metadata: Record<string, unknown>;
  position: number;
  exists: boolean;
}
/** The rows that edits are applied to. */
export interface ItemRows {
  get(uid: string): Readonly<ItemFields> | undefined;
  /** All, removed ones too, in row order. */
  ordered(): Iterable<{ item_uid: string; position: number }>;
  /** How many are shown. */
  readonly shown: number;
}
export interface ItemWrite {
  item: string;
  field: ItemField;
  value: unknown;
}

/**
 * An item of which only the uid is known; it is shown with the same defaults that the server uses.
 */
export const EMPTY_ITEM: ItemFields = {
  item_type: 'item',
  label: '',
  metadata: {},
  position: 0,
  exists: true,
};

const FIELDS = {
  label: ['Label', text(500)],
  item_type: ['Type', text(64, 1)],
  metadata: ['Metadata', Metadata],
} as const;
const VALUE_FIELDS = ['label', 'item_type', 'metadata', 'position'] as const;

const differs = (a: unknown, b: unknown): boolean =>
  a !== b && (typeof a !== 'object' || canonicalJson(a) !== canonicalJson(b));

/**
 * Turns edits into writes of single fields, each field once, compared with the rows as they are.
 * Edits that cannot be applied are reported and left out.
 */
class ItemEdits {
  readonly problems: { index: number; message: string }[] = [];
  readonly #rows: ItemRows;
  readonly #changed = new Map<string, ItemFields>();
  readonly #kept = new Set<string>();
  #order: RowOrder | null = null;
  #shown: number;

  constructor(rows: ItemRows) {
    this.#rows = rows;
    this.#shown = rows.shown;
  }

  read(edits: readonly ItemEdit[]): void {
    edits.forEach((edit, index) => {
      const message = this.#problem(edit);
      if (message === null) this.#take(edit);
      else this.problems.push({ index, message });
    });
  }

  writes(): ItemWrite[] {
    for (const [uid, position] of this.#order?.positions() ?? [])
      this.#edit(uid).position = position;
    const writes: ItemWrite[] = [...this.#kept]
      .filter((item) => !this.#exists(item))
      .map((item) => ({ item, field: 'x', value: { deleted: true } }));
    /**
     * Of rows that are removed before and after: they make room for others, but nothing of them
     * alone is worth a step.
     */
    const hidden: ItemWrite[] = [];
    for (const [item, fields] of this.#changed) {
      const previous = this.#rows.get(item);
      if (previous === undefined && !fields.exists) continue;
      if (previous?.exists === false && !fields.exists) {
        if (fields.position !== previous.position)
          hidden.push({ item, field: 'position', value: fields.position });
        continue;
      }
      if (previous?.exists !== fields.exists)
        writes.push({ item, field: 'x', value: { deleted: !fields.exists } });
      for (const field of VALUE_FIELDS) {
        if (
          (previous === undefined && field === 'position') ||
          differs(fields[field], (previous ?? EMPTY_ITEM)[field])
        )
          writes.push({ item, field, value: fields[field] });
      }
    }
    return writes.length === 0 ? [] : [...writes, ...hidden];
  }

  #problem(edit: ItemEdit): string | null {
    if (edit.do === 'move') {
      const missing = edit.item_uids.find((uid) => !this.#exists(uid));
      return missing !== undefined
        ? t('{missing}: is not in the matrix.', { missing })
        : edit.before === null || this.#exists(edit.before)
          ? null
          : t('The row to move before is not in the matrix.');
    }
    if (edit.do === 'keep-removed')
      return this.#rows.get(edit.item_uid)?.exists === false && !this.#exists(edit.item_uid)
        ? null
        : t('Is not removed.');
    if (edit.do !== 'add')
      return this.#exists(edit.item_uid)
        ? edit.do === 'set'
          ? valueProblem(edit)
          : null
        : t('Is not in the matrix.');
    const uid = ItemUid.safeParse(edit.item_uid);
    if (!uid.success) return tOf(uid.error.issues[0]?.message ?? t('Is not a usable identifier.'));
    if (this.#exists(edit.item_uid))
      return this.#rows.get(edit.item_uid)?.exists === true
        ? t('Is in the matrix already.')
        : t('Is named twice.');
    if (this.#shown >= MAX_ITEMS)
      return t('A case holds at most {most} items.', { most: MAX_ITEMS });
    if (edit.before !== undefined && !this.#exists(edit.before))
      return t('The row to add it before is not in the matrix.');
    return valueProblem(edit);
  }

  #take(edit: ItemEdit): void {
    if (edit.do === 'move') {
      const uids = new Set(edit.item_uids);
      const order = this.#ordered();
      const before = edit.before === null ? null : order.rowFrom(edit.before, uids);
      for (const uid of order.sorted(uids)) order.place(uid, before);
      return;
    }
    if (edit.do === 'keep-removed') {
      this.#kept.add(edit.item_uid);
      return;
    }
    const fields = this.#edit(edit.item_uid);
    if (edit.do === 'remove') {
      fields.exists = false;
      this.#shown -= 1;
      return;
    }
    if (edit.do === 'add') {
      fields.exists = true;
      this.#shown += 1;
      this.#ordered().place(edit.item_uid, edit.before ?? null);
    }
    if (edit.label !== undefined) fields.label = edit.label;
    if (edit.item_type !== undefined) fields.item_type = edit.item_type;
    if (edit.metadata !== undefined) fields.metadata = edit.metadata;
  }

  #ordered(): RowOrder {
    return (this.#order ??= new RowOrder(this.#rows.ordered()));
  }
  #exists(uid: string): boolean {
    return (this.#changed.get(uid) ?? this.#rows.get(uid))?.exists === true;
  }
  #edit(uid: string): ItemFields {
    let fields = this.#changed.get(uid);
    if (fields === undefined) {
      const { item_type, label, metadata, position, exists } = this.#rows.get(uid) ?? {
        ...EMPTY_ITEM,
        exists: false,
      };
      this.#changed.set(uid, (fields = { item_type, label, metadata, position, exists }));
    }
    return fields;
  }
}

function valueProblem(edit: {
  label?: string;
  item_type?: string;
  metadata?: Record<string, unknown>;
}): string | null {
  for (const field of ['label', 'item_type', 'metadata'] as const) {
    const [name, schema] = FIELDS[field];
    const issue =
      edit[field] === undefined ? undefined : schema.safeParse(edit[field]).error?.issues[0];
    if (issue !== undefined) return `${name}: ${tOf(issue.message)}`;
  }
  return null;
}

/** What `edits` write, and what is wrong with some of them. */
export function resolveItems(
  rows: ItemRows,
  edits: readonly ItemEdit[],
): { writes: ItemWrite[]; problems: { index: number; message: string }[] } {
  const read = new ItemEdits(rows);
  read.read(edits);
  return { writes: read.writes(), problems: read.problems };
}
