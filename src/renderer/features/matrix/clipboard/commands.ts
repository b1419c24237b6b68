import type { Editor } from '../editor/editor.ts';
import { notify } from '../editor/editor-state.ts';
import { selectedFields } from '../editor/field-selection.ts';
import { clearFields } from '../editor/fields.ts';
import { fieldId } from '../model/fields.ts';
import { blocksOf, fieldRectOf, rectsOf, sizeOfAll } from '../model/selection.ts';
import { type Copied, copyBlock } from './copy.ts';
import { copyFields } from './fields.ts';
import { startPaste } from './paste.ts';
import { t } from '../../../text/t.ts';

const SEVERAL = t('Several blocks are selected. Copy one block at a time.');

/** What a copy of the selection holds; undefined where it cannot be one block, which is said. */
export function copySelected(editor: Editor, names: boolean): Copied | undefined {
  const { selection, view } = editor.store.getState();
  const fields = fieldRectOf(selection, view);
  if (fields !== null) return copyFields(fields, view, editor.session, names);
  const rects = rectsOf(selection, view);
  const [rect] = rects;
  if (rect === undefined) return undefined;
  if (rects.length > 1) {
    notify(editor.store, SEVERAL);
    return undefined;
  }
  return copyBlock(rect, view, editor.session, names);
}

/** Outlines what the clipboard now holds. */
function outline({ store }: Editor): void {
  const { selection, view } = store.getState();
  const fields = fieldRectOf(selection, view);
  const rect = fields ?? rectsOf(selection, view)[0];
  if (rect === undefined) return;
  const { top, left, bottom, right } = rect;
  const columnAt = (column: number): string =>
    fields === null ? view.ruleAt(column) : fieldId(view.fields[column]?.key ?? '');
  store.setState({
    copied: {
      from: { item: view.itemAt(top), rule: columnAt(left) },
      to: { item: view.itemAt(bottom), rule: columnAt(right) },
      rows: bottom - top + 1,
      columns: right - left + 1,
    },
  });
}

export function announceCopied(
  editor: Editor,
  { cells, hiddenRows, hiddenColumns }: Copied,
  names: boolean,
): void {
  outline(editor);
  const text = names
    ? t('{cells, plural, one {# cell} other {# cells}} copied, with the names of items and rules', {
        cells,
      })
    : t('{cells, plural, one {# cell} other {# cells}} copied', { cells });
  const skipped = skippedWords(hiddenRows, hiddenColumns);
  if (skipped === '') editor.announce(text);
  else notify(editor.store, `${text}. ${skipped}`);
}

function skippedWords(items: number, rules: number): string {
  if (items > 0 && rules > 0)
    return t(
      '{items, plural, one {# hidden item} other {# hidden items}} and {rules, plural, one {# hidden rule} other {# hidden rules}} skipped',
      { items, rules },
    );
  if (items > 0)
    return t('{items, plural, one {# hidden item} other {# hidden items}} skipped', { items });
  return rules > 0
    ? t('{rules, plural, one {# hidden rule} other {# hidden rules}} skipped', { rules })
    : '';
}

export function fillClipboard(data: DataTransfer, { text, html }: Copied): void {
  data.setData('text/plain', text);
  if (html !== undefined) data.setData('text/html', html);
}

/** What clears the selection as it is now, as one undo step. */
export function cutOf(editor: Editor): () => Promise<void> {
  const { selection, view } = editor.store.getState();
  const fields = selectedFields(editor);
  if (fields.length > 0)
    return () =>
      clearFields(
        editor,
        fields.map((entry) => ({ ...entry, text: '' })),
      );
  const size = sizeOfAll(rectsOf(selection, view));
  const edit = {
    label: t('Cut {size, plural, one {# cell} other {# cells}}', { size }),
    why: 'Cut',
    blocks: blocksOf(selection, view, null),
  };
  return () =>
    editor.replace(edit, () => ({
      text: t('{size, plural, one {# cell} other {# cells}} cut', { size }),
      isSeen: false,
    }));
}

/**
 * Copies by dispatching a copy event of our own: that needs no permission and takes HTML unchanged.
 */
function copyByCommand(copied: Copied): boolean {
  let filled = false;
  const onCopy = (event: ClipboardEvent): void => {
    if (event.clipboardData === null) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    fillClipboard(event.clipboardData, copied);
    filled = true;
  };
  document.addEventListener('copy', onCopy, { capture: true });
  try {
    return document.execCommand('copy') && filled;
  } finally {
    document.removeEventListener('copy', onCopy, { capture: true });
  }
}

async function copyByPermission({ text, html }: Copied): Promise<void> {
  const blob = (content: string, type: string): Blob => new Blob([content], { type });
  await navigator.clipboard.write([
    new ClipboardItem({
      'text/plain': blob(text, 'text/plain'),
      ...(html === undefined ? {} : { 'text/html': blob(html, 'text/html') }),
    }),
  ]);
}

/** The commands of menus, and of keys that the browser has no event for. */
export async function runCopy(
  editor: Editor,
  how: { names?: boolean; cut?: boolean } = {},
): Promise<void> {
  const copied = copySelected(editor, how.names === true);
  if (copied === undefined) return;
  // Where the clipboard has to be asked for, the person may have gone on by the answer.
  const cut = how.cut === true ? cutOf(editor) : undefined;
  try {
    if (!copyByCommand(copied)) await copyByPermission(copied);
  } catch {
    notify(editor.store, t('Not copied: the clipboard was refused.'));
    return;
  }
  if (cut !== undefined) await cut();
  else announceCopied(editor, copied, how.names === true);
}

/**
 * A page may read the clipboard only if the person allows it; the paste key needs no permission. It
 * is pasted where the command was given.
 */
export async function runPaste(editor: Editor): Promise<void> {
  const { selection, view } = editor.store.getState();
  try {
    const [item] = await navigator.clipboard.read();
    const get = async (type: string): Promise<string> =>
      item?.types.includes(type) === true ? (await item.getType(type)).text() : '';
    const [text, html] = [await get('text/plain'), await get('text/html')];
    startPaste(editor, text, html, { selection, view });
  } catch {
    notify(
      editor.store,
      t(
        'The clipboard may not be read from here. Select a cell and press Ctrl+V, or Cmd+V on a Mac.',
      ),
    );
  }
}
