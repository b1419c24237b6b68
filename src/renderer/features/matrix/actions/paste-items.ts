import { isRefused } from '../editor/action.ts';
import type { Editor } from '../editor/editor.ts';

/** Columns of a list of items: uid, label, type. */
const LIST_COLUMNS = 3;
const OWN_PASTE = 'input, textarea, [contenteditable]';

/**
 * Pasting into a case without items adds them: a list goes to the form of items, a wider table to
 * the import of a file.
 */
export function listenForPastedItems(editor: Editor): () => void {
  const onPaste = (event: ClipboardEvent): void => {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (
      event.defaultPrevented ||
      text.trim() === '' ||
      document.activeElement?.matches(OWN_PASTE) === true ||
      document.querySelector('.dialog') !== null
    )
      return;
    event.preventDefault();
    if (isRefused(editor)) return;
    const isTable = (text.split(/\r\n|\r|\n/, 1)[0] ?? '').split('\t').length > LIST_COLUMNS;
    if (isTable && editor.onFiles !== undefined)
      editor.onFiles({
        do: 'import',
        files: [new File([text], 'pasted.tsv', { type: 'text/tab-separated-values' })],
      });
    else editor.store.setState({ dialog: 'add', listed: text });
  };
  document.addEventListener('paste', onPaste);
  return () => document.removeEventListener('paste', onPaste);
}
