import { formatCount } from '../../../state/format.ts';
import type { Standing } from '../../../state/standing.ts';

/** The four numbers of what is not everywhere yet, and when both sides were last found equal. */
export function Figures({ standing: { figures, verified } }: { standing: Standing }) {
  return (
    <div className="mx-work">
      <ul className="mx-figures" aria-label="Not everywhere yet">
        {figures.map(({ id, label, short, count, note }) => (
          <li key={id} title={note === null ? label : `${label}, ${note}`} data-figure={id} data-some={count > 0 ? '' : undefined}><strong>{formatCount(count)}</strong> <span aria-hidden="true">{short}</span><span className="visually-hidden">{label}{note !== null && ` (${note})`}</span></li>
        ))}
      </ul>
      {verified !== null && <span className="mx-verified">{verified}</span>}
    </div>
  );
}
