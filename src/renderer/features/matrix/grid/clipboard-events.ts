import { clearCut, copySelected, fillClipboard, tellCopied } from '../clipboard/commands.ts';
import { startPaste } from '../clipboard/paste.ts';
import type { Editor } from '../editor.ts';

/** Copy, cut and paste by the browser's own events, which no key handler prevents: menus and every platform's keys work alike. */
export function listenToClipboard(host: HTMLElement, editor: Editor): () => void {
  const dataOf = (event: ClipboardEvent): DataTransfer | null => (event.target instanceof Element && event.target.closest('.mx-cell, .mx-head-rule') !== null ? event.clipboardData : null);
  const onCopy = (event: ClipboardEvent): void => {
    const data = dataOf(event);
    if (data === null) return;
    event.preventDefault();
    const copied = copySelected(editor, false);
    if (copied === undefined) return;
    fillClipboard(data, copied);
    if (event.type === 'cut') void clearCut(editor);
    else tellCopied(editor, copied, false);
  };
  const onPaste = (event: ClipboardEvent): void => {
    const data = dataOf(event);
    if (data === null) return;
    event.preventDefault();
    startPaste(editor, data.getData('text/plain'), data.getData('text/html'));
  };
  host.addEventListener('copy', onCopy);
  host.addEventListener('cut', onCopy);
  host.addEventListener('paste', onPaste);
  return () => {
    host.removeEventListener('copy', onCopy);
    host.removeEventListener('cut', onCopy);
    host.removeEventListener('paste', onPaste);
  };
}
