import type { ReactNode } from 'react';
import { formatCount } from '../../../state/format.ts';
import { reviewOf } from '../conflicts/review.ts';
import { useEditor, useSyncStatus } from '../editor/use-editor.ts';
import { t } from '../../../text/t.ts';

/**
 * The four numbers of what is not everywhere yet, and when both sides were last verified in sync.
 */
export function Figures() {
  const editor = useEditor();
  const { figures, verified } = useSyncStatus();
  return (
    <div className="mx-work">
      <ul className="mx-figures" aria-label={t('Not everywhere yet')}>
        {figures.map(({ id, label, short, count, note }) => (
          <li
            key={id}
            title={note === null ? label : `${label}, ${note}`}
            data-figure={id}
            data-some={count > 0 ? '' : undefined}
          >
            <Figure
              press={id === 'review' && count > 0 ? () => reviewOf(editor).open() : undefined}
            >
              <strong>{formatCount(count)}</strong> <span aria-hidden="true">{short}</span>
              <span className="visually-hidden">
                {label}
                {note !== null && ` (${note})`}
              </span>
            </Figure>
          </li>
        ))}
      </ul>
      {verified !== null && <span className="mx-verified">{verified}</span>}
    </div>
  );
}

/** What is to be reviewed leads to the review. */
const Figure = ({ press, children }: { press: (() => void) | undefined; children: ReactNode }) =>
  press === undefined ? (
    children
  ) : (
    <button type="button" className="mx-figure" onClick={press}>
      {children}
    </button>
  );
