import { X } from 'lucide-react';
import { Link } from 'react-router';

import { Badge } from '../../ui/Badge.tsx';
import { IconButton } from '../../ui/Button.tsx';
import type { Editor } from './editor/editor.ts';
import { useEditor } from './editor/use-editor.ts';
import './review-list.css';
import { t } from '../../text/t.ts';

export interface ReviewListProps {
  title: string;
  summary: string;
  rules: readonly {
    rule: string;
    name: string;
    recorded: number;
    kind: 'changed' | 'added';
    done: boolean;
  }[];
  /** Where the differences of the rules are shown. */
  compareTo: string;
  onDone: (rule: string, done: boolean) => void;
  onDismiss: () => void;
}

/** The rule's cells in all items shown, with the focus on the first. */
function selectRule({ store, select, announce }: Editor, rule: string): void {
  const { view } = store.getState();
  if (view.rowCount === 0) announce(t('No item is shown'));
  else if (view.columnOf(rule) < 0) announce(t('The column of this rule is hidden'));
  else
    select({
      anchor: { item: view.itemAt(view.rowCount - 1), rule },
      focus: { item: view.itemAt(0), rule },
      extra: [],
    });
}

/** Rules to look at again in this matrix, one by one; it stays until it is dismissed. */
export function ReviewList({
  title,
  summary,
  rules,
  compareTo,
  onDone,
  onDismiss,
}: ReviewListProps) {
  const editor = useEditor();
  const left = rules.filter((rule) => !rule.done).length;
  return (
    <section className="mx-review" aria-label={t('Needs review')}>
      <div className="mx-review-head">
        <p>
          <strong>{title}.</strong> {summary}{' '}
          {rules.length > 0 && (
            <>
              <span role="status">
                {left === 0
                  ? t('All rules are reviewed.')
                  : t('{left, plural, one {# rule} other {# rules}} to review.', { left })}
              </span>{' '}
              <Link to={compareTo}>{t('Differences')}</Link>
            </>
          )}
        </p>
        <IconButton label={t('Dismiss the review list')} onClick={onDismiss}>
          <X size={14} aria-hidden="true" />
        </IconButton>
      </div>
      {rules.length > 0 && (
        <ul className="mx-review-rules">
          {rules.map(({ rule, name, recorded, kind, done }) => (
            <li key={rule} data-done={done || undefined}>
              <input
                type="checkbox"
                aria-label={t('{name} is reviewed', { name })}
                checked={done}
                onChange={(event) => onDone(rule, event.target.checked)}
              />
              <button
                type="button"
                className="mx-review-rule"
                onClick={() => selectRule(editor, rule)}
              >
                {name}
              </button>
              <Badge tone={kind === 'changed' ? 'warning' : 'accent'}>
                {kind === 'changed' ? t('changed') : t('added')}
              </Badge>
              {recorded > 0 && (
                <span className="muted">
                  {t('{recorded, plural, one {# cell} other {# cells}} before', { recorded })}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
