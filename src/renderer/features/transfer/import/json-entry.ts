import { z } from 'zod';
import { Cell, Evidence, ItemInput } from '../../../../shared/contract/v1/evidence.ts';
import { FileProblem } from '../../../files/table.ts';
import { t, tOf } from '../../../text/t.ts';

const RawText = z.enum(['TRUE', 'FALSE', 'NA']).nullable();
const cellMembers = {
  rule_uid: z.string(),
  raw_outcome: RawText.optional(),
  source_value: Cell.shape.source_value.optional(),
  notes: Cell.shape.notes.optional(),
  provenance: Cell.shape.provenance.optional(),
};
/** What answers say of a cell besides, which an import does not write. */
const ANSWERED = Cell.omit({
  item_uid: true,
  rule_uid: true,
  raw_outcome: true,
  source_value: true,
  notes: true,
  provenance: true,
}).partial().shape;
const ItemCell = z.strictObject({
  ...cellMembers,
  ...ANSWERED,
  item_uid: z.string().optional(),
});
/** A cell that says whose it is. */
export const LooseCell = z.strictObject({ ...cellMembers, ...ANSWERED, item_uid: z.string() });
const itemMembers = { ...ItemInput.shape, position: z.number().optional() };
const STAMPS = Evidence.shape.items.element
  .omit({ item_uid: true, item_type: true, label: true, metadata: true, position: true })
  .partial()
  .omit({ evidence: true }).shape;
export const ItemWithCells = z.strictObject({
  ...itemMembers,
  ...STAMPS,
  evidence: z.array(ItemCell).optional(),
});

type ReadItem = Omit<z.infer<typeof ItemWithCells>, 'evidence'>;
export type ReadCell = z.infer<typeof ItemCell>;
/** An item with its cells, and where in the file it is. */
export interface JsonEntry {
  item: Partial<ReadItem> & { item_uid: string };
  cells: readonly ReadCell[];
  line: number;
}

/** `entry`: its number, where the file is a list of entries. */
export function checked<T>(schema: z.ZodType<T>, value: unknown, entry?: number): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const values = {
    of: entry === undefined ? 'file' : 'entry',
    entry: entry ?? 0,
    path: issue?.path.join('.') ?? '',
    problem: tOf(issue?.message ?? t('not valid.')),
  };
  throw new FileProblem(
    values.path === ''
      ? t(
          '{of, select, entry {Entry {entry}} other {The JSON file}} is no evidence as this program writes it: {problem}',
          values,
        )
      : t(
          '{of, select, entry {Entry {entry}} other {The JSON file}} is no evidence as this program writes it, at {path}: {problem}',
          values,
        ),
  );
}
