import { Users, X } from 'lucide-react';
import { memo, useDeferredValue, useEffect } from 'react';
import type { Presence } from '../../data/api/events.ts';
import { formatCount, formatPercent } from '../../state/format.ts';
import { IconButton } from '../../ui/Button.tsx';
import { Shown } from './toolbar/Shown.tsx';
import { SaveState } from './toolbar/SaveState.tsx';
import { Mark } from '../../ui/OutcomeMark.tsx';
import { countIn, rectsOf } from './model/selection.ts';
import { type Counts, recordedOf, STATE_KEYS, STATE_WORDS, totalOf } from './model/states.ts';
import { countByPerson, newsWords } from './editor/news.ts';
import type { CellMark } from './editor/editor-state.ts';
import { useEditor, useEditorState, useRevision } from './editor/use-editor.ts';
import { locale, t } from '../../text/t.ts';

/** How long news of an undo stays. A problem stays until it is dismissed or over. */
const NEWS_FOR = 8_000;

interface OthersProps {
  otherWindows: number;
  presence: Presence;
}

export const StatusBar = memo(function StatusBar(props: OthersProps) {
  return (
    <footer className="mx-status" role="group" aria-label={t('Counts')}>
      <SaveState />
      <Shown />
      <Others {...props} />
      <News />
      <SelectionCounts />
      <Totals />
    </footer>
  );
});

/**
 * Who else is here: what others changed while it is marked, then who they are, who only reads, and
 * that this browser has the case open in another window too.
 */
function Others({ otherWindows, presence }: OthersProps) {
  const marks = useEditorState((state) => state.marks);
  const others = useEditorState((state) => state.others);
  const readers = presence.here.filter((name) => !others.includes(name));
  const parts = [
    ...(others.length === 0 ? [] : [writersWords(others, marks)]),
    ...(readers.length === 0 ? [] : [readersWords(readers, presence.more)]),
  ];
  if (parts.length === 0 && otherWindows > 0)
    parts.push(
      t('{windows, plural, one {Open in another window} other {Open in # other windows}}', {
        windows: otherWindows,
      }),
    );
  if (parts.length === 0) return null;
  const words = parts.join(' · ');
  return (
    <span className="mx-others" title={words}>
      <Users size={14} aria-hidden="true" />
      <span>{words}</span>
    </span>
  );
}

const listed = (names: readonly string[]): string =>
  new Intl.ListFormat(locale(), { type: 'conjunction' }).format(names);

const readersWords = (names: readonly string[], more: number): string =>
  more === 0
    ? t('Also here: {names}', { names: listed(names) })
    : t('Also here: {names} and {more, plural, one {# other} other {# others}}', {
        names: names.join(', '),
        more,
      });

function writersWords(others: readonly string[], marks: ReadonlyMap<string, CellMark>): string {
  if (marks.size === 0) return t('Also writing here: {names}', { names: listed(others) });
  return listed(Array.from(countByPerson(marks.values()), ([by, cells]) => newsWords(by, cells)));
}

function News() {
  const editor = useEditor();
  const notice = useEditorState((state) => state.notice);
  useEffect(() => {
    if (notice?.tone !== 'plain') return undefined;
    const timer = setTimeout(() => editor.dismissNotice(), NEWS_FOR);
    return () => clearTimeout(timer);
  }, [editor, notice]);
  if (notice === null) return null;
  return (
    <div className="mx-news" data-tone={notice.tone}>
      <span>{notice.text}</span>
      {notice.undo === true && (
        <button
          type="button"
          className="mx-news-undo"
          onClick={() => {
            // A second click would take back what was done before.
            editor.dismissNotice();
            void editor.undo();
          }}
        >
          {t('Undo')}
        </button>
      )}
      <IconButton label={t('Dismiss')} onClick={() => editor.dismissNotice()}>
        <X size={13} aria-hidden="true" />
      </IconButton>
    </div>
  );
}

/** Follows the selection with a delay, so that keys never wait for the sums of a large block. */
function SelectionCounts() {
  const { session } = useEditor();
  const revision = useDeferredValue(useRevision());
  const view = useEditorState((state) => state.view);
  const rects = rectsOf(useDeferredValue(useEditorState((state) => state.selection)), view);
  const counts = countIn(rects, view, session);
  const size = totalOf(counts);
  if (size < 2) return null;
  return (
    <div className="mx-selected" data-revision={revision}>
      <span className="mx-status-label">
        {t('{size, plural, one {# cell} other {# cells}} selected', { size })}
      </span>
      <CountList counts={counts} words={false} />
    </div>
  );
}

function Totals() {
  const { session } = useEditor();
  useDeferredValue(useRevision());
  const counts = session.totals();
  const total = totalOf(counts);
  const recorded = recordedOf(counts);
  const share = total === 0 ? 0 : Math.floor((100 * recorded) / total);
  return (
    <div className="mx-totals">
      <CountList counts={counts} words />
      <div className="mx-overall">
        <span>{t('{recorded, number} of {total, number} recorded', { recorded, total })}</span>
        <span
          className="mx-bar"
          role="progressbar"
          aria-label={t('Cells recorded')}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={share}
        >
          <span className="mx-bar-fill" style={{ width: `${share}%` }} />
        </span>
        <span className="mx-share">{formatPercent(share / 100)}</span>
      </div>
    </div>
  );
}

function CountList({ counts, words }: { counts: Counts; words: boolean }) {
  return (
    <ul className="mx-counts">
      {STATE_KEYS.map((state, index) => (
        <li key={state}>
          <Mark state={state} />
          <span className="mx-count">{formatCount(counts[index] ?? 0)}</span>
          <span className={words ? 'mx-count-word' : 'visually-hidden'}>
            {state === 'unrecorded' ? STATE_WORDS[state].full : STATE_WORDS[state].meaning}
          </span>
        </li>
      ))}
    </ul>
  );
}
