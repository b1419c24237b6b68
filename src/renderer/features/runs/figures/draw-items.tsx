import type { ReactNode } from 'react';
import type { CountResult } from '../../../../shared/domain/result.ts';
import { formatCount } from '../../../state/format.ts';
import {
  along,
  type Drawing,
  DRAWING_WIDTH,
  fitText,
  type PlotArea,
  px,
  Reference,
  roundTicks,
  ShareAxis,
  shareWords,
  tickWords,
} from './drawing.tsx';
import type { FigureItem } from './figure-items.ts';
import { t } from '../../../text/t.ts';

const ROW = 20;
const NAMES = 210;
const NUMBERS = 150;

/** A row of a drawing that belongs to an item: its name, and a fill where it was chosen. */
function ItemRow({ item, y, children }: { item: FigureItem; y: number; children: ReactNode }) {
  return (
    <g data-item={item.uid}>
      <rect
        className={item.chosen ? 'fig-chosen' : undefined}
        fillOpacity={item.chosen ? undefined : 0}
        x={0}
        y={y}
        width={DRAWING_WIDTH}
        height={ROW}
      />
      <text className="fig-text" x={NAMES - 12} y={y + 14} textAnchor="end">
        {fitText(item.name, NAMES - 16)}
      </text>
      {children}
    </g>
  );
}

/** Beside the names, with a row for each item. */
const areaOf = (items: readonly FigureItem[]): PlotArea => ({
  left: NAMES,
  right: DRAWING_WIDTH - NUMBERS,
  top: 18,
  bottom: 22 + items.length * ROW,
});

/** One row an item: a dot at its mean, a bar over its interval, its numbers beside. */
export function drawForest(items: readonly FigureItem[], reference: number): Drawing {
  const area = areaOf(items);
  const at = (share: number): number => px(along(area.left, area.right, share));
  return {
    width: DRAWING_WIDTH,
    height: area.bottom + 42,
    body: (
      <>
        <ShareAxis area={area} name={t('Evidence sufficiency')} />
        <Reference area={area} share={reference} />
        <text className="fig-muted" x={at(reference)} y={12} textAnchor="middle">
          {t('all items {mean}', { mean: shareWords(reference) })}
        </text>
        {items.map((item, index) => {
          const y = area.top + 4 + index * ROW;
          return (
            <ItemRow key={item.uid} item={item} y={y}>
              <rect
                className="fig-bar"
                x={at(item.lower)}
                y={y + 8}
                width={Math.max(1, px(at(item.upper) - at(item.lower)))}
                height={4}
              />
              <circle className="fig-dot" cx={at(item.mean)} cy={y + 10} r={4.5} />
              <text className="fig-muted" x={area.right + 12} y={y + 14}>
                {`${shareWords(item.mean)}  ${shareWords(item.lower)}–${shareWords(item.upper)}`}
              </text>
            </ItemRow>
          );
        })}
      </>
    ),
  };
}

const RANKS: PlotArea = { left: 52, right: DRAWING_WIDTH - 16, top: 14, bottom: 300 };

/**
 * Every item by its rank: items with the same number of rules met share mean and interval, so that
 * each step is drawn once however many there are.
 */
export function drawRanks(groups: readonly CountResult[], items: number): Drawing {
  let before = 0;
  const steps = groups.toReversed().map((group) => {
    const from = before / items;
    before += group.size;
    return { group, from, to: before / items };
  });
  const across = (share: number): number => px(along(RANKS.left, RANKS.right, share));
  const up = (share: number): number => px(along(RANKS.bottom, RANKS.top, share));
  return {
    width: DRAWING_WIDTH,
    height: RANKS.bottom + 44,
    body: (
      <>
        {[0, 0.25, 0.5, 0.75, 1].map((tick) => (
          <g key={tick}>
            <line
              className="fig-grid"
              x1={RANKS.left}
              x2={RANKS.right}
              y1={up(tick)}
              y2={up(tick)}
            />
            <text className="fig-muted" x={RANKS.left - 6} y={up(tick) + 4} textAnchor="end">
              {tickWords(tick)}
            </text>
          </g>
        ))}
        {steps.map(({ group, from, to }) => (
          <g key={group.k}>
            <rect
              className="fig-band"
              x={across(from)}
              y={up(group.theta_upper)}
              width={Math.max(0.5, px(across(to) - across(from)))}
              height={px(up(group.theta_lower) - up(group.theta_upper))}
            />
            <line
              className="fig-series-1"
              x1={across(from)}
              x2={Math.max(across(to), across(from) + 1)}
              y1={up(group.theta_mean)}
              y2={up(group.theta_mean)}
            />
          </g>
        ))}
        {roundTicks(items)
          .filter(Number.isInteger)
          .map((tick) => (
            <text
              key={tick}
              className="fig-muted"
              x={across(tick / items)}
              y={RANKS.bottom + 16}
              textAnchor="middle"
            >
              {formatCount(tick)}
            </text>
          ))}
        <text
          className="fig-muted"
          x={(RANKS.left + RANKS.right) / 2}
          y={RANKS.bottom + 33}
          textAnchor="middle"
        >
          {t('Items, those with most evidence first')}
        </text>
      </>
    ),
  };
}

/** One row an item: a dot at the proportion of its rules that are met, without any prior. */
export function drawProportions(items: readonly FigureItem[]): Drawing {
  const area = areaOf(items);
  const at = (share: number): number => px(along(area.left, area.right, share));
  return {
    width: DRAWING_WIDTH,
    height: area.bottom + 42,
    body: (
      <>
        <ShareAxis area={area} name={t('Observed proportion of rules met')} />
        {items.map((item, index) => {
          const y = area.top + 4 + index * ROW;
          const observed = item.k / item.m;
          return (
            <ItemRow key={item.uid} item={item} y={y}>
              <rect
                className="fig-bar"
                x={area.left}
                y={y + 9}
                width={px(at(observed) - area.left)}
                height={2}
              />
              <circle className="fig-dot" cx={at(observed)} cy={y + 10} r={4.5} />
              <text className="fig-muted" x={area.right + 12} y={y + 14}>
                {`${shareWords(observed)}  ${item.k}/${item.m}`}
              </text>
            </ItemRow>
          );
        })}
      </>
    ),
  };
}

/** How many items have each observed proportion of rules met, k of m. */
export function drawObserved(sizes: readonly number[]): Drawing {
  const area = RANKS;
  const rules = sizes.length - 1;
  const most = Math.max(1, ...sizes);
  const slot = (area.right - area.left) / (rules + 1);
  const every = Math.max(1, Math.ceil((rules + 1) / 18));
  const up = (count: number): number => px(along(area.bottom, area.top, count / (most * 1.08)));
  return {
    width: DRAWING_WIDTH,
    height: area.bottom + 44,
    body: (
      <>
        {roundTicks(most)
          .filter(Number.isInteger)
          .map((tick) => (
            <g key={tick}>
              <line
                className="fig-grid"
                x1={area.left}
                x2={area.right}
                y1={up(tick)}
                y2={up(tick)}
              />
              <text className="fig-muted" x={area.left - 6} y={up(tick) + 4} textAnchor="end">
                {formatCount(tick)}
              </text>
            </g>
          ))}
        {sizes.map((size, k) => {
          const x = area.left + k * slot;
          return (
            <g key={k}>
              <rect
                className="fig-bar"
                x={px(x + slot * 0.12)}
                y={up(size)}
                width={px(slot * 0.76)}
                height={px(area.bottom - up(size))}
              />
              {slot >= 26 && size > 0 && (
                <text
                  className="fig-muted"
                  x={px(x + slot / 2)}
                  y={up(size) - 4}
                  textAnchor="middle"
                >
                  {formatCount(size)}
                </text>
              )}
              {k % every === 0 && (
                <text
                  className="fig-muted"
                  x={px(x + slot / 2)}
                  y={area.bottom + 16}
                  textAnchor="middle"
                >
                  {`${k}/${rules}`}
                </text>
              )}
            </g>
          );
        })}
        <line
          className="fig-axis"
          x1={area.left}
          x2={area.right}
          y1={area.bottom}
          y2={area.bottom}
        />
        <text
          className="fig-muted"
          x={(area.left + area.right) / 2}
          y={area.bottom + 33}
          textAnchor="middle"
        >
          {t('Observed proportion of rules met; height: number of items')}
        </text>
      </>
    ),
  };
}
