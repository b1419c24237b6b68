import type { Contest } from '../../../data/store/port.ts';

import { isSelected, rectsOf } from '../model/selection.ts';
import { planBulk, sumsOf, toSettlings } from './decide.ts';
import {
  type BulkScope,
  conflictAt,
  reasonGiven,
  type Review,
  type ReviewParts,
  showWhy,
  subjectOf,
  toListAfter,
  whileBusy,
} from './review-state.ts';
import { t } from '../../../text/t.ts';

/** Deciding many conflicts by one rule: previewed, then recorded as it was previewed. */
export function createResolveMany(parts: ReviewParts): Pick<Review, 'plan' | 'resolveAll'> {
  const { editor, store, reasons } = parts;
  const get = store.getState;
  const plan: Review['plan'] = (change) => {
    if (change === null) store.setState({ bulk: null });
    else {
      const { bulk, writers } = get();
      const { rule, author, scope } = {
        rule: 'problem' as const,
        author: null,
        scope: 'all' as const,
        ...bulk,
        ...change,
      };
      const decisions = planBulk(editor.session, inScope(parts, scope), rule, writers, author);
      store.setState({
        choice: null,
        editing: false,
        bulk: { rule, author, scope, overtaken: 0, plan: decisions },
      });
    }
    showWhy(parts);
  };
  return {
    plan,
    resolveAll: async () => {
      const { bulk, busy } = get();
      if (busy || bulk === null) return;
      const why = reasonGiven(parts);
      if (why === undefined) return;
      const toList = toListAfter(parts);
      const [subject] = subjectOf(get());
      const done = await whileBusy(parts, () =>
        editor.resolve(
          toSettlings(bulk.plan),
          why,
          t('Resolve {resolved, plural, one {# cell} other {# cells}} by a rule', {
            resolved: sumsOf(bulk.plan).resolved,
          }),
        ),
      );
      if (done) reasons.recorded(subject, why);
      if (done) plan(null);
      // Previewed again, unless the person has left it meanwhile.
      else if (get().bulk !== null) plan({});
      toList();
    },
  };
}

function inScope({ editor, store }: ReviewParts, scope: BulkScope): Contest[] {
  const { list } = store.getState();
  if (scope === 'all') return list.filter(({ kind }) => kind !== 'removed');
  const { selection, view } = editor.store.getState();
  const rule = conflictAt(store.getState())?.rule;
  const rects = rectsOf(selection, view);
  return list.filter((conflict) =>
    scope === 'rule'
      ? conflict.rule !== null && conflict.rule === rule
      : conflict.rule !== null &&
        isSelected(rects, view.rowOf(conflict.item), view.columnOf(conflict.rule)),
  );
}
