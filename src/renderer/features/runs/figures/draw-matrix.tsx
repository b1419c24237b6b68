import type { CellState } from '../../../../shared/domain/outcome.ts';
import { OUTCOME_TEXT, type OutcomeKind } from '../../../ui/Badge.tsx';
import { type Drawing, DRAWING_WIDTH, fitText, px } from './drawing.tsx';
import type { FigureItem } from './figure-items.ts';
import { t } from '../../../text/t.ts';

export const KINDS: readonly OutcomeKind[] = ['FALSE', 'TRUE', 'NA', 'unrecorded'];
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

/** What each fill means, in one line. */
export function OutcomeLegend({ hatch, x, y }: { hatch: string; x: number; y: number }) {
  return (
    <g>
      {KINDS.map((kind, index) => {
        const left = x + index * 172;
        return (
          <g key={kind}>
            <rect
              className={kind === 'NA' ? undefined : `fig-${CLASS_OF[kind]}`}
              fill={kind === 'NA' ? `url(#${hatch})` : undefined}
              x={left}
              y={y - 10}
              width={16}
              height={12}
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

/** The outcomes of these items: one rectangle a cell, joined in one path for each outcome. */
export function drawTopMatrix({ items, rules, raw, id }: MatrixDrawing): Drawing {
  const width = Math.min(WIDEST, (DRAWING_WIDTH - NAMES - 12) / Math.max(1, rules.length));
  const gap = width >= 6 ? 1.5 : 0;
  const hatch = `${id}-na`;
  const cells = new Map<OutcomeKind, string[]>(KINDS.map((kind) => [kind, []]));
  for (const [index, { row }] of items.entries()) {
    for (let column = 0; column < rules.length; column += 1) {
      const kind = raw[row]?.[column] ?? 'unrecorded';
      const [x, y] = [px(NAMES + column * width), TOP + index * ROW];
      cells.get(kind)?.push(`M${x} ${y}h${px(width - gap)}v${ROW - 2}h-${px(width - gap)}z`);
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
        {KINDS.map((kind) => (
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
