import { ArrowDown, ArrowUp, CaseSensitive, Search, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { Button, IconButton } from '../../../ui/Button.tsx';
import { Select } from '../../../ui/Select.tsx';
import { isActive, NO_FILTER } from '../model/filter.ts';
import { rectsOf, sizeOf } from '../model/selection.ts';
import { useEditor, useEditorState } from '../editor/use-editor.ts';
import { excerpt } from './find-index.ts';
import { type Finder, type FindScope, whereOf } from './find-state.ts';
import { finderOf } from './finder.ts';
import { flash } from './flash.ts';
import './find.css';
import { t } from '../../../text/t.ts';

/** Milliseconds of quiet after which a typed text is looked for. */
const QUIET = 120;

export function FindBar() {
  const editor = useEditor();
  const open = useStore(finderOf(editor).store, (state) => state.open);
  return open ? <Bar /> : null;
}

function Bar() {
  const editor = useEditor();
  const finder = finderOf(editor);
  const { matchCase, scope, hits } = useStore(finder.store);
  const root = useRef<HTMLDivElement>(null);
  const led = useStore(finder.store, (state) => state.led);
  const view = useEditorState((state) => state.view);
  useEffect(() => {
    const holder = root.current?.closest<HTMLElement>('.mx-editor');
    if (led === null || holder === null || holder === undefined) return undefined;
    return flash(holder, view.rowOf(led.item), led.field ?? (led.ofItem ? '#item' : led.rule));
  }, [led, view]);
  useEffect(() => {
    const bar = root.current;
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
      event.preventDefault();
      finder.close();
    };
    bar?.addEventListener('keydown', onKeyDown);
    return () => bar?.removeEventListener('keydown', onKeyDown);
  }, [finder]);
  const [several] = useState(() => {
    const { selection, view: now } = editor.store.getState();
    return rectsOf(selection, now).reduce((sum, rect) => sum + sizeOf(rect), 0) > 1;
  });
  const scopes: { value: FindScope; label: string }[] = [
    { value: 'all', label: t('Everything') },
    ...(several ? [{ value: 'selection', label: t('Selected cells') } as const] : []),
    { value: 'rule', label: t('This rule') },
  ];
  return (
    <div ref={root} className="mx-find" role="search" aria-label={t('Find')}>
      <FindText finder={finder} />
      <IconButton
        label={t('Match case')}
        aria-pressed={matchCase}
        onClick={() => finder.set({ matchCase: !matchCase })}
      >
        <CaseSensitive size={16} aria-hidden="true" />
      </IconButton>
      <Select
        inline
        label={t('In')}
        options={scopes}
        value={scope}
        onValue={(value) => finder.set({ scope: value })}
      />
      <div className="mx-find-steps">
        <IconButton
          label={t('Previous match')}
          title={t('Previous match (Shift+F3)')}
          disabled={hits.length === 0}
          onClick={() => finder.step(true)}
        >
          <ArrowUp size={16} aria-hidden="true" />
        </IconButton>
        <IconButton
          label={t('Next match')}
          title={t('Next match (F3)')}
          disabled={hits.length === 0}
          onClick={() => finder.step(false)}
        >
          <ArrowDown size={16} aria-hidden="true" />
        </IconButton>
      </div>
      <Found finder={finder} />
      <IconButton
        label={t('Close find')}
        title={t('Close (Esc)')}
        className="mx-find-close"
        onClick={() => finder.close()}
      >
        <X size={16} aria-hidden="true" />
      </IconButton>
    </div>
  );
}

function FindText({ finder }: { finder: Finder }) {
  const applied = useStore(finder.store, (state) => state.text);
  const [text, setText] = useState(applied);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const enter = (): void => {
      input.current?.focus();
      input.current?.select();
    };
    finder.bar = {
      enter,
      hasFocus: () => input.current?.closest('.mx-find')?.contains(document.activeElement) === true,
    };
    enter();
    return () => {
      finder.bar = undefined;
    };
  }, [finder]);
  useEffect(() => {
    if (text === applied) return undefined;
    const timer = setTimeout(() => finder.set({ text }), QUIET);
    return () => clearTimeout(timer);
  }, [finder, text, applied]);
  return (
    <label className="mx-search">
      <span className="visually-hidden">{t('Find in the matrix')}</span>
      <Search size={14} aria-hidden="true" />
      <input
        ref={input}
        type="text"
        className="input"
        placeholder={t('ID, label, fields, notes, source, provenance')}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
          event.preventDefault();
          if (text === applied) finder.step(event.shiftKey);
          else finder.set({ text });
        }}
      />
    </label>
  );
}

function Found({ finder }: { finder: Finder }) {
  const editor = useEditor();
  const { text, matchCase, hits, at, hidden } = useStore(finder.store);
  const filtered = useEditorState((state) => isActive(state.filter));
  const hit = hits[at];
  if (text === '') return <p className="mx-find-found" />;
  return (
    <p className="mx-find-found">
      <strong>
        {hits.length === 0
          ? t('Nothing found')
          : at < 0
            ? t('{places, plural, one {# place} other {# places}}', { places: hits.length })
            : t('{at, number} of {hits, number}', { at: at + 1, hits: hits.length })}
      </strong>
      {hidden > 0 && (
        <span>
          {hits.length === 0
            ? t('{hidden, number} in hidden items or rules', { hidden })
            : t('{hidden, number} more in hidden items or rules', { hidden })}
        </span>
      )}
      {hidden > 0 && filtered && (
        <Button size="sm" onClick={() => editor.setFilter(NO_FILTER)}>
          {t('Show all items')}
        </Button>
      )}
      {hit !== undefined && (
        <span className="mx-find-where">
          {whereOf(editor, hit)}
          {(hit.column >= 0 || hit.key !== undefined) && (
            <>
              : <q>{excerpt(finder.index.textOf(hit), { text, matchCase })}</q>
            </>
          )}
        </span>
      )}
      {hits.length === 0 && hidden === 0 && (
        <span>{t('Looked in IDs, labels, fields, reported values, notes and provenance.')}</span>
      )}
    </p>
  );
}
