import { formatCount } from '../../../state/format.ts';
import { OUTCOME_KINDS, OUTCOME_TEXT, type OutcomeKind } from '../../../ui/OutcomeMark.tsx';
import type { RunCounts } from '../../../../shared/domain/item-lines.ts';
import { CLASS_OF, Hatch, OutcomeLegend } from './draw-matrix.tsx';
import { type Drawing, DRAWING_WIDTH, px, wrapText } from './drawing.tsx';

export interface RuleOutcomes {
  /** Number in the profile. */
  order: number;
  name: string;
  counts: RunCounts;
}

const NAMES = 300;
const TOP = 36;
const ROW = 34;
const BAR = { left: NAMES + 12, right: DRAWING_WIDTH - 12, height: 20 } as const;
/** Least width of a part that its count fits into. */
const COUNT_FROM = 30;

interface BarPart {
  kind: OutcomeKind;
  count: number;
  x: number;
  width: number;
}

function partsOf(counts: RunCounts): BarPart[] {
  const total = counts.reduce((sum, count) => sum + count, 0);
  let before = 0;
  return OUTCOME_KINDS.map((kind, index) => {
    const count = counts[index] ?? 0;
    const x = px(BAR.left + (before / Math.max(1, total)) * (BAR.right - BAR.left));
    before += count;
    const end = px(BAR.left + (before / Math.max(1, total)) * (BAR.right - BAR.left));
    return { kind, count, x, width: px(end - x) };
  }).filter(({ count }) => count > 0);
}

/** How often each rule had each outcome, as parts of one bar. */
export function drawRules(rules: readonly RuleOutcomes[], id: string): Drawing {
  const hatch = `${id}-na`;
  return {
    width: DRAWING_WIDTH,
    height: TOP + rules.length * ROW + 8,
    body: (
      <>
        <Hatch id={hatch} />
        <OutcomeLegend hatch={hatch} x={12} y={18} />
        {rules.map(({ order, name, counts }, index) => {
          const y = TOP + index * ROW;
          const lines = wrapText(name, NAMES - 40, 2);
          return (
            <g key={order}>
              <text className="fig-muted" x={24} y={y + 17} textAnchor="end">
                {order}
              </text>
              {lines.map((words, at) => (
                <text
                  key={at}
                  className="fig-text"
                  x={32}
                  y={y + (lines.length === 1 ? 17 : 11 + at * 14)}
                >
                  {words}
                </text>
              ))}
              {partsOf(counts).map(({ kind, count, x, width }) => (
                <g key={kind} data-kind={kind}>
                  <rect
                    className={kind === 'NA' ? undefined : `fig-${CLASS_OF[kind]}`}
                    fill={kind === 'NA' ? `url(#${hatch})` : undefined}
                    x={x}
                    y={y + 2}
                    width={Math.max(0.5, width - 1)}
                    height={BAR.height}
                  />
                  {width >= COUNT_FROM && (
                    <text
                      className={`fig-${CLASS_OF[kind]}-letter`}
                      x={px(x + width / 2)}
                      y={y + 16}
                      textAnchor="middle"
                    >
                      {`${OUTCOME_TEXT[kind].letter} ${formatCount(count)}`.trim()}
                    </text>
                  )}
                </g>
              ))}
            </g>
          );
        })}
      </>
    ),
  };
}
