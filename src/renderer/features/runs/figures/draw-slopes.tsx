import {
  along,
  type Drawing,
  DRAWING_WIDTH,
  fitText,
  px,
  SHARE_TICKS,
  shareWords,
  tickWords,
} from './drawing.tsx';
import { t } from '../../../text/t.ts';

/** Items that moved from one mean to another; those with the same two means are one line. */
export interface Slope {
  from: number;
  to: number;
  items: number;
  /** One of them. */
  name: string;
}

const AREA = { left: 60, right: DRAWING_WIDTH - 340, top: 34, bottom: 380 } as const;
const LABELS = 14;

/** Labels one below the other, none nearer than a line's height. */
function spread(places: readonly number[]): number[] {
  const order = places.map((_, index) => index).sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0));
  const spaced = [...places];
  let last = -Infinity;
  for (const index of order) {
    last = Math.max(places[index] ?? 0, last + 14);
    spaced[index] = last;
  }
  return spaced;
}

/** Means before and after as two scales with a line for each pair; the longest moves are named. */
export function drawSlopes(
  slopes: readonly Slope[],
  heads: readonly [from: string, to: string],
): Drawing {
  const up = (share: number): number => px(along(AREA.bottom, AREA.top, share));
  const most = Math.max(1, ...slopes.map(({ items }) => items));
  const named = slopes
    .filter(({ from, to }) => from !== to)
    .toSorted((a, b) => Math.abs(b.to - b.from) - Math.abs(a.to - a.from))
    .slice(0, LABELS);
  const right = spread(named.map(({ to }) => up(to)));
  return {
    width: DRAWING_WIDTH,
    height: Math.max(AREA.bottom, ...right) + 20,
    body: (
      <>
        {([AREA.left, AREA.right] as const).map((x, side) => (
          <g key={x}>
            <text className="fig-title" x={x} y={16} textAnchor="start">
              {fitText(heads[side] ?? '', 320, 14)}
            </text>
            <line className="fig-axis" x1={x} x2={x} y1={AREA.top} y2={AREA.bottom} />
          </g>
        ))}
        {SHARE_TICKS.map((tick) => (
          <text
            key={tick}
            className="fig-muted"
            x={AREA.left - 8}
            y={up(tick) + 4}
            textAnchor="end"
          >
            {tickWords(tick)}
          </text>
        ))}
        {slopes.map(({ from, to, items }) => (
          <line
            key={`${from} ${to}`}
            className={to > from ? 'fig-rose' : to < from ? 'fig-fell' : 'fig-moved'}
            strokeWidth={px(1 + 4 * Math.sqrt(items / most))}
            x1={AREA.left}
            x2={AREA.right}
            y1={up(from)}
            y2={up(to)}
          />
        ))}
        {named.map(({ from, to, items, name }, index) => (
          <text
            key={`${from} ${to}`}
            className="fig-muted"
            x={AREA.right + 8}
            y={(right[index] ?? 0) + 4}
          >
            {fitText(
              `${shareWords(from)} → ${shareWords(to)} ${items === 1 ? name : t('{name} and {more} more', { name, more: items - 1 })}`,
              328,
              11,
            )}
          </text>
        ))}
      </>
    ),
  };
}
