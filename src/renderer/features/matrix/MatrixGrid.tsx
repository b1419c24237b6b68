import { useEffect, useRef, useState } from 'react';
import type { Editor } from './editor/editor.ts';
import { isNarrow, roomOf, type Layout, needsCompact } from './grid/columns.ts';
import { createMatrixGrid, type MatrixGrid as Grid } from './grid/matrix-grid.ts';
import { RuleCard } from './grid/RuleCard.tsx';
import { HeadingMenu } from './toolbar/HeadingMenu.tsx';
import { useEditor, useEditorState } from './editor/use-editor.ts';
import { isDialogOpen } from '../../ui/is-dialog-open.ts';
import './grid.css';
import './column-headings.css';
import './rule-card.css';
import './grid-fields.css';

/** However high the headings were drawn, rows stay in sight. */
const MOST_HEAD = 0.6;

function layoutOf({ store }: Editor, { clientWidth, clientHeight }: HTMLElement): Layout {
  const { compact, preferences } = store.getState();
  return {
    compact,
    narrow: isNarrow(clientWidth),
    room: roomOf(clientHeight),
    density: preferences.density,
    head:
      preferences.headHeight === undefined
        ? undefined
        : Math.min(preferences.headHeight, Math.round(clientHeight * MOST_HEAD)),
  };
}

/** Whoever opens a case wants to record: unless something else was chosen since, or is asked. */
const isFocusFree = (): boolean =>
  !isDialogOpen() &&
  (document.activeElement === document.body || document.activeElement?.tagName === 'H1');

export function MatrixGrid({ cspNonce }: { cspNonce: string | undefined }) {
  const editor = useEditor();
  const host = useRef<HTMLDivElement>(null);
  const grid = useRef<Grid | null>(null);
  const hadFocus = useRef(false);
  const [element, setElement] = useState<HTMLElement | null>(null);
  const compact = useEditorState((state) => state.compact);
  const density = useEditorState((state) => state.preferences.density);
  const head = useEditorState((state) => state.preferences.headHeight);
  const paged = useEditorState((state) => state.preferences.paged);

  useEffect(() => {
    if (host.current === null) return undefined;
    const { store, session } = editor;
    if (store.getState().preferences.compact === undefined)
      editor.setCompact(needsCompact(host.current.clientWidth, session.rules.length), false);
    const made = createMatrixGrid(
      host.current,
      editor,
      layoutOf(editor, host.current),
      paged,
      cspNonce,
    );
    grid.current = made;
    if (hadFocus.current || (!isNarrow(host.current.clientWidth) && isFocusFree()))
      editor.focusGrid();
    const resized = new ResizeObserver(([entry]) => {
      if (entry?.target instanceof HTMLElement) made.setLayout(layoutOf(editor, entry.target));
    });
    const holder = host.current;
    resized.observe(holder);
    setElement(holder);
    return () => {
      resized.disconnect();
      hadFocus.current = holder.contains(document.activeElement);
      grid.current = null;
      made.destroy();
    };
  }, [editor, cspNonce, paged]);

  // From the store: the first drawing of this component does not know yet what its width asked for.
  useEffect(() => {
    if (host.current !== null) grid.current?.setLayout(layoutOf(editor, host.current));
  }, [editor, compact, density, head]);

  return (
    <>
      <div ref={host} className="mx-grid" />
      {element !== null && <RuleCard host={element} />}
      {element !== null && <HeadingMenu host={element} />}
    </>
  );
}
