import { droppedFile } from '../../../files/dropped.ts';
import { isRefused } from '../editor/action.ts';
import { notify } from '../editor/editor-state.ts';
import type { Editor } from '../editor/editor.ts';

/**
 * A file that is dropped anywhere on the editor is imported; without this the browser would leave
 * the page for it.
 */
export function listenForFiles(root: HTMLElement, editor: Editor): () => void {
  const holdsFiles = (event: DragEvent): boolean =>
    editor.onFiles !== undefined && event.dataTransfer?.types.includes('Files') === true;
  const show = (isOver: boolean): void => {
    root.toggleAttribute('data-dropping', isOver);
  };
  const onOver = (event: DragEvent): void => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    show(true);
  };
  const onLeave = (event: DragEvent): void => {
    if (!(event.relatedTarget instanceof Node) || !root.contains(event.relatedTarget)) show(false);
  };
  const onDrop = (event: DragEvent): void => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    show(false);
    if (isRefused(editor)) return;
    const file = event.dataTransfer === null ? undefined : droppedFile(event.dataTransfer);
    if (typeof file === 'string') notify(editor.store, file, 'problem');
    else if (file !== undefined) editor.onFiles?.({ do: 'import', file });
  };
  root.addEventListener('dragover', onOver);
  root.addEventListener('dragleave', onLeave);
  root.addEventListener('drop', onDrop);
  return () => {
    root.removeEventListener('dragover', onOver);
    root.removeEventListener('dragleave', onLeave);
    root.removeEventListener('drop', onDrop);
  };
}
