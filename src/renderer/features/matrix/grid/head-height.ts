import type { Editor } from '../editor/editor.ts';
import { clampHead } from '../model/preferences.ts';
import { t } from '../../../text/t.ts';

/**
 * The border below the headings: dragged, and by a double click as high as the window decides.
 * Commands do the same by keys.
 */
export function listenToHeadHeight(host: HTMLElement, editor: Editor): () => void {
  const border = Object.assign(document.createElement('div'), {
    className: 'mx-head-border',
    title: t('Drag to change the height of the headings'),
  });
  let from: { y: number; height: number } | undefined;
  border.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    from = { y: event.clientY, height: border.offsetTop + border.offsetHeight / 2 };
    border.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  border.addEventListener('pointermove', (event) => {
    if (from !== undefined)
      editor.prefer({ headHeight: clampHead(from.height + event.clientY - from.y) });
  });
  for (const end of ['pointerup', 'pointercancel'] as const)
    border.addEventListener(end, () => {
      from = undefined;
    });
  border.addEventListener('dblclick', () => editor.prefer({ headHeight: undefined }));
  host.append(border);
  return () => border.remove();
}
