import { Pin, X } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

import { headingIn, headingOf } from './rule-heading.ts';
import { Meanings } from '../marks/Meanings.tsx';
import { totalOf, recordedOf } from '../model/states.ts';
import type { EditorStore } from '../editor/editor-state.ts';
import { useEditor, useEditorState, useRevision } from '../editor/use-editor.ts';
import { t } from '../../../text/t.ts';

/**
 * Milliseconds before a card follows the pointer, and before it goes after the pointer has left.
 */
const SHOW_AFTER = 120;
const HIDE_AFTER = 140;
/** Milliseconds after the heading's menu has closed in which no card comes. */
const AFTER_MENU = 600;
const CARD = 'mx-rule-card';

interface ShownRule {
  rule: string;
  heading: HTMLElement;
}

const shownAt = (target: EventTarget | null): ShownRule | null => {
  const found = headingOf(target);
  return found === undefined ? null : { rule: found.rule, heading: found.element };
};

/**
 * Whether the heading's menu is open, or was a moment ago: the pointer comes back from it, and a
 * card would cover what it has just changed.
 */
function followMenu(store: EditorStore): { isMenuTime(): boolean; stop(): void } {
  let closedAt = -Infinity;
  const stop = store.subscribe(({ menuOf }, before) => {
    if (menuOf !== before.menuOf) closedAt = performance.now();
  });
  return {
    stop,
    isMenuTime: () => store.getState().menuOf !== null || performance.now() - closedAt < AFTER_MENU,
  };
}

/** Asks for the card of the heading that pointer or keyboard are on; null: for none. */
function listenToHeadings(
  host: HTMLElement,
  store: EditorStore,
  later: (next: ShownRule | null, ms: number) => void,
): () => void {
  const { isMenuTime, stop } = followMenu(store);
  let under: HTMLElement | undefined;
  // Only pointer moves count: a heading that appears under a resting pointer (a page opened, a
  // dialog closed) shows no card.
  const onMove = (event: PointerEvent): void => {
    const next = event.buttons === 0 && !isMenuTime() ? shownAt(event.target) : null;
    if (next?.heading === under) return;
    under = next?.heading;
    later(next, next === null ? HIDE_AFTER : SHOW_AFTER);
  };
  const onLeave = ({ relatedTarget }: PointerEvent): void => {
    under = undefined;
    if (relatedTarget instanceof Element && relatedTarget.closest(`#${CARD}`) !== null) return;
    later(null, HIDE_AFTER);
  };
  const onFocus = ({ target }: FocusEvent): void => {
    if (!isMenuTime() && target instanceof Element && target.matches(':focus-visible'))
      later(shownAt(target), 0);
  };
  const hide = (): void => later(null, 0);
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') hide();
  };
  host.addEventListener('pointermove', onMove);
  host.addEventListener('pointerleave', onLeave);
  host.addEventListener('focusin', onFocus);
  host.addEventListener('focusout', hide);
  host.addEventListener('pointerdown', hide);
  host.addEventListener('wheel', hide, { passive: true });
  // Before the grid, where the key means something of its own.
  document.addEventListener('keydown', onKey, { capture: true });
  return () => {
    stop();
    host.removeEventListener('pointermove', onMove);
    host.removeEventListener('pointerleave', onLeave);
    host.removeEventListener('focusin', onFocus);
    host.removeEventListener('focusout', hide);
    host.removeEventListener('pointerdown', hide);
    host.removeEventListener('wheel', hide);
    document.removeEventListener('keydown', onKey, { capture: true });
  };
}

/**
 * The card of the rule whose heading has the pointer or the keyboard's focus. It can be entered
 * with the pointer, and Escape sends it away.
 */
function useShownRule(host: HTMLElement): {
  shown: ShownRule | null;
  keep: () => void;
  leave: () => void;
} {
  const { store } = useEditor();
  const [shown, setShown] = useState<ShownRule | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const later = (next: ShownRule | null, ms: number): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setShown(next), ms);
  };
  useEffect(() => {
    const stop = listenToHeadings(host, store, later);
    return () => {
      stop();
      clearTimeout(timer.current);
    };
  }, [host, store]);
  return { shown, keep: () => clearTimeout(timer.current), leave: () => later(null, HIDE_AFTER) };
}

/** A press on the card's text does not move the focus, so letter keys keep their meaning. */
function keepFocus(event: MouseEvent): void {
  if (!(event.target instanceof Element && event.target.closest('button') !== null))
    event.preventDefault();
}

/** The card that comes and goes with the pointer, and the one that was asked to stay. */
export function RuleCard({ host }: { host: HTMLElement }) {
  const { store } = useEditor();
  const { shown, keep, leave } = useShownRule(host);
  const kept = useEditorState((state) => state.cardOf);
  const stay = (): void => {
    store.setState({ cardOf: shown?.rule ?? null });
    leave();
  };
  return (
    <>
      {kept !== null && <KeptCard key={kept} rule={kept} host={host} />}
      {shown !== null && shown.rule !== kept && (
        <PassingCard shown={shown} keep={keep} leave={leave} onStay={stay} />
      )}
    </>
  );
}

function place(card: HTMLElement, heading: HTMLElement): void {
  const box = heading.getBoundingClientRect();
  card.style.left = `${Math.max(8, Math.min(box.left, innerWidth - card.offsetWidth - 12))}px`;
  card.style.top = `${box.bottom + 4}px`;
  card.style.maxHeight = `${Math.max(160, innerHeight - box.bottom - 16)}px`;
}

function PassingCard({
  shown,
  keep,
  leave,
  onStay,
}: {
  shown: ShownRule;
  keep: () => void;
  leave: () => void;
  onStay: () => void;
}) {
  const card = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = card.current;
    if (element === null) return undefined;
    place(element, shown.heading);
    element.addEventListener('mousedown', keepFocus);
    shown.heading.setAttribute('aria-describedby', CARD);
    return () => {
      element.removeEventListener('mousedown', keepFocus);
      shown.heading.removeAttribute('aria-describedby');
    };
  }, [shown]);
  return (
    <div
      ref={card}
      id={CARD}
      role="tooltip"
      className="mx-card"
      onPointerEnter={keep}
      onPointerLeave={leave}
    >
      <CardBody rule={shown.rule}>
        <button
          type="button"
          className="btn btn-ghost btn-icon"
          tabIndex={-1}
          title={t('Keep open')}
          aria-label={t('Keep the card open')}
          onClick={onStay}
        >
          <Pin size={13} aria-hidden="true" />
        </button>
      </CardBody>
    </div>
  );
}

function KeptCard({ rule, host }: { rule: string; host: HTMLElement }) {
  const editor = useEditor();
  const card = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (card.current === null) return;
    place(card.current, headingIn(host, rule) ?? host);
    card.current.focus();
  }, [host, rule]);
  const close = useCallback((): void => {
    editor.store.setState({ cardOf: null });
    const back = headingIn(host, rule);
    if (back === null) editor.focusGrid();
    else back.focus();
  }, [editor, host, rule]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && card.current?.contains(document.activeElement) === true)
        close();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [close]);
  return (
    <div
      ref={card}
      role="dialog"
      aria-label={t('Rule')}
      tabIndex={-1}
      className="mx-card"
      data-kept=""
    >
      <CardBody rule={rule}>
        <button
          type="button"
          className="btn btn-ghost btn-icon"
          title={t('Close')}
          aria-label={t('Close the card')}
          onClick={close}
        >
          <X size={13} aria-hidden="true" />
        </button>
      </CardBody>
    </div>
  );
}

function CardBody({ rule: uid, children }: { rule: string; children: ReactNode }) {
  const { session } = useEditor();
  useRevision();
  const rule = session.profile.rules.find((entry) => entry.ruleUid === uid);
  if (rule === undefined) return null;
  const counts = session.columnCounts(session.columnOf(uid));
  return (
    <>
      <div className="mx-card-head">
        <p className="mx-card-title">{rule.name}</p>
        {children}
      </div>
      <p className="mx-uid">{rule.ruleUid}</p>
      <p className="mx-card-text">{rule.description}</p>
      <Meanings rule={rule} counts={counts} />
      <p className="mx-card-text">
        {t(
          '{unrecorded, plural, one {# item} other {# items}} unrecorded, {recorded, number} of {total, number} recorded',
          { unrecorded: counts[3], recorded: recordedOf(counts), total: totalOf(counts) },
        )}
      </p>
    </>
  );
}
