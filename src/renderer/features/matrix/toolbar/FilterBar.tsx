import { RefreshCw, Search, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { formatCount } from '../../../state/format.ts';
import { Button, IconButton } from '../../../ui/Button.tsx';
import { Select } from '../../../ui/Select.tsx';
import { FILTER_LABELS, type FilterKind, isActive, NO_FILTER } from '../filter.ts';
import { useEditor, useEditorState, useRevision } from '../use-editor.ts';

const KINDS = (Object.keys(FILTER_LABELS) as FilterKind[]).map((value) => ({ value, label: FILTER_LABELS[value] }));
/** Milliseconds of quiet after which a typed text filters. */
const QUIET = 160;

export function FilterBar() {
  const editor = useEditor();
  const filter = useEditorState((state) => state.filter);
  return (
    <div className="mx-filter" role="search" aria-label="Items shown">
      <FilterText />
      <Select inline label="Show" options={KINDS} value={filter.kind} onValue={(kind) => editor.setFilter({ ...editor.store.getState().filter, kind })} />
      <Shown />
    </div>
  );
}

function FilterText() {
  const editor = useEditor();
  const applied = useEditorState((state) => state.filter.text);
  const [text, setText] = useState(applied);
  const [before, setBefore] = useState(applied);
  if (applied !== before) {
    setBefore(applied);
    setText(applied);
  }
  useEffect(() => {
    if (text === applied) return undefined;
    const timer = setTimeout(() => editor.setFilter({ ...editor.store.getState().filter, text }), QUIET);
    return () => clearTimeout(timer);
  }, [editor, text, applied]);
  return (
    <label className="mx-search">
      <span className="visually-hidden">Filter items</span>
      <Search size={14} aria-hidden="true" />
      <input
        type="search"
        className="input"
        placeholder="uid, label, notes, source"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && text !== '') setText('');
          else if (event.key === 'Escape' || event.key === 'Enter' || event.key === 'ArrowDown') {
            event.preventDefault();
            editor.focusGrid();
          }
        }}
      />
    </label>
  );
}

function Shown() {
  const editor = useEditor();
  useRevision();
  const filter = useEditorState((state) => state.filter);
  const shown = useEditorState((state) => state.view.rowCount);
  const stale = useEditorState((state) => state.stale);
  const total = editor.session.items.length;
  return (
    <div className="mx-shown">
      <span><strong>{formatCount(shown)}</strong> of {formatCount(total)} {total === 1 ? 'item' : 'items'} shown</span>
      {stale && <Button size="sm" icon={<RefreshCw size={13} aria-hidden="true" />} title="Some items shown no longer pass the filter" onClick={() => editor.reapplyFilter()}>Apply again</Button>}
      {isActive(filter) && <IconButton label="Clear filter" onClick={() => editor.setFilter(NO_FILTER)}><X size={14} aria-hidden="true" /></IconButton>}
    </div>
  );
}
