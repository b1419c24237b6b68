import { formatShare } from '../../state/format.ts';
import { tickWords } from './figures/drawing.tsx';
import type { ItemResultRow } from '../../../shared/domain/item-lines.ts';
import { t } from '../../text/t.ts';

const WIDTH = 212;
/** A table's cell has so much space at the left and at the right. */
const CELL_SPACE = 10;
/** Width of a table's column that shows intervals whole, pixels. */
export const INTERVAL_COLUMN = WIDTH + 2 * CELL_SPACE;
const EDGE = 6;
const TICKS = [0, 0.25, 0.5, 0.75, 1] as const;

/** From a share of 0..1 to pixels of the drawing. */
export function xOf(share: number): number {
  return EDGE + share * (WIDTH - 2 * EDGE);
}

/**
 * Dot at the posterior mean, bar over the credible interval, dashed line at the mean of all items.
 * Its numbers stand in the row.
 */
export function IntervalBar({
  line,
  reference,
}: {
  line: Pick<ItemResultRow, 'theta_mean' | 'theta_lower' | 'theta_upper'>;
  reference: number;
}) {
  const label = t('mean {mean}, interval {lower} to {upper}', {
    mean: formatShare(line.theta_mean, 3),
    lower: formatShare(line.theta_lower, 3),
    upper: formatShare(line.theta_upper, 3),
  });
  return (
    <svg
      width={WIDTH}
      height={24}
      viewBox={`0 0 ${WIDTH} 24`}
      role="img"
      aria-label={label}
      className="interval"
    >
      {TICKS.map((tick) => (
        <line key={tick} x1={xOf(tick)} x2={xOf(tick)} y1={0} y2={24} className="interval-tick" />
      ))}
      <line x1={xOf(reference)} x2={xOf(reference)} y1={0} y2={24} className="interval-reference" />
      <rect
        x={xOf(line.theta_lower)}
        y={10}
        height={4}
        width={Math.max(1, xOf(line.theta_upper) - xOf(line.theta_lower))}
        rx={2}
        className="interval-bar"
      />
      <circle cx={xOf(line.theta_mean)} cy={12} r={4.5} className="interval-dot" />
    </svg>
  );
}

/** The axis over the column of intervals. */
export function IntervalAxis({ label }: { label: string }) {
  return (
    <div className="interval-axis">
      <span>{label}</span>
      <svg width={WIDTH} height={13} viewBox={`0 0 ${WIDTH} 13`} aria-hidden="true">
        {TICKS.map((tick) => (
          <text
            key={tick}
            x={xOf(tick)}
            y={11}
            textAnchor={tick === 0 ? 'start' : tick === 1 ? 'end' : 'middle'}
          >
            {tickWords(tick)}
          </text>
        ))}
      </svg>
    </div>
  );
}
