import type { Contest } from '../../../data/store/port.ts';
import { notify } from '../editor/editor-state.ts';
import { cellName, itemName } from '../model/names.ts';
import { namesOf } from './decide.ts';
import {
  conflictAt,
  isRemoved,
  KEEP,
  reasonGiven,
  RESTORE,
  type Review,
  type ReviewParts,
  type ReviewState,
  showWhy,
  toListAfter,
  whileBusy,
} from './review-state.ts';
import { t } from '../../../text/t.ts';

/** Choosing what holds in the conflict that is looked at, and recording that. */
export function createResolveOne(parts: ReviewParts): Pick<Review, 'choose' | 'edit' | 'resolve'> {
  const { store, reasons } = parts;
  const get = store.getState;
  const take = (choice: ReviewState['choice'], editing: boolean): void =>
    store.setState({ choice, editing, overtaken: false });
  return {
    choose: (number) => {
      const { bulk, heads, editing } = get();
      if (bulk !== null) return;
      const act = [RESTORE, KEEP][number - 1];
      const head = heads[number - 1];
      if (isRemoved(get())) {
        if (act !== undefined) take({ entry: act, value: null }, editing);
      } else if (head !== undefined) take({ entry: head.entry, value: head.value }, false);
    },
    edit: (value) => {
      const { bulk, heads, choice } = get();
      const from = choice ?? heads[0];
      const isText = heads[0]?.field === 'outcome' || heads[0]?.field === 'notes';
      if (bulk !== null || isRemoved(get()) || from === undefined || !isText) return;
      take({ entry: null, value: value === undefined ? from.value : value }, true);
    },
    resolve: async () => {
      const { choice, busy } = get();
      const conflict = conflictAt(get());
      if (busy || conflict === undefined || choice === null) return;
      const why = reasonGiven(parts);
      if (why === undefined) return;
      const toList = toListAfter(parts);
      const done = await record(parts, conflict, choice, why);
      if (done) reasons.recorded(conflict.reg, why);
      showWhy(parts);
      toList();
    },
  };
}

async function record(
  parts: ReviewParts,
  conflict: Contest,
  choice: NonNullable<ReviewState['choice']>,
  why: string,
): Promise<boolean> {
  const { editor, store } = parts;
  const { reg, item, rule, kind } = conflict;
  if (kind === 'removed') return decideRemoved(parts, item, choice.entry === RESTORE, why);
  const resolution = { reg, heads: namesOf(store.getState().heads), value: choice.value };
  const name =
    rule === null ? itemName(editor.session, item) : cellName(editor.session, { item, rule });
  return whileBusy(parts, () => editor.resolve([resolution], why, t('Resolve {name}', { name })));
}

/** One of the two that can become of a removed item. */
async function decideRemoved(
  parts: ReviewParts,
  item: string,
  isRestore: boolean,
  why: string,
): Promise<boolean> {
  const { editor } = parts;
  const name = itemName(editor.session, item);
  const done = await whileBusy(parts, () =>
    editor.apply({
      label: isRestore ? t('Restore {name}', { name }) : t('Keep removed {name}', { name }),
      why,
      items: [isRestore ? { do: 'add', item_uid: item } : { do: 'keep-removed', item_uid: item }],
    }),
  );
  if (done !== undefined)
    notify(
      editor.store,
      isRestore ? t('{name} restored, at the end', { name }) : t('{name} stays removed', { name }),
    );
  return done !== undefined;
}
