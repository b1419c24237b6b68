import { onlySuggests } from './action.ts';
import { notify } from './editor-state.ts';
import { replacedBy } from './reason.ts';
import type { Recording, Surroundings } from './recording.ts';
import { createSetting } from './setting.ts';
import { createStoring, type Storing } from './storing.ts';
import { suggestSelected } from './suggesting.ts';
import { createUndoing } from './undoing.ts';
import { t } from '../../../text/t.ts';

/**
 * Recorded cells that one act may replace without a word in sight, and from how many on it asks
 * first.
 */
const REPLACED_QUIETLY = 20;
const REPLACED_ASKED = 200;

/** A letter typed there means the whole column, which is easily overlooked. */
const isHeadingFocused = (): boolean =>
  'document' in globalThis &&
  document.activeElement !== null &&
  document.activeElement.closest('.ag-header-cell') !== null;

/**
 * Everything that changes evidence: one call of the session for each act of a person, and words for
 * what came of it.
 */
export function createRecording(surroundings: Surroundings): Recording {
  const { session, store } = surroundings;
  const { begun, ...storing } = createStoring(session, store);
  const replace = createReplacing(surroundings, { ...storing, begun });
  const setting = createSetting(surroundings, { apply: storing.apply, replace });
  return {
    ...storing,
    replace,
    ...setting,
    record: (state) =>
      state !== null && onlySuggests(session.saveStatus)
        ? suggestSelected(surroundings, state)
        : setting.record(state),
    retrace: createUndoing(surroundings),
  };
}

function createReplacing(
  { session, store, announce }: Surroundings,
  { apply, begun }: Storing,
): Recording['replace'] {
  /** Before a reason is asked for, the dialog for it says how many cells change. */
  const isAsked = (replaced: number): boolean =>
    (replaced >= REPLACED_ASKED || (replaced > 0 && isHeadingFocused())) &&
    !store.getState().preferences.askReason;
  const ask = (replaced: number, label: string): Promise<boolean> =>
    new Promise((answer) => store.setState({ replacing: { replaced, label, answer } }));
  return async (edit, words) => {
    const isWholeColumn = isHeadingFocused();
    let replaced = replacedBy(session, edit);
    let agreed = 0;
    // Others may record in these cells while the question is open.
    while (replaced > agreed && isAsked(replaced)) {
      if (!(await ask(replaced, edit.label))) return announce(t('Left as it is'));
      agreed = replaced;
      replaced = replacedBy(session, edit);
    }
    const wasAsked = agreed > 0;
    const stored = apply(edit);
    const mine = begun();
    const done = await stored;
    if (done === undefined) return undefined;
    const isLast = mine === begun();
    const { text, isSeen } = words({ cells: done.cells, replaced });
    if (wasAsked || replaced > REPLACED_QUIETLY)
      notify(
        store,
        isSeen
          ? text
          : `${t('{replaced, plural, one {# recorded cell} other {# recorded cells}} replaced.', { replaced })} ${text}.`,
        'plain',
        isLast,
      );
    else if (isWholeColumn && done.cells > REPLACED_QUIETLY) notify(store, text, 'plain', isLast);
    else if (isSeen) notify(store, text);
    else announce(text);
    return undefined;
  };
}
