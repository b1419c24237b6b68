import type { CellState } from '../../../../shared/domain/outcome.ts';
import { OUTCOME_KINDS, OUTCOME_TEXT, type OutcomeKind } from '../../../ui/OutcomeMark.tsx';
import { type Drawing, DRAWING_WIDTH, fitText, px } from './drawing.tsx';
import type { FigureItem } from './figure-items.ts';
import { t } from '../../../text/t.ts';

/** The part of a class that belongs to an outcome. */
export const CLASS_OF: Readonly<Record<OutcomeKind, string>> = {
  FALSE: 'false',
  TRUE: 'true',
  NA: 'na',
  unrecorded: 'unrecorded',
};
const NAMES = 210;
const TOP = 52;
const ROW = 20;
const WIDEST = 34;
/** Least width of a cell that a letter fits into. */
const LETTER_FROM = 17;

/** The hatching of NA, once in each drawing that has it. */
export function Hatch({ id }: { id: string }) {
  return (
    <defs>
      <pattern
        id={id}
        width="5"
        height="5"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect className="fig-na" width="5" height="5" />
        <rect className="fig-na-line" width="1.2" height="5" />
      </pattern>
    </defs>
  );
}

/** The shape of an outcome's mark: FALSE is round, TRUE a lozenge, the others are boxes. */
function markPath(kind: OutcomeKind, x: number, y: number, width: number, height: number): string {
  const [left, right] = [px(x), px(x + width)];
  const side = px(Math.min(width / 4, height / 2));
  const half = height / 2;
  if (kind === 'TRUE')
    return `M${px(x + side)} ${y}H${px(x + width - side)}L${right} ${y + half}L${px(x + width - side)} ${y + height}H${px(x + side)}L${left} ${y + half}z`;
  if (kind !== 'FALSE') return `M${left} ${y}H${right}V${y + height}H${left}z`;
  const round = px(Math.min(width, height) / 2);
  const arc = `A${round} ${round} 0 0 1`;
  return [
    `M${px(x + round)} ${y}H${px(x + width - round)}${arc} ${right} ${y + round}`,
    `V${y + height - round}${arc} ${px(x + width - round)} ${y + height}`,
    `H${px(x + round)}${arc} ${left} ${y + height - round}V${y + round}${arc} ${px(x + round)} ${y}z`,
  ].join('');
}

/** What each mark means, in one line. */
export function OutcomeLegend({ hatch, x, y }: { hatch: string; x: number; y: number }) {
  return (
    <g>
      {OUTCOME_KINDS.map((kind, index) => {
        const left = x + index * 172;
        return (
          <g key={kind}>
            <path
              className={kind === 'NA' ? undefined : `fig-${CLASS_OF[kind]}`}
              fill={kind === 'NA' ? `url(#${hatch})` : undefined}
              d={markPath(kind, left, y - 10, 17, 12)}
            />
            <text className="fig-muted" x={left + 22} y={y}>
              {kind === 'unrecorded' ? t('not recorded') : `${kind}, ${OUTCOME_TEXT[kind].meaning}`}
            </text>
          </g>
        );
      })}
    </g>
  );
}

export interface MatrixDrawing {
  items: readonly FigureItem[];
  /** Numbers of the rules in their profile, in the order of the columns. */
  rules: readonly number[];
  raw: readonly (readonly CellState[])[];
  /** An id that no other drawing of the page has. */
  id: string;
}

/** The outcomes of these items: a mark for each cell, joined in one path for each outcome. */
export function drawTopMatrix({ items, rules, raw, id }: MatrixDrawing): Drawing {
  const width = Math.min(WIDEST, (DRAWING_WIDTH - NAMES - 12) / Math.max(1, rules.length));
  const gap = width >= 6 ? 1.5 : 0;
  const hatch = `${id}-na`;
  const cells = new Map<OutcomeKind, string[]>(OUTCOME_KINDS.map((kind) => [kind, []]));
  for (const [index, { row }] of items.entries()) {
    for (let column = 0; column < rules.length; column += 1) {
      const kind = raw[row]?.[column] ?? 'unrecorded';
      const [x, y] = [NAMES + column * width, TOP + index * ROW];
      cells.get(kind)?.push(markPath(kind, x, y, width - gap, ROW - 2));
    }
  }
  const every = Math.max(1, Math.ceil(16 / width));
  return {
    width: DRAWING_WIDTH,
    height: TOP + items.length * ROW + 12,
    body: (
      <>
        <Hatch id={hatch} />
        <OutcomeLegend hatch={hatch} x={12} y={18} />
        {rules.map((order, column) =>
          column % every === 0 ? (
            <text
              key={order}
              className="fig-muted"
              x={px(NAMES + column * width + (width - gap) / 2)}
              y={TOP - 6}
              textAnchor="middle"
            >
              {order}
            </text>
          ) : null,
        )}
        {OUTCOME_KINDS.map((kind) => (
          <path
            key={kind}
            className={kind === 'NA' ? undefined : `fig-${CLASS_OF[kind]}`}
            fill={kind === 'NA' ? `url(#${hatch})` : undefined}
            d={cells.get(kind)?.join('') ?? ''}
          />
        ))}
        {items.map((item, index) => (
          <g key={item.uid} data-item={item.uid}>
            <text className="fig-text" x={NAMES - 12} y={TOP + index * ROW + 14} textAnchor="end">
              {fitText(item.name, NAMES - 16)}
            </text>
            {width >= LETTER_FROM &&
              rules.map((order, column) => {
                const kind = raw[item.row]?.[column] ?? 'unrecorded';
                return (
                  <text
                    key={order}
                    className={`fig-${CLASS_OF[kind]}-letter`}
                    x={px(NAMES + column * width + (width - gap) / 2)}
                    y={TOP + index * ROW + 13}
                    textAnchor="middle"
                  >
                    {OUTCOME_TEXT[kind].letter}
                  </text>
                );
              })}
          </g>
        ))}
      </>
    ),
  };
}
