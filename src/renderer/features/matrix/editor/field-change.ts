import type { FieldType } from '../model/fields.ts';

/** What is typed or pasted into one field of one item. */
export interface FieldEntry {
  item: string;
  key: string;
  type: FieldType;
  text: string;
}

/** What an entry would change, or why it cannot be kept. */
export interface FieldChange extends FieldEntry {
  before: string;
  problem: string | undefined;
}
