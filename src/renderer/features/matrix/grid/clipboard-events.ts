import { copyText, needsPreview, planPaste } from '../clipboard.ts';
import type { Editor } from '../editor.ts';
import { rectOf, sizeOf } from '../selection.ts';
import { plural } from '../../../state/format.ts';

const escapeHtml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Copy, cut and paste by the browser's own events, which no key handler prevents: menus and every platform's keys work alike. */
export function listenToClipboard(host: HTMLElement, editor: Editor): () => void {
  const isCell = (event: ClipboardEvent): boolean => event.target instanceof Element && event.target.closest('.mx-cell') !== null && event.clipboardData !== null;
  const onCopy = (event: ClipboardEvent): void => {
    const { selection, view } = editor.store.getState();
    const rect = rectOf(selection, view);
    if (!isCell(event) || rect === null) return;
    event.preventDefault();
    const text = copyText(rect, view, editor.session);
    const rows = text.split('\n').map((line) => `<tr>${line.split('\t').map((field) => `<td>${escapeHtml(field)}</td>`).join('')}</tr>`);
    event.clipboardData?.setData('text/plain', text);
    event.clipboardData?.setData('text/html', `<table>${rows.join('')}</table>`);
    editor.announce(`${plural(sizeOf(rect), 'cell')} copied`);
    if (event.type === 'cut') void editor.clear(false);
  };
  const onPaste = (event: ClipboardEvent): void => {
    const { selection, view } = editor.store.getState();
    const rect = rectOf(selection, view);
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (!isCell(event) || rect === null || text === '') return;
    event.preventDefault();
    const plan = planPaste(text, rect, view, editor.session);
    if (needsPreview(plan)) editor.store.setState({ paste: plan });
    else void editor.paste(plan);
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
