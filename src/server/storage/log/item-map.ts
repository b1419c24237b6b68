import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { ItemField } from '../../../sync/register.ts';
import type { EntryPosition } from './change-index.ts';
import { compiledOnce } from '../db/compiled-once.ts';
import type { WriteContext } from '../db/context.ts';
import type { RegisterBinding } from './head-map.ts';
import { WorkCounter, yieldToEventLoop } from '../db/event-loop.ts';
import type { Placeholders } from '../db/placeholder.ts';

/** An item's row while a transaction works on it. */
export interface ItemState {
  pk: number;
  uid: string;
  itemType: string;
  label: string;
  /** JSON text. */
  metadata: string;
  position: number;
  deleted: boolean;
  heads: Partial<Record<ItemField, [seq: number, index: number]>>;
  version: number;
  createdAt: string;
  isNew: boolean;
  changed: boolean;
  /** `deleted` as stored. */
  wasDeleted: boolean;
}

type SelectedItem = [
  number,
  string,
  string,
  string,
  string,
  number,
  number,
  string,
  number,
  string,
];
const COLUMNS = [
  'item_pk',
  'item_uid',
  'item_type',
  'label',
  'metadata',
  'position',
  'deleted',
  'heads',
  'version',
  'created_at',
] as const;

const itemsQuery = compiledOnce(
  (
    { db, inPlaceholder },
    {
      account,
      casePk,
      uids,
    }: Placeholders<{ account: number; casePk: number; uids: readonly string[] }>,
  ) =>
    db
      .selectFrom('items')
      .select(COLUMNS)
      .where('account', '=', account)
      .where('case_pk', '=', casePk)
      .where(inPlaceholder('item_uid', uids, 'text')),
);

/** The touched items of one case. */
export class ItemMap {
  readonly #ctx: WriteContext;
  readonly #case: number;
  readonly #items = new Map<string, ItemState>();

  constructor(ctx: WriteContext, casePk: number) {
    this.#ctx = ctx;
    this.#case = casePk;
  }

  async load(uids: readonly string[]): Promise<void> {
    const { session } = this.#ctx;
    const wanted = [...new Set(uids)].filter((uid) => !this.#items.has(uid));
    const work = new WorkCounter();
    for (let start = 0; start < wanted.length; start += 2_000) {
      const part = wanted.slice(start, start + 2_000);
      const query = itemsQuery(session, {
        account: session.account,
        casePk: this.#case,
        uids: part,
      });
      for (const [
        pk,
        uid,
        itemType,
        label,
        metadata,
        position,
        deleted,
        heads,
        version,
        createdAt,
      ] of await session.rows<SelectedItem>(query)) {
        this.#items.set(uid, {
          pk,
          uid,
          itemType,
          label,
          metadata,
          position,
          deleted: deleted === 1,
          heads: JSON.parse(heads) as ItemState['heads'],
          version,
          createdAt,
          isNew: false,
          changed: false,
          wasDeleted: deleted === 1,
        });
      }
      if (work.due(part.length)) await yieldToEventLoop();
    }
  }

  get(uid: string): ItemState | undefined {
    return this.#items.get(uid);
  }

  values(): IterableIterator<ItemState> {
    return this.#items.values();
  }

  /** Rows for items that do not exist yet; they are at position 0 until an entry places them. */
  async create(uids: readonly string[]): Promise<void> {
    const fresh = uids.filter((uid) => !this.#items.has(uid));
    if (fresh.length === 0) return;
    const pks = await this.#ctx.session.allocate('items', fresh.length);
    fresh.forEach((uid, index) => {
      this.#items.set(uid, {
        pk: pks[index] as number,
        uid,
        itemType: 'item',
        label: '',
        metadata: '{}',
        position: 0,
        deleted: false,
        heads: {},
        version: 1,
        createdAt: this.#ctx.at,
        isNew: true,
        changed: true,
        wasDeleted: true,
      });
    });
  }

  binding(item: ItemState, field: ItemField): RegisterBinding {
    const stored = item.heads[field];
    return {
      reg: `item/${field}/${item.uid}`,
      get head() {
        const head = item.heads[field];
        return head === undefined ? null : { seq: head[0], index: head[1] };
      },
      set head(head: EntryPosition | null) {
        if (head !== null) item.heads[field] = [head.seq, head.index];
        if (stored !== item.heads[field]) item.changed = true;
      },
      show: (value) => showField(item, field, value),
      noteConflict: () => {},
    };
  }

  /** Writes the touched rows; returns by how much the case's row counts change. */
  async flush(): Promise<{ rows: number; visible: number }> {
    const touched = [...this.#items.values()].filter((item) => item.changed);
    const fresh = touched.filter((item) => item.isNew);
    const known = touched.filter((item) => !item.isNew);
    const columns = ['case_pk', ...COLUMNS, 'updated_at'];
    const row = (item: ItemState): unknown[] => [
      this.#case,
      item.pk,
      item.uid,
      item.itemType,
      item.label,
      item.metadata,
      item.position,
      item.deleted ? 1 : 0,
      JSON.stringify(item.heads),
      item.isNew ? 1 : item.version + 1,
      item.createdAt,
      this.#ctx.at,
    ];
    await this.#ctx.session.insert('items', columns, fresh.map(row));
    await this.#ctx.session.insert('items', columns, known.map(row), {
      target: ['item_pk'],
      update: [
        'item_type',
        'label',
        'metadata',
        'position',
        'deleted',
        'heads',
        'version',
        'updated_at',
      ],
    });
    let visible = 0;
    for (const item of touched) visible += (item.deleted ? 0 : 1) - (item.wasDeleted ? 0 : 1);
    return { rows: fresh.length, visible };
  }
}

function showField(item: ItemState, field: ItemField, value: unknown): void {
  item.changed = true;
  switch (field) {
    case 'item_type':
      item.itemType = value as string;
      break;
    case 'label':
      item.label = value as string;
      break;
    case 'metadata':
      item.metadata = canonicalJson(value);
      break;
    case 'position':
      item.position = value as number;
      break;
    case 'x':
      item.deleted = (value as { deleted: boolean }).deleted;
      break;
  }
}
