import { ItemInput } from '../../../../shared/contract/v1/evidence.ts';
import { t, tOf } from '../../../text/t.ts';
import { METADATA } from '../metadata-text.ts';
import type { ColumnRole } from './mapping.ts';

/** A field of an item that a column of a file holds. */
export type ImportedField = 'label' | 'item_type' | `metadata:${string}`;
export const isItemField = (role: ColumnRole): role is ImportedField =>
  role === 'label' || role === 'item_type' || role.startsWith(METADATA);

/** Says why a field cannot have this text; undefined where it can. */
export type FieldCheck = (text: string) => string | undefined;

/** Checks each different text once: most texts of a sheet stand in many of its rows. */
export function createFieldCheck(role: ImportedField): FieldCheck {
  const { label, item_type, metadata } = ItemInput.shape;
  const parse = (text: string) =>
    role === 'label'
      ? label.safeParse(text)
      : role === 'item_type'
        ? item_type.safeParse(text)
        : metadata.safeParse({ [role.slice(METADATA.length)]: text });
  const fit = new Set<string>();
  return (text) => {
    if (fit.has(text)) return undefined;
    const { success, error } = parse(text);
    if (!success) return tOf(error.issues[0]?.message ?? t('Is not valid.'));
    fit.add(text);
    return undefined;
  };
}
