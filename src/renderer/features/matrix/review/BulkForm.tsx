import { ruleName } from '../model/names.ts';
import { useStore } from 'zustand';
import { formatCount, plural } from '../../../state/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Select } from '../../../ui/Select.tsx';
import { Mark } from '../marks/Mark.tsx';
import { STATE_KEYS, STATE_WORDS } from '../model/states.ts';
import { useEditor, useEditorState } from '../editor/use-editor.ts';
import {
  authorOf,
  BULK_RULE_LABELS,
  BULK_RULES,
  changesResult,
  sumsOf,
} from '../conflicts/decide.ts';
import type { Bulk, BulkScope, Review } from '../conflicts/review-state.ts';

/** Many resolved by one rule: what each rule would come to is seen before it is done. */
export function BulkForm({ review, bulk }: { review: Review; bulk: Bulk }) {
  const { session } = useEditor();
  const writers = useStore(review.store, (state) => state.writers);
  const selected = useEditorState((state) => state.selection !== null);
  const at = useStore(
    review.store,
    ({ list, at: reg }) => list.find((contest) => contest.reg === reg)?.rule ?? null,
  );
  const authors = [...new Set([...writers.values()].map(authorOf))].sort();
  const sums = sumsOf(bulk.plan);
  const material = bulk.plan.filter(
    ({ heads, taken }) => taken !== null && changesResult(heads),
  ).length;
  const scopes: { value: BulkScope; label: string }[] = [
    { value: 'all', label: 'All conflicts' },
    ...(at === null
      ? []
      : [{ value: 'rule' as const, label: `The rule ${ruleName(session, at)}` }]),
    ...(selected
      ? [{ value: 'selection' as const, label: 'The cells selected in the matrix' }]
      : []),
  ];
  return (
    <section className="mx-bulk" aria-label="Resolve many by a rule">
      <div className="mx-bulk-choices">
        <Select
          label="Rule"
          options={BULK_RULES.map((value) => ({ value, label: BULK_RULE_LABELS[value] }))}
          value={bulk.rule}
          onValue={(rule) =>
            review.plan({
              rule,
              author: rule === 'author' ? (bulk.author ?? authors[0] ?? null) : bulk.author,
            })
          }
        />
        {bulk.rule === 'author' && (
          <Select
            label="Author"
            options={authors.map((value) => ({ value, label: value }))}
            value={bulk.author}
            onValue={(author) => review.plan({ author })}
          />
        )}
        <Select
          label="Of"
          options={scopes}
          value={bulk.scope}
          onValue={(scope) => review.plan({ scope })}
        />
      </div>
      {bulk.overtaken > 0 && (
        <Notice tone="warning" live>
          <p>
            {plural(bulk.overtaken, 'cell')} of this preview {bulk.overtaken === 1 ? 'has' : 'have'}{' '}
            other values since and will be left.{' '}
            <Button size="sm" onClick={() => review.plan({})}>
              Preview again
            </Button>
          </p>
        </Notice>
      )}
      <div role="status">
        <p>
          <strong>{plural(sums.resolved, 'cell')}</strong> of {formatCount(bulk.plan.length)} would
          be resolved
          {sums.undecided > 0 &&
            `; of ${formatCount(sums.undecided)} the rule does not say, and ${sums.undecided === 1 ? 'it is' : 'they are'} left`}
          .
        </p>
        <ul className="mx-bulk-sums">
          {STATE_KEYS.map((key) => (
            <li key={key}>
              <Mark state={key} />{' '}
              <span>
                {formatCount(sums.to[key])} become {STATE_WORDS[key].full}
              </span>
            </li>
          ))}
          {sums.to.other > 0 && (
            <li>
              <span>{formatCount(sums.to.other)} notes and item fields</span>
            </li>
          )}
        </ul>
        <p className="small muted">
          {formatCount(sums.changed)} would show something else than now; in {formatCount(material)}{' '}
          the choice changes the result. The list shows each.
        </p>
      </div>
    </section>
  );
}
