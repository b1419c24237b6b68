import { createStore } from 'zustand/vanilla';
import type { Editor } from '../editor/editor.ts';
import { NO_FILTER } from '../model/filter.ts';
import { single } from '../model/selection.ts';
import { createFollowing } from './following.ts';
import { Reasons } from './reasons.ts';
import { createResolveMany } from './resolve-many.ts';
import { createResolveOne } from './resolve-one.ts';
import {
  CLOSED,
  conflictAt,
  type Review,
  type ReviewParts,
  type ReviewState,
  subjectOf,
} from './review-state.ts';

function createReview(editor: Editor): Review {
  const { session } = editor;
  const store = createStore<ReviewState>(() => CLOSED);
  const reasons = new Reasons();
  const parts: ReviewParts = {
    editor,
    store,
    reasons,
    visits: 0,
    dialog: () => review.dialog,
  };
  const visit =
    <A extends unknown[]>(lead: (...where: A) => void) =>
    (...where: A): void => {
      parts.visits += 1;
      lead(...where);
    };
  const { lookAt, step, refresh, askWriters } = createFollowing(parts);
  let stop: (() => void) | undefined;
  const review: Review = {
    store,
    dialog: undefined,
    open: (at) => {
      const list = session.contests();
      store.setState({ ...CLOSED, open: true, list });
      const { selection } = editor.store.getState();
      const here = list.find(
        ({ item, rule }) => item === selection?.focus.item && rule === selection.focus.rule,
      );
      lookAt(at ?? here?.reg ?? list[0]?.reg ?? null);
      stop ??= session.subscribe(refresh);
      void askWriters();
    },
    close: () => {
      stop?.();
      stop = undefined;
      store.setState({ open: false, bulk: null });
    },
    go: visit(lookAt),
    step: visit(step),
    setWhy: (why) => {
      reasons.type(...subjectOf(store.getState()), why);
      store.setState({ why });
    },
    ...createResolveOne(parts),
    ...createResolveMany(parts),
    showInMatrix: () => {
      const conflict = conflictAt(store.getState());
      if (conflict === undefined) return;
      review.close();
      const { item } = conflict;
      if (editor.store.getState().view.rowOf(item) < 0) editor.setFilter(NO_FILTER);
      const { view, selection } = editor.store.getState();
      const rule = conflict.rule ?? selection?.focus.rule ?? view.ruleAt(0);
      if (view.rowOf(item) >= 0) editor.select(single({ item, rule }));
    },
  };
  return review;
}

const reviews = new WeakMap<Editor, Review>();

export function reviewOf(editor: Editor): Review {
  let review = reviews.get(editor);
  if (review === undefined) reviews.set(editor, (review = createReview(editor)));
  return review;
}
