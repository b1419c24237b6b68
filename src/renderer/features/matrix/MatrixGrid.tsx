import { useEffect, useRef, useState } from 'react';
import { isNarrow, type Layout, needsCompact } from './grid/columns.ts';
import { createMatrixGrid, type MatrixGrid as Grid } from './grid/matrix-grid.ts';
import { RuleCard } from './RuleCard.tsx';
import { useEditor, useEditorState } from './use-editor.ts';
import './grid.css';

export function MatrixGrid({ cspNonce }: { cspNonce: string | undefined }) {
  const editor = useEditor();
  const host = useRef<HTMLDivElement>(null);
  const grid = useRef<Grid | null>(null);
  const [element, setElement] = useState<HTMLElement | null>(null);
  const compact = useEditorState((state) => state.compact);

  useEffect(() => {
    if (host.current === null) return undefined;
    const { store, session } = editor;
    const layoutOf = ({ clientWidth }: HTMLElement): Layout => ({ compact: store.getState().compact, narrow: isNarrow(clientWidth) });
    if (store.getState().preferences.compact === undefined) editor.setCompact(needsCompact(host.current.clientWidth, session.rules.length), false);
    const made = createMatrixGrid(host.current, editor, layoutOf(host.current), cspNonce);
    grid.current = made;
    const resized = new ResizeObserver(([entry]) => {
      if (entry?.target instanceof HTMLElement) made.setLayout(layoutOf(entry.target));
    });
    resized.observe(host.current);
    setElement(host.current);
    return () => {
      resized.disconnect();
      grid.current = null;
      made.destroy();
    };
  }, [editor, cspNonce]);

  // From the store: the first drawing of this component does not know yet what its width asked for.
  useEffect(() => {
    if (host.current !== null) grid.current?.setLayout({ compact: editor.store.getState().compact, narrow: isNarrow(host.current.clientWidth) });
  }, [editor, compact]);

  return (
    <>
      <div ref={host} className="mx-grid" />
      {element !== null && <RuleCard host={element} />}
    </>
  );
}
