import type { ReactNode } from 'react';
import { ruleName } from '../model/names.ts';
import { useStore } from 'zustand';
import { Button } from '../../../ui/Button.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Select } from '../../../ui/Select.tsx';
import { Mark } from '../../../ui/OutcomeMark.tsx';
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
import { rich } from '../../../text/rich.ts';
import { t, tAs } from '../../../text/t.ts';

function scopesFor(
  rule: string | undefined,
  hasSelection: boolean,
): { value: BulkScope; label: string }[] {
  return [
    { value: 'all', label: t('All conflicts') },
    ...(rule === undefined
      ? []
      : [{ value: 'rule' as const, label: t('The rule {rule}', { rule }) }]),
    ...(hasSelection
      ? [{ value: 'selection' as const, label: t('The cells selected in the matrix') }]
      : []),
  ];
}

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
  const values = {
    resolved: sums.resolved,
    all: bulk.plan.length,
    undecided: sums.undecided,
    strong: (text: ReactNode) => <strong>{text}</strong>,
  };
  const material = bulk.plan.filter(
    ({ heads, taken }) => taken !== null && changesResult(heads),
  ).length;
  const scopes = scopesFor(at === null ? undefined : ruleName(session, at), selected);
  return (
    <section className="mx-bulk" aria-label={t('Resolve many by a rule')}>
      <div className="mx-bulk-choices">
        <Select
          label={t('Rule')}
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
            label={t('Author')}
            options={authors.map((value) => ({ value, label: value }))}
            value={bulk.author}
            onValue={(author) => review.plan({ author })}
          />
        )}
        <Select
          label={tAs('scope', 'Of')}
          options={scopes}
          value={bulk.scope}
          onValue={(scope) => review.plan({ scope })}
        />
      </div>
      {bulk.overtaken > 0 && (
        <Notice tone="warning" live>
          <p>
            {t(
              '{overtaken, plural, one {# cell of this preview has} other {# cells of this preview have}} other values since and will be left.',
              { overtaken: bulk.overtaken },
            )}{' '}
            <Button size="sm" onClick={() => review.plan({})}>
              {t('Preview again')}
            </Button>
          </p>
        </Notice>
      )}
      <div role="status">
        <p>
          {sums.undecided > 0
            ? rich(
                '<strong>{resolved, plural, one {# cell} other {# cells}}</strong> of {all, number} would be resolved; of {undecided, number} the rule does not say, and {undecided, plural, one {it is} other {they are}} left.',
                values,
              )
            : rich(
                '<strong>{resolved, plural, one {# cell} other {# cells}}</strong> of {all, number} would be resolved.',
                values,
              )}
        </p>
        <BulkSums sums={sums} />
        <p className="small muted">
          {t(
            '{changed, number} would show something else than now; in {material, number} the choice changes the result. The list shows each.',
            { changed: sums.changed, material },
          )}
        </p>
      </div>
    </section>
  );
}

function BulkSums({ sums }: { sums: ReturnType<typeof sumsOf> }) {
  return (
    <ul className="mx-bulk-sums">
      {STATE_KEYS.map((key) => (
        <li key={key}>
          <Mark state={key} />{' '}
          <span>
            {t('{count, number} become {outcome}', {
              count: sums.to[key],
              outcome: STATE_WORDS[key].full,
            })}
          </span>
        </li>
      ))}
      {sums.to.other > 0 && (
        <li>
          <span>{t('{count, number} notes and item fields', { count: sums.to.other })}</span>
        </li>
      )}
    </ul>
  );
}
