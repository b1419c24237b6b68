import type { z } from 'zod';
import { isPlainText } from '../common.ts';
import { itemUidProblem, RULE_UID } from '../../domain/uid.ts';

/**
 * Of 10,000 cells in a request nearly all are right, and a schema makes a copy of each. The checks
 * here say so of those that hold nothing but short words, and leave everything else to the schema:
 * what they let through is what the schema would have let through, unchanged.
 */

/** A schema that takes as it is what `isValid` accepts. */
export function withShortcut<S extends z.ZodType>(
  schema: S,
  isValid: (value: unknown) => boolean,
): S {
  const { run } = schema._zod;
  schema._zod.run = (payload, context) =>
    isValid(payload.value) ? payload : run(payload, context);
  return schema;
}

const isOptionalText = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && isPlainText(value));

const isRawOutcome = (value: unknown): boolean =>
  value === undefined || value === null || value === 'FALSE' || value === 'TRUE' || value === 'NA';

const isRevision = (value: unknown): boolean =>
  value === undefined || (Number.isSafeInteger(value) && Number(value) >= 0);

/** Whether all members are those of a cell, besides an `item_uid` where it has one. */
function hasCellMembers(cell: object, hasItem: boolean): boolean {
  for (const key in cell)
    switch (key) {
      case 'rule_uid':
      case 'raw_outcome':
      case 'source_value':
      case 'notes':
      case 'provenance':
      case 'if_revision':
        break;
      case 'item_uid':
        if (hasItem) break;
        return false;
      default:
        return false;
    }
  return true;
}

function isCell(value: unknown, hasItem: boolean): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const cell: Partial<Record<string, unknown>> = value;
  return (
    typeof cell['rule_uid'] === 'string' &&
    RULE_UID.test(cell['rule_uid']) &&
    isRawOutcome(cell['raw_outcome']) &&
    isOptionalText(cell['source_value']) &&
    isOptionalText(cell['notes']) &&
    isOptionalText(cell['provenance']) &&
    isRevision(cell['if_revision']) &&
    hasCellMembers(value, hasItem)
  );
}

export const isPlainCell = (value: unknown): boolean => isCell(value, false);

export const isPlainOutcome = (value: unknown): boolean =>
  isCell(value, true) &&
  typeof (value as { item_uid?: unknown }).item_uid === 'string' &&
  itemUidProblem((value as { item_uid: string }).item_uid) === undefined;
