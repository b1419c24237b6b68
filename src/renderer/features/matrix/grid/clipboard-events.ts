import { isRefused } from '../editor/action.ts';
import { cutOf, copySelected, fillClipboard, announceCopied } from '../clipboard/commands.ts';
import { startPaste } from '../clipboard/paste.ts';
import { isFieldInput } from './field-edit.ts';
import type { Editor } from '../editor/editor.ts';

/**
 * Copy, cut and paste by the browser's own events, which no key handler prevents: menus and every
 * platform's keys work alike. They are for the matrix where a cell or a rule's heading has the
 * focus; their own target is not always that: older Chromium sends them to the page.
 */
export function listenToClipboard(host: HTMLElement, editor: Editor): () => void {
  const dataOf = (event: ClipboardEvent): DataTransfer | null => {
    const focused = document.activeElement;
    return !event.defaultPrevented &&
      host.contains(focused) &&
      !isFieldInput(focused) &&
      (focused?.closest('.mx-cell, .mx-fieldcell, .mx-head-rule') ?? null) !== null
      ? event.clipboardData
      : null;
  };
  const onCopy = (event: ClipboardEvent): void => {
    const data = dataOf(event);
    if (data === null) return;
    event.preventDefault();
    const copied = copySelected(editor, false);
    if (copied === undefined) return;
    fillClipboard(data, copied);
    if (event.type === 'cut' && !isRefused(editor)) void cutOf(editor)();
    else announceCopied(editor, copied, false);
  };
  const onPaste = (event: ClipboardEvent): void => {
    const data = dataOf(event);
    if (data === null) return;
    event.preventDefault();
    if (!isRefused(editor, true))
      startPaste(editor, data.getData('text/plain'), data.getData('text/html'));
  };
  document.addEventListener('copy', onCopy);
  document.addEventListener('cut', onCopy);
  document.addEventListener('paste', onPaste);
  return () => {
    document.removeEventListener('copy', onCopy);
    document.removeEventListener('cut', onCopy);
    document.removeEventListener('paste', onPaste);
  };
}
