import { startTransition, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Editor, PanelField } from '../editor/editor.ts';
import type { Selection } from '../model/selection.ts';
import { useEditor } from '../editor/use-editor.ts';

/**
 * Milliseconds that the keys must be quiet before the panel follows the focus: a key in the grid
 * never waits for the panel.
 */
const QUIET = 70;

/** Name of the panel's field that F2 leads to. */
export const SOURCE_FIELD = 'source_value';
export const HISTORY_PART = 'mx-history';

/** Notes that are shown as read are led to by their button. */
const PARTS: Record<PanelField, string> = {
  source: `[name=${SOURCE_FIELD}]`,
  notes: '.mx-notes-field textarea, .mx-notes-field button',
  history: `.${HISTORY_PART}`,
};

const leadTo = (field: PanelField): void =>
  document.querySelector('.mx-panel')?.querySelector<HTMLElement>(PARTS[field])?.focus();

interface Followed {
  selection: Selection | null;
  revision: number;
}

/** Whether a change of the matrix concerns the cell that has the focus. */
function isOfFocus(
  { store, session }: Editor,
  touched: readonly { row: number; column: number }[] | null,
): boolean {
  const focus = store.getState().selection?.focus;
  if (touched === null || focus === undefined) return touched === null;
  const [row, column] = [session.rowOf(focus.item), session.columnOf(focus.rule)];
  return touched.some((cell) => cell.row === row && cell.column === column);
}

/**
 * The cell that the panel shows. It follows with a delay while the grid has the focus, and at once
 * while a person works in the panel. What others write in other cells draws nothing here.
 */
export function useFollowed(): Followed {
  const editor = useEditor();
  const { store, session } = editor;
  const now = (): Followed => ({
    selection: store.getState().selection,
    revision: session.revision,
  });
  const [followed, setFollowed] = useState(now);
  const shown = useRef<Selection | null>(null);
  useEffect(() => {
    shown.current = followed.selection;
  });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const present = (): Followed => ({
      selection: store.getState().selection,
      revision: session.revision,
    });
    const follow = (): void => {
      clearTimeout(timer);
      if (document.activeElement?.closest('.mx-grid') === null) setFollowed(present());
      else timer = setTimeout(() => startTransition(() => setFollowed(present())), QUIET);
    };
    const stop = [
      store.subscribe((state, before) => {
        if (state.selection !== before.selection) follow();
      }),
      session.subscribe((touched) => {
        if (isOfFocus(editor, touched)) follow();
      }),
    ];
    // The field must be the one of the cell that has the focus now, before the next letter is
    // typed.
    editor.onOpenField = (field) => {
      clearTimeout(timer);
      flushSync(() => setFollowed(present()));
      leadTo(field);
    };
    if (editor.wantedField !== undefined) leadTo(editor.wantedField);
    editor.wantedField = undefined;
    // Whoever comes into the panel before it has followed is led to the same field of the cell that
    // has the focus now.
    const enter = ({ target }: FocusEvent): void => {
      const panel = target instanceof HTMLElement ? target.closest('.mx-panel') : null;
      if (panel === null || shown.current === store.getState().selection) return;
      const fields = (): HTMLElement[] => [
        ...panel.querySelectorAll<HTMLElement>('textarea, input, button'),
      ];
      const place = fields().indexOf(target as HTMLElement);
      clearTimeout(timer);
      flushSync(() => setFollowed(present()));
      fields()[place]?.focus();
    };
    document.addEventListener('focusin', enter);
    setFollowed(present());
    return () => {
      clearTimeout(timer);
      document.removeEventListener('focusin', enter);
      editor.onOpenField = undefined;
      for (const end of stop) end();
    };
  }, [editor, store, session]);
  return followed;
}
