import { z } from 'zod';
import { CELL_STATES } from '../../../shared/domain/outcome.ts';
import { ITEM_FIELDS } from '../../../sync/register.ts';
import type { UndoStepRow } from './db.ts';

const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);
const Shorts = z.custom<Uint16Array>((value) => value instanceof Uint16Array);
const Words = z.custom<Uint32Array>((value) => value instanceof Uint32Array);
const Heads = z.strictObject({ id: Words, entry: Shorts });
const Head = z.tuple([z.int().min(0), z.int().min(0)]);
const Detail = z.strictObject({
  source_value: z.string().nullable(),
  notes: z.string().nullable(),
  provenance: z.unknown(),
});

const Row: z.ZodType<UndoStepRow> = z.strictObject({
  matrix: z.string(),
  id: z.string(),
  stack: z.enum(['undo', 'redo', 'past']),
  label: z.string(),
  why: z.string().nullable(),
  at: z.number(),
  items: z.array(z.string()),
  rules: z.array(z.string()),
  ids: z.array(z.string()),
  item: Words,
  rule: Shorts,
  wrote: Bytes,
  before: Bytes,
  after: Bytes,
  head: Heads,
  former: Heads,
  root: Heads.nullable(),
  details: z.record(
    z.string(),
    z.strictObject({ before: Detail, after: Detail, head: Head, former: Head, root: Head }),
  ),
  rows: z.array(
    z.strictObject({
      item: z.string(),
      field: z.enum(ITEM_FIELDS),
      before: z.unknown(),
      head: Head,
      former: Head,
      root: Head,
    }),
  ),
  turns: z.array(
    z.strictObject({
      reg: z.string(),
      op: z.enum(['resolve', 'set']),
      heads: z.array(z.strictObject({ head: Head, value: z.unknown(), of: z.string() })),
      value: z.unknown(),
      from: z.array(z.string()).readonly().exactOptional(),
      head: Head,
      former: Head,
      root: Head,
    }),
  ),
});

const isBelow = (numbers: Uint8Array | Uint16Array | Uint32Array, limit: number): boolean =>
  numbers.every((number) => number < limit);

/**
 * A stored undo step, checked; undefined where its parts do not fit each other. Such a step cannot
 * be undone.
 */
export function readUndoStep(stored: unknown): UndoStepRow | undefined {
  const row = Row.safeParse(stored).data;
  if (row === undefined) return undefined;
  const { length } = row.item;
  const heads = [row.head, row.former, ...(row.root === null ? [] : [row.root])];
  const fits =
    [
      row.rule,
      row.wrote,
      row.before,
      row.after,
      ...heads.flatMap(({ id, entry }) => [id, entry]),
    ].every((column) => column.length === length) &&
    isBelow(row.item, row.items.length) &&
    isBelow(row.rule, row.rules.length) &&
    isBelow(row.before, CELL_STATES.length) &&
    isBelow(row.after, CELL_STATES.length) &&
    heads.every(({ id }) => isBelow(id, row.ids.length)) &&
    row.turns.every(({ heads }) => heads.every(({ head: [id] }) => id < row.ids.length)) &&
    [...Object.values(row.details), ...row.rows, ...row.turns].every(({ head, former, root }) =>
      [head, former, root].every(([id]) => id < row.ids.length),
    );
  return fits ? row : undefined;
}
