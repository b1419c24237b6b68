import {
  type BetaPart,
  type CurvePoint,
  densityCurve,
} from '../../../../shared/domain/beta-density.ts';
import {
  along,
  type Drawing,
  DRAWING_WIDTH,
  fitText,
  pathThrough,
  type PlotArea,
  px,
  Reference,
  roundTicks,
  ShareAxis,
  shareWords,
  tickWords,
} from './drawing.tsx';
import { t } from '../../../text/t.ts';

/** Points of a curve: one every three pixels. */
const STEPS = 220;
const HEIGHT = 320;
const AREA: PlotArea = { left: 52, right: DRAWING_WIDTH - 16, top: 14, bottom: HEIGHT - 44 };
const LEGEND_ROW = 18;

/** The largest density of a curve that is finite where it is drawn. */
const peak = (curve: readonly CurvePoint[]): number =>
  curve.reduce(
    (most, { x, density }, index) =>
      (index === 0 && x > 0) || (index === curve.length - 1 && x < 1)
        ? most
        : Math.max(most, density),
    0,
  );

type Placed = (points: readonly CurvePoint[]) => [x: number, y: number][];

/** A curve that is infinite at an end leaves the area at its top. */
const placing =
  (most: number): Placed =>
  (points) =>
    points.map(({ x, density }) => [
      along(AREA.left, AREA.right, x),
      along(AREA.bottom, AREA.top, Math.min(1, density / most)),
    ]);

const closed = (points: readonly [number, number][]): string =>
  points.length === 0
    ? ''
    : `${pathThrough(points)}L${px(points.at(-1)?.[0] ?? 0)} ${AREA.bottom}L${px(points[0]?.[0] ?? 0)} ${AREA.bottom}Z`;

function DensityAxes({ most }: { most: number }) {
  return (
    <g>
      <ShareAxis area={AREA} name={t('Evidence sufficiency')} />
      {roundTicks(most).map((tick) => {
        const y = px(along(AREA.bottom, AREA.top, tick / most));
        return (
          <text key={tick} className="fig-muted" x={AREA.left - 6} y={y + 4} textAnchor="end">
            {tickWords(tick)}
          </text>
        );
      })}
      <text
        className="fig-muted"
        x={14}
        y={(AREA.top + AREA.bottom) / 2}
        textAnchor="middle"
        transform={`rotate(-90 14 ${(AREA.top + AREA.bottom) / 2})`}
      >
        {t('Density')}
      </text>
    </g>
  );
}

interface LegendEntry {
  sign: 'all' | 'band' | number;
  words: string;
}

/** The legend stands where the curves are not: on the side where the mean is farther away. */
function Legend({ entries, mean }: { entries: readonly LegendEntry[]; mean: number }) {
  const x = mean > 0.5 ? AREA.left + 12 : AREA.right - 360;
  return (
    <g>
      {entries.map(({ sign, words }, index) => {
        const y = AREA.top + 24 + index * LEGEND_ROW;
        return (
          <g key={index}>
            {typeof sign === 'number' ? (
              <line className={`fig-series-${sign}`} x1={x} x2={x + 26} y1={y - 4} y2={y - 4} />
            ) : (
              <rect className={`fig-${sign}`} x={x} y={y - 9} width={26} height={10} />
            )}
            <text className="fig-text" x={x + 34} y={y}>
              {fitText(words, 320)}
            </text>
          </g>
        );
      })}
    </g>
  );
}

export interface DensitySeries {
  name: string;
  alpha: number;
  beta: number;
}

/**
 * Posterior densities of items over that of all items together, each drawn through exact points of
 * its formula.
 */
export function drawOverlay(
  series: readonly DensitySeries[],
  global: readonly BetaPart[],
): Drawing {
  const all = densityCurve(global, STEPS);
  const curves = series.map(({ alpha, beta }) => densityCurve([{ alpha, beta, share: 1 }], STEPS));
  const most = 1.05 * Math.max(peak(all), ...curves.map(peak));
  const place = placing(most);
  const first = series[0];
  return {
    width: DRAWING_WIDTH,
    height: HEIGHT,
    body: (
      <>
        <path className="fig-all" d={closed(place(all))} />
        <DensityAxes most={most} />
        {curves.map((curve, index) => (
          <path key={index} className={`fig-series-${index + 1}`} d={pathThrough(place(curve))} />
        ))}
        <Legend
          mean={first === undefined ? 0 : first.alpha / (first.alpha + first.beta)}
          entries={[
            ...series.map(({ name }, index) => ({ sign: index + 1, words: name })),
            { sign: 'all' as const, words: t('All items together') },
          ]}
        />
      </>
    ),
  };
}

/** Where all items of a run stand. */
export interface GlobalSpread {
  mean: number;
  median: number;
  lower: number;
  upper: number;
  /** "95%" */
  level: string;
}

/** The density of all items together by itself, with their mean, median and range. */
export function drawGlobal(
  global: readonly BetaPart[],
  { mean, median, lower, upper, level }: GlobalSpread,
): Drawing {
  const all = densityCurve(global, STEPS);
  const most = 1.25 * peak(all);
  const place = placing(most);
  const within = all.filter(({ x }) => x >= lower && x <= upper);
  const medianAt = px(along(AREA.left, AREA.right, median));
  return {
    width: DRAWING_WIDTH,
    height: HEIGHT,
    body: (
      <>
        <path className="fig-all" d={closed(place(all))} />
        <DensityAxes most={most} />
        <path className="fig-band" d={closed(place(within))} />
        <Reference area={AREA} share={mean} words={t('mean {mean}', { mean: shareWords(mean) })} />
        <line className="fig-series-2" x1={medianAt} x2={medianAt} y1={AREA.bottom} y2={AREA.top} />
        <Legend
          mean={mean}
          entries={[
            { sign: 'all', words: t('All items together') },
            {
              sign: 'band',
              words: t('{level} range of the items’ means, {lower} to {upper}', {
                level,
                lower: shareWords(lower),
                upper: shareWords(upper),
              }),
            },
            {
              sign: 2,
              words: t('Median of the items’ means, {median}', { median: shareWords(median) }),
            },
          ]}
        />
      </>
    ),
  };
}

export interface ItemDensity extends DensitySeries {
  lower: number;
  upper: number;
  /** "95%" */
  level: string;
  /** A share that is read off the curve. */
  at?: number;
}

/** The posterior density of one item, its credible interval shaded, over that of all items. */
export function drawDensity(item: ItemDensity, global: readonly BetaPart[]): Drawing {
  const { alpha, beta, lower, upper } = item;
  const own = [{ alpha, beta, share: 1 }];
  const [all, curve] = [densityCurve(global, STEPS), densityCurve(own, STEPS)];
  const most = 1.05 * Math.max(peak(all), peak(curve));
  const place = placing(most);
  const mean = alpha / (alpha + beta);
  const within = curve.filter(({ x }) => x >= lower && x <= upper);
  return {
    width: DRAWING_WIDTH,
    height: HEIGHT,
    body: (
      <>
        <path className="fig-all" d={closed(place(all))} />
        <DensityAxes most={most} />
        <path className="fig-band" d={closed(place(within))} />
        <path className="fig-series-1" d={pathThrough(place(curve))} />
        <Reference area={AREA} share={mean} words={t('mean {mean}', { mean: shareWords(mean) })} />
        {item.at !== undefined && (
          <line
            className="fig-series-2"
            x1={px(along(AREA.left, AREA.right, item.at))}
            x2={px(along(AREA.left, AREA.right, item.at))}
            y1={AREA.top}
            y2={AREA.bottom}
          />
        )}
        <Legend
          mean={mean}
          entries={[
            { sign: 1, words: item.name },
            {
              sign: 'band',
              words: t('{level} interval, {lower} to {upper}', {
                level: item.level,
                lower: shareWords(lower),
                upper: shareWords(upper),
              }),
            },
            { sign: 'all', words: t('All items together') },
          ]}
        />
      </>
    ),
  };
}
