import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { headingOf } from './grid/rule-heading.ts';
import { Meanings } from './Meanings.tsx';
import { useEditor } from './use-editor.ts';

/** Milliseconds before a card follows the pointer, and before it goes after the pointer has left. */
const SHOW_AFTER = 120;
const HIDE_AFTER = 140;
const CARD = 'mx-rule-card';

interface Shown {
  rule: string;
  heading: HTMLElement;
}

/** The card of the rule whose heading has the pointer or the keyboard's focus. It can be entered with the pointer, and Escape sends it away. */
function useShownRule(host: HTMLElement): { shown: Shown | null; keep: () => void; leave: () => void } {
  const [shown, setShown] = useState<Shown | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const later = (next: Shown | null, ms: number): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setShown(next), ms);
  };
  useEffect(() => {
    const find = (target: EventTarget | null): Shown | null => {
      const found = headingOf(target);
      return found === undefined ? null : { rule: found.rule, heading: found.element };
    };
    const onOver = (event: PointerEvent): void => {
      if (event.relatedTarget instanceof Element && event.type === 'pointerleave' && event.relatedTarget.closest(`#${CARD}`) !== null) return;
      const next = event.buttons === 0 ? find(event.target) : null;
      later(next, next === null ? HIDE_AFTER : SHOW_AFTER);
    };
    const onFocus = (event: FocusEvent): void => {
      if (event.target instanceof Element && event.target.matches(':focus-visible')) later(find(event.target), 0);
    };
    const hide = (): void => later(null, 0);
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') hide();
    };
    host.addEventListener('pointerover', onOver);
    host.addEventListener('pointerleave', onOver);
    host.addEventListener('focusin', onFocus);
    host.addEventListener('focusout', hide);
    host.addEventListener('pointerdown', hide);
    host.addEventListener('wheel', hide, { passive: true });
    document.addEventListener('keydown', onKey);
    return () => {
      clearTimeout(timer.current);
      host.removeEventListener('pointerover', onOver);
      host.removeEventListener('pointerleave', onOver);
      host.removeEventListener('focusin', onFocus);
      host.removeEventListener('focusout', hide);
      host.removeEventListener('pointerdown', hide);
      host.removeEventListener('wheel', hide);
      document.removeEventListener('keydown', onKey);
    };
  }, [host]);
  return { shown, keep: () => clearTimeout(timer.current), leave: () => later(null, HIDE_AFTER) };
}

export function RuleCard({ host }: { host: HTMLElement }) {
  const { session } = useEditor();
  const { shown, keep, leave } = useShownRule(host);
  const card = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    if (shown === null || card.current === null) return undefined;
    const box = shown.heading.getBoundingClientRect();
    const { offsetWidth } = card.current;
    card.current.style.left = `${Math.max(8, Math.min(box.left, innerWidth - offsetWidth - 12))}px`;
    card.current.style.top = `${box.bottom + 4}px`;
    card.current.style.maxHeight = `${Math.max(160, innerHeight - box.bottom - 16)}px`;
    shown.heading.setAttribute('aria-describedby', CARD);
    return () => shown.heading.removeAttribute('aria-describedby');
  }, [shown]);

  const rule = session.profile.rules.find((entry) => entry.ruleUid === shown?.rule);
  if (shown === null || rule === undefined) return null;
  return (
    <div ref={card} id={CARD} role="tooltip" className="mx-card" onPointerEnter={keep} onPointerLeave={leave}>
      <p className="mx-card-title">{rule.name}</p>
      <p className="mx-uid">{rule.ruleUid}</p>
      <p className="mx-card-text">{rule.description}</p>
      <Meanings rule={rule} counts={session.columnCounts(session.columnOf(rule.ruleUid))} />
    </div>
  );
}
