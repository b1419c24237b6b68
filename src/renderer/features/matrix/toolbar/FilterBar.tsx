import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useEditor, useEditorState } from '../editor/use-editor.ts';
import { ColumnsPopover } from './ColumnsPopover.tsx';
import { FilterPopover } from './FilterPopover.tsx';
import { SortMenu } from './SortMenu.tsx';
import { ViewsPopover } from './ViewsPopover.tsx';
import './view.css';
import { t } from '../../../text/t.ts';

/** Milliseconds of quiet after which a typed text filters. */
const QUIET = 160;

export function FilterBar() {
  return (
    <div className="mx-filter" role="search" aria-label={t('Items shown')}>
      <FilterText />
      <div className="mx-group">
        <FilterPopover />
        <SortMenu />
        <ColumnsPopover />
        <ViewsPopover />
      </div>
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
    const timer = setTimeout(
      () => editor.setFilter({ ...editor.store.getState().filter, text }),
      QUIET,
    );
    return () => clearTimeout(timer);
  }, [editor, text, applied]);
  return (
    <label className="mx-search">
      <span className="visually-hidden">{t('Filter items')}</span>
      <Search size={14} aria-hidden="true" />
      <input
        type="search"
        className="input"
        placeholder={t('ID, label, field, note…')}
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
