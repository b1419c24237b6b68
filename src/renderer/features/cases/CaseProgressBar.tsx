import type { CaseProgress } from '../../../shared/contract/v1/cases.ts';
import { formatCount, plural } from '../../state/format.ts';
import './case-progress.css';

/** How much of a case is recorded, in words and as a bar. */
export function CaseProgressBar({ progress }: { progress: CaseProgress | null | undefined }) {
  if (progress === null || progress === undefined) return <span className="muted">–</span>;
  const { items, cells, recorded } = progress;
  if (cells === 0)
    return <span className="muted">{items === 0 ? 'no items yet' : plural(items, 'item')}</span>;
  return (
    <span className="case-progress">
      <progress max={cells} value={recorded} aria-hidden="true" />
      <span className="num">
        {formatCount(recorded)} of {formatCount(cells)}
        <span className="visually-hidden"> cells recorded</span>
      </span>
    </span>
  );
}
