import { ItemInput, MAX_ITEMS } from '../../../../shared/contract/v1/evidence.ts';
import type { ItemEdit, ItemRow, MatrixSession } from '../../../data/store/port.ts';
import type { Pace } from '../../../files/pace.ts';
import { memberOf, METADATA, metadataText } from '../metadata-text.ts';
import {
  createFieldCheck,
  type FieldCheck,
  type ImportedField,
  isItemField,
} from './item-field.ts';
import { roleLabel } from './mapping.ts';
import { createNearItems } from './near-items.ts';
import { type ImportChoice, note, type ImportPlan } from './plan.ts';
import {
  createFields,
  DAMAGED,
  type FileFields,
  headingCount,
  type ImportSource,
} from './source.ts';
import { suspicion } from './suspicion.ts';
import { t, tOf } from '../../../text/t.ts';

function flagWord(
  plan: ImportPlan,
  fields: FileFields,
  row: number,
  line: number,
  column: number,
): void {
  const found = column < 0 ? undefined : suspicion(fields.word(row, column));
  if (found !== undefined)
    note(plan.flags, { line, column, text: fields.text(row, column), ...found });
}

interface ItemDraft {
  line: number;
  row: number;
  isNew: boolean;
  /** Text of each field given, by role. */
  fields: Map<ImportedField, { text: string; column: number }>;
}

const oldText = (before: ItemRow, field: ImportedField): string =>
  field.startsWith(METADATA)
    ? metadataText(memberOf(before.metadata, field.slice(METADATA.length)))
    : before[field as 'label' | 'item_type'];

/** The edit of a draft; undefined where nothing changes. */
function editOf(
  plan: ImportPlan,
  uid: string,
  { isNew, fields, line }: ItemDraft,
  { meet }: ImportChoice,
  session: MatrixSession,
  removed: ReadonlyMap<string, ItemRow>,
): ItemEdit | undefined {
  const before = isNew ? removed.get(uid) : session.items[session.rowOf(uid)];
  const edit: {
    item_uid: string;
    label?: string;
    item_type?: string;
    metadata?: Record<string, unknown>;
  } = { item_uid: uid };
  let changes = false;
  const members: [string, unknown][] = [];
  for (const [field, { text }] of fields) {
    const key = field.startsWith(METADATA) ? field.slice(METADATA.length) : undefined;
    const old = before === undefined ? '' : oldText(before, field);
    if (text === old && !isNew) continue;
    if (!isNew) {
      const change = { line, item: uid, place: roleLabel(field), before: old, after: text };
      if (old !== '' && meet !== 'overwrite') {
        note(plan.left, change);
        continue;
      }
      note(plan.itemChanges, change);
    }
    changes = true;
    if (key === undefined) edit[field as 'label' | 'item_type'] = text;
    else members.push([key, text]);
  }
  if (members.length > 0)
    edit.metadata = Object.fromEntries([...Object.entries(before?.metadata ?? {}), ...members]);
  if (isNew) return { do: 'add', ...edit };
  return changes ? { do: 'set', ...edit } : undefined;
}

/**
 * Plans rows and answers, of each row of the table, the item that its cells belong to; undefined
 * for a row that is not taken.
 */
export async function planItems(
  plan: ImportPlan,
  source: ImportSource,
  choice: ImportChoice,
  session: MatrixSession,
  pace: Pace,
): Promise<(string | undefined)[]> {
  const { drafts, accepted, uidColumn } = await readRows(plan, source, choice, session, pace);
  const removed = new Map(session.removedItems().map((item) => [item.item_uid, item]));
  const lines: ItemDraft[] = [];
  for (const [uid, draft] of drafts) {
    const edit = editOf(plan, uid, draft, choice, session, removed);
    if (edit === undefined) continue;
    plan.items.push(edit);
    lines.push(draft);
  }
  await refuseUnfit(plan, lines, session, accepted, uidColumn, pace);
  plan.added = plan.items.filter((edit) => edit.do === 'add').length;
  plan.changed = plan.items.length - plan.added;
  plan.returned = plan.items.filter(
    (edit) => edit.do === 'add' && removed.has(edit.item_uid),
  ).length;
  if (plan.added > 0 && session.items.length + plan.added > MAX_ITEMS)
    plan.problem = t(
      'The case would have {items, number} items. A case holds at most {most, number}.',
      {
        items: session.items.length + plan.added,
        most: MAX_ITEMS,
      },
    );
  else await listNewItems(plan, source, drafts, uidColumn, session, pace);
  return accepted;
}

/** Lists what would be added, with what a spreadsheet may have done to it. */
async function listNewItems(
  plan: ImportPlan,
  source: ImportSource,
  drafts: ReadonlyMap<string, ItemDraft>,
  uidColumn: number,
  session: MatrixSession,
  pace: Pace,
): Promise<void> {
  const added = plan.items.filter((edit) => edit.do === 'add');
  if (added.length === 0) return;
  const fields = createFields(source);
  const present = createNearItems();
  for (const [row, { item_uid }] of session.items.entries()) {
    present.add(item_uid);
    if (row % 1_000 === 0) await pace(1);
  }
  const earlier = createNearItems();
  for (const [at, { item_uid: uid }] of added.entries()) {
    if (at % 500 === 0) await pace(1);
    const draft = drafts.get(uid);
    if (draft === undefined) continue;
    const near = present.find(uid);
    const other = near === undefined ? earlier.find(uid) : undefined;
    earlier.add(uid);
    note(plan.newItems, {
      line: draft.line,
      uid,
      doubt: suspicion(fields.word(draft.row, uidColumn))?.why,
      near:
        near !== undefined
          ? { ...near, isPresent: true }
          : other !== undefined
            ? { ...other, isPresent: false }
            : undefined,
    });
  }
}

interface ReadRows {
  /** By the item's ID, in the order of the file. */
  drafts: Map<string, ItemDraft>;
  accepted: (string | undefined)[];
  uidColumn: number;
}

/** What the rows say of their items, before it is compared with the matrix. */
async function readRows(
  plan: ImportPlan,
  source: ImportSource,
  { aliases }: ImportChoice,
  session: MatrixSession,
  pace: Pace,
): Promise<ReadRows> {
  const { table, headerRow, mapping } = source;
  const fields = createFields(source);
  const uidColumn = fields.column('item_uid');
  const given = mapping.roles.flatMap((role, column) =>
    isItemField(role) ? [{ role, column }] : [],
  );
  const problemOf = rowChecker(source, fields, session);
  const checks = new Map(given.map(({ role }) => [role, createFieldCheck(role)]));
  const drafts = new Map<string, ItemDraft>();
  const accepted: (string | undefined)[] = [];
  for (let row = headerRow + 1; row < table.rows.length; row += 1) {
    if (row % 200 === 0) await pace(row / table.rows.length);
    const line = table.lines[row]!;
    const written = fields.text(row, uidColumn);
    const uid = aliases.get(written) ?? written;
    const known = drafts.get(uid);
    const problem = problemOf(row, uid, known);
    if (problem !== undefined) {
      note(plan.rejections, { line, text: written, ...problem });
      continue;
    }
    const draft: ItemDraft = known ?? {
      line,
      row,
      isNew: session.rowOf(uid) < 0,
      fields: new Map(),
    };
    if (known === undefined) {
      drafts.set(uid, draft);
      flagWord(plan, fields, row, line, uidColumn);
    }
    for (const { role, column } of given)
      readField(plan, draft, fields, { row, line, role, column }, checks.get(role)!);
    accepted[row] = uid;
  }
  return { drafts, accepted, uidColumn };
}

/** Says of a row why it is not taken, and of which column that is; undefined where it is taken. */
function rowChecker(
  { table, headers, mapping, isStrict }: ImportSource,
  fields: FileFields,
  session: MatrixSession,
) {
  const width = headingCount(headers);
  const uidColumn = fields.column('item_uid');
  return (
    row: number,
    uid: string,
    known: ItemDraft | undefined,
  ): { column: number | null; reason: string } | undefined => {
    const { length } = table.rows[row]!;
    if (isStrict && length > width)
      return {
        column: null,
        reason: t(
          'Has {cells} cells below {headings} headings: values may be under the wrong heading.',
          { cells: length, headings: width },
        ),
      };
    if (fields.isDamaged(row, uidColumn)) return { column: uidColumn, reason: DAMAGED };
    if (known !== undefined)
      return mapping.form === 'wide'
        ? {
            column: uidColumn,
            reason: t('The item is already in row {line}.', { line: known.line }),
          }
        : undefined;
    if (session.rowOf(uid) >= 0) return undefined;
    if (uid === '') return { column: uidColumn, reason: t('The item’s ID is empty.') };
    const checked = ItemInput.shape.item_uid.safeParse(uid);
    return checked.success
      ? undefined
      : {
          column: uidColumn,
          reason: tOf(checked.error.issues[0]?.message ?? t('Is no valid ID.')),
        };
  };
}

/** Takes one field of an item into its draft, or says why it is not taken. */
function readField(
  plan: ImportPlan,
  draft: ItemDraft,
  fields: FileFields,
  { row, line, role, column }: { row: number; line: number; role: ImportedField; column: number },
  check: FieldCheck,
): void {
  const text = fields.text(row, column);
  if (text === '') return;
  const earlier = draft.fields.get(role);
  const problem =
    earlier !== undefined && earlier.text !== text
      ? t('The same item has another value in row {line}.', { line: draft.line })
      : fields.isDamaged(row, column)
        ? DAMAGED
        : check(text);
  if (problem !== undefined) note(plan.rejections, { line, column, text, reason: problem });
  else if (earlier === undefined) {
    draft.fields.set(role, { text, column });
    if (role === 'label') flagWord(plan, fields, row, line, column);
  }
}

const CHECKED_AT_ONCE = 5_000;

/**
 * Lets the session check the planned rows; rows that it would refuse are taken out with their
 * cells.
 */
async function refuseUnfit(
  plan: ImportPlan,
  drafts: readonly ItemDraft[],
  session: MatrixSession,
  accepted: (string | undefined)[],
  uidColumn: number,
  pace: Pace,
): Promise<void> {
  const refused: { index: number; message: string }[] = [];
  for (let from = 0; from < plan.items.length; from += CHECKED_AT_ONCE) {
    for (const { index, message } of session.check(plan.items.slice(from, from + CHECKED_AT_ONCE)))
      refused.push({ index: from + index, message });
    await pace(1);
  }
  if (refused.length === 0) return;
  const refusedItems = new Set<string>();
  const unfit = new Set<number>();
  for (const { index, message } of refused) {
    const edit = plan.items[index];
    const draft = drafts[index];
    if (edit === undefined || draft === undefined || edit.do === 'move') continue;
    unfit.add(index);
    if (edit.do === 'add') refusedItems.add(edit.item_uid);
    note(plan.rejections, {
      line: draft.line,
      column: uidColumn,
      text: edit.item_uid,
      reason: message,
    });
  }
  plan.items = plan.items.filter((_, index) => !unfit.has(index));
  for (const [row, uid] of accepted.entries())
    if (uid !== undefined && refusedItems.has(uid)) accepted[row] = undefined;
}
