import { type RefObject, useDeferredValue, useMemo, useRef, useState } from 'react';
import { usePublisher } from '../../../state/use-may.ts';
import type { ProfileListEntry } from '../../../data/api/library.ts';
import { versionSuggestion } from './change-draft.ts';
import type { ProfileDraft } from './draft.ts';
import { problemsOf, type Problem } from './draft-problems.ts';

/** The draft as it would be published: with the suggested version, and private for most people. */
export function useShownDraft(draft: ProfileDraft, entries: readonly ProfileListEntry[]) {
  const publisher = usePublisher();
  const suggestion = versionSuggestion(
    draft,
    entries.filter((entry) => entry.profileUid === draft.profileUid).map((entry) => entry.version),
  );
  const suggested =
    suggestion === undefined || draft.versionGiven ? draft.version : suggestion.version;
  const shown = useMemo(
    () => ({
      ...draft,
      version: suggested,
      ...(publisher !== 'you' && { visibility: 'private' as const }),
    }),
    [draft, suggested, publisher],
  );
  return { shown, suggestion, publisher };
}

/** What keeps the draft from being published. Checking hundreds of rules delays no key. */
export function useProblems(shown: ProfileDraft, entries: readonly ProfileListEntry[]): Problem[] {
  const checked = useDeferredValue(shown);
  return useMemo(() => problemsOf(checked, entries), [checked, entries]);
}

/**
 * Errors are shown at their fields once those were touched, and everywhere after an attempt to
 * publish; what the server refused at once.
 */
export function useShownErrors(problems: readonly Problem[], refused: readonly Problem[]) {
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [all, setAll] = useState(false);
  const errors = new Map(
    problems
      .filter(({ field }) => all || touched.has(field))
      .map(({ field, message }) => [field, message]),
  );
  const touch = (field: string): void => {
    if (!touched.has(field)) setTouched(new Set([...touched, field]));
  };
  const errorOf = (field: string): string | undefined =>
    refused.find((problem) => problem.field === field)?.message ?? errors.get(field);
  return { errorOf, touch, showAll: () => setAll(true) };
}

function focusField(form: HTMLElement | null, field: string): void {
  const target = [...(form?.querySelectorAll<HTMLElement>('[name], [data-field]') ?? [])].find(
    (element) => (element.getAttribute('name') ?? element.dataset['field']) === field,
  );
  target?.focus();
  target?.scrollIntoView({ block: 'center' });
}

/** Which rule is open, and the way from a problem to its field. */
export function useOpenRule(
  { rules }: ProfileDraft,
  touch: (field: string) => void,
): {
  form: RefObject<HTMLDivElement | null>;
  open: string | null;
  setOpen: (key: string | null) => void;
  goTo: (problem: Problem) => void;
} {
  const form = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<string | null>(rules.length === 1 ? rules[0]!.key : null);
  const goTo = ({ field, rule }: Problem): void => {
    if (rule !== undefined) setOpen(rule);
    touch(field);
    // A rule that was closed has its fields in the next frame.
    requestAnimationFrame(() => requestAnimationFrame(() => focusField(form.current, field)));
  };
  return { form, open, setOpen, goTo };
}
