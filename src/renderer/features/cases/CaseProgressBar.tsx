import type { CaseProgress } from '../../../shared/contract/v1/cases.ts';
import './case-progress.css';
import { rich } from '../../text/rich.ts';
import { t } from '../../text/t.ts';

/** How much of a case is recorded, in words and as a bar. */
export function CaseProgressBar({ progress }: { progress: CaseProgress | null | undefined }) {
  if (progress === null || progress === undefined) return <span className="muted">–</span>;
  const { items, cells, recorded } = progress;
  if (cells === 0)
    return (
      <span className="muted">
        {items === 0
          ? t('no items yet')
          : t('{items, plural, one {# item} other {# items}}', { items })}
      </span>
    );
  return (
    <span className="case-progress">
      <progress max={cells} value={recorded} aria-hidden="true" />
      <span className="num">
        {rich('{recorded, number} of {cells, number}<span> cells recorded</span>', {
          recorded,
          cells,
          span: (text) => <span className="visually-hidden">{text}</span>,
        })}
      </span>
    </span>
  );
}
