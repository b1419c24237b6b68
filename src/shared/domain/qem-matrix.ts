import { z } from 'zod';
import { RawOutcome } from './outcome.ts';
import { ProfileUid, RuleUid } from './uid.ts';

/**
 * What an outcome counts in the matrix of SGA-QEM-1.0: evidence present 1, a problem and what is
 * not available 0.
 */
export const evidenceBit = (outcome: RawOutcome): 0 | 1 => (outcome === 'FALSE' ? 1 : 0);

const bit = z.union([z.literal(0), z.literal(1)], { error: 'Must be 0 or 1.' });
const metadata = z.record(z.string(), z.unknown());

const QemItem = z.strictObject({
  item_uid: z.string().min(1),
  item_type: z.string().optional(),
  label: z.string().optional(),
  metadata: metadata.optional(),
});

const QemOutcome = z
  .strictObject({
    item_uid: z.string().min(1),
    rule_uid: RuleUid,
    raw_outcome: RawOutcome,
    xij: bit.optional(),
    source_value: z.string().optional(),
    notes: z.string().optional(),
    provenance: metadata.optional(),
  })
  .refine(({ raw_outcome, xij }) => xij === undefined || xij === evidenceBit(raw_outcome), {
    path: ['xij'],
    message: 'Contradicts raw_outcome: FALSE is 1, TRUE and NA are 0.',
  });

/**
 * The public document `qem-matrix.json` (https://quantbayes.com/schemas/qem-matrix.schema.json):
 * the items and recorded outcomes of one case under one profile. A cell without an outcome is not
 * in it, so unrecorded stays apart from NA.
 */
export const QemMatrix = z
  .strictObject({
    case_uid: z.string().min(1),
    profile_uid: ProfileUid,
    standard: z.literal('SGA-QEM-1.0').optional(),
    items: z.array(QemItem).min(1, 'Must hold at least one item.'),
    outcomes: z.array(QemOutcome).min(1, 'Must hold at least one outcome.'),
    /** A row for each item, in their order; a column for each rule, in the profile's order. */
    matrix: z.array(z.array(bit)).optional(),
  })
  .superRefine(({ items, outcomes, matrix }, ctx) => {
    const known = new Set<string>();
    for (const [index, { item_uid }] of items.entries()) {
      if (known.has(item_uid))
        ctx.addIssue({
          code: 'custom',
          path: ['items', index, 'item_uid'],
          message: 'Must be unique: another item has the same ID.',
        });
      known.add(item_uid);
    }
    const cells = new Set<string>();
    for (const [index, { item_uid, rule_uid }] of outcomes.entries()) {
      const cell = JSON.stringify([item_uid, rule_uid]);
      if (!known.has(item_uid))
        ctx.addIssue({
          code: 'custom',
          path: ['outcomes', index, 'item_uid'],
          message: 'Names no item of this file.',
        });
      if (cells.has(cell))
        ctx.addIssue({
          code: 'custom',
          path: ['outcomes', index],
          message: 'Another outcome is about the same item and rule.',
        });
      cells.add(cell);
    }
    if (matrix !== undefined && matrix.length !== items.length)
      ctx.addIssue({
        code: 'custom',
        path: ['matrix'],
        message: `Has ${matrix.length} rows for ${items.length} items.`,
      });
  });
export type QemMatrix = z.infer<typeof QemMatrix>;

/**
 * The first place where the document's own matrix says something else than its outcomes do, under
 * the rules of its profile in their order; undefined: they agree, or there is no matrix.
 */
export function matrixContradiction(
  { items, outcomes, matrix }: QemMatrix,
  rules: readonly RuleUid[],
): { row: number; column: number } | undefined {
  if (matrix === undefined) return undefined;
  const present = new Set(
    outcomes
      .filter(({ raw_outcome }) => evidenceBit(raw_outcome) === 1)
      .map(({ item_uid, rule_uid }) => JSON.stringify([item_uid, rule_uid])),
  );
  for (const [row, { item_uid }] of items.entries()) {
    const bits = matrix[row] ?? [];
    if (bits.length !== rules.length) return { row, column: Math.min(bits.length, rules.length) };
    const column = bits.findIndex(
      (value, at) => (value === 1) !== present.has(JSON.stringify([item_uid, rules[at]])),
    );
    if (column >= 0) return { row, column };
  }
  return undefined;
}
