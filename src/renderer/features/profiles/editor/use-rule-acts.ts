import { useEffect, useMemo, useRef, useState } from 'react';
import {
  addRule,
  duplicateRule,
  moveRule,
  nextKey,
  removeRule,
  restoreRule,
  type DraftChange,
} from './change-draft.ts';
import type { DraftRule, ProfileDraft } from './draft.ts';
import type { RuleActs } from './RuleEntry.tsx';
import { t } from '../../../text/t.ts';

export const ruleName = (rule: DraftRule, place: number): string =>
  rule.name === '' ? t('Rule {place}', { place: place + 1 }) : rule.name;

const movedWords = (rule: string, place: number, count: number): string =>
  t('{rule} is now rule {place} of {count}', { rule, place, count });

/** A rule that was taken out of the list, and where it was. */
export interface RemovedRule {
  rule: DraftRule;
  at: number;
}

/** Focuses a control once the list is drawn again: moving a rule takes the focus away. */
function useFocus() {
  const list = useRef<HTMLOListElement>(null);
  const [wanted, setWanted] = useState<{ key: string; control: string } | null>(null);
  useEffect(() => {
    if (wanted === null) return;
    const control = list.current?.querySelector<HTMLButtonElement>(
      `[data-rule="${wanted.key}"] [data-control="${wanted.control}"]`,
    );
    (control?.disabled === true
      ? control.closest('li')?.querySelector<HTMLElement>('[data-control="open"]')
      : control
    )?.focus();
    setWanted(null);
  }, [wanted]);
  return { list, focus: (key: string, control: string) => setWanted({ key, control }) };
}

/** One object for good, so that a key typed in one rule draws that rule alone. */
function useStable(current: RuleActs): RuleActs {
  const latest = useRef(current);
  useEffect(() => {
    latest.current = current;
  });
  return useMemo(
    () => ({
      toggle: (key) => latest.current.toggle(key),
      move: (key, by, control) => latest.current.move(key, by, control),
      duplicate: (key) => latest.current.duplicate(key),
      remove: (key) => latest.current.remove(key),
      drag: (key) => latest.current.drag(key),
      drop: (key) => latest.current.drop(key),
    }),
    [],
  );
}

interface ListState {
  draft: ProfileDraft;
  change: (change: DraftChange) => void;
  open: string | null;
  onOpen: (key: string | null) => void;
}

/** Adds, moves, duplicates, removes and restores rules, with the focus and the words for each. */
export function useRuleActs({ draft, change, open, onOpen }: ListState) {
  const { rules } = draft;
  const { list, focus } = useFocus();
  const [news, setNews] = useState('');
  const [removed, setRemoved] = useState<RemovedRule>();
  const [dragged, setDragged] = useState<string | null>(null);
  const place = (key: string): number => rules.findIndex((rule) => rule.key === key);
  const move = (key: string, to: number, control: string): void => {
    if (to < 0 || to >= rules.length || to === place(key)) return;
    change(moveRule(key, to));
    focus(key, control);
    setNews(movedWords(ruleName(rules[place(key)]!, place(key)), to + 1, rules.length));
  };
  const acts = useStable({
    toggle: (key) => onOpen(open === key ? null : key),
    move: (key, by, control) => move(key, place(key) + by, control),
    duplicate: (key) => {
      const copy = nextKey(draft);
      change(duplicateRule(key));
      onOpen(copy);
      focus(copy, 'open');
    },
    remove: (key) => {
      const at = place(key);
      change(removeRule(key));
      setRemoved({ rule: rules[at]!, at });
      const neighbour = rules[at + 1] ?? rules[at - 1];
      if (neighbour !== undefined) focus(neighbour.key, 'open');
    },
    drag: setDragged,
    drop: (key) => {
      if (dragged !== null) move(dragged, place(key), 'open');
      setDragged(null);
    },
  });
  const add = (): void => {
    const key = nextKey(draft);
    change(addRule);
    onOpen(key);
    focus(key, 'name');
  };
  const restore = ({ rule, at }: RemovedRule): void => {
    change(restoreRule(rule, at));
    focus(rule.key, 'open');
    setRemoved(undefined);
  };
  return {
    list,
    acts,
    add,
    restore,
    removed,
    forget: () => setRemoved(undefined),
    dragged,
    news,
    setNews,
  };
}
