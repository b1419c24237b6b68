import { droppedFiles } from '../../../files/dropped.ts';
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
    if (event.dataTransfer === null) return;
    void droppedFiles(event.dataTransfer).then((files) => {
      if (typeof files === 'string') notify(editor.store, files, 'problem');
      else if (files !== undefined) editor.onFiles?.({ do: 'import', files });
    });
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
