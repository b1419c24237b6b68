import { readFileSync } from 'node:fs';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import {
  drawDensity,
  drawGlobal,
  drawOverlay,
} from '../../../src/renderer/features/runs/figures/draw-density.tsx';
import {
  drawForest,
  drawObserved,
  drawProportions,
  drawRanks,
} from '../../../src/renderer/features/runs/figures/draw-items.tsx';
import { drawTopMatrix } from '../../../src/renderer/features/runs/figures/draw-matrix.tsx';
import { drawPanel } from '../../../src/renderer/features/runs/figures/draw-panel.tsx';
import { drawRules } from '../../../src/renderer/features/runs/figures/draw-rules.tsx';
import { drawSlopes } from '../../../src/renderer/features/runs/figures/draw-slopes.tsx';
import {
  fitText,
  roundTicks,
  wrapText,
} from '../../../src/renderer/features/runs/figures/drawing.tsx';
import {
  countResults,
  type FigureItem,
  figureItems,
  rankRows,
  sharedDensities,
} from '../../../src/renderer/features/runs/figures/figure-items.ts';
import { FIGURE_STYLE, SERIES } from '../../../src/renderer/features/runs/figures/figure-style.ts';
import { itemLines } from '../../../src/shared/domain/item-lines.ts';
import { globalPosterior } from '../../../src/shared/domain/beta-density.ts';
import { sampleRecord } from '../shared/domain/run-sample.ts';

const run = sampleRecord();
const lines = itemLines(run);
const ranked = rankRows(lines);
const items = figureItems(lines, ranked, new Set(), 10);
const groups = countResults(run.result.items);
const global = globalPosterior(groups);
const css = readFileSync(
  new URL('../../../src/renderer/features/runs/figures/figures.css', import.meta.url),
  'utf8',
);

const DRAWN = {
  overlay: drawOverlay(sharedDensities(items, SERIES), global),
  density: drawDensity(
    { name: 'A', alpha: 0.5, beta: 3.5, lower: 0.1, upper: 0.6, level: '95%', at: 0.5 },
    global,
  ),
  global: drawGlobal(global, { mean: 0.4, median: 0.4, lower: 0.2, upper: 0.6, level: '95%' }),
  forest: drawForest(items, 0.5),
  proportions: drawProportions(items),
  ranks: drawRanks(groups, 3),
  observed: drawObserved([1, 1, 1, 0]),
  matrix: drawTopMatrix({ items, rules: [1, 2, 3], raw: run.frozen.raw, id: 'm' }),
  rules: drawRules([{ order: 1, name: 'A rule', counts: [2, 1, 0, 3] }], 'r'),
  slopes: drawSlopes([{ from: 0.2, to: 0.4, items: 2, name: 'A' }], ['before', 'after']),
};

describe('the items of a figure', () => {
  it('are those with most evidence, equal ones in case order; or those that were chosen', () => {
    expect(items.map(({ uid, k }) => [uid, k])).toEqual([
      ['item_a', 1],
      ['item_b', 1],
      ['item_c', 0],
    ]);
    expect(
      figureItems(lines, ranked, new Set(['item_c', 'item_b']), 1).map(({ uid }) => uid),
    ).toEqual(['item_b']);
    expect(figureItems(lines, ranked, new Set(['item_c']), 9)[0]?.chosen).toBe(true);
  });

  it('share a density where they meet as many rules, and it names them', () => {
    expect(sharedDensities(items, 6).map(({ name, alpha, beta }) => [name, alpha, beta])).toEqual([
      ['A and 1 more, 1 of 3', 2, 3],
      ['C, 0 of 3', 1, 4],
    ]);
    expect(sharedDensities(items, 1)).toHaveLength(1);
    expect(groups.map(({ k, size }) => [k, size])).toEqual([
      [0, 1],
      [1, 2],
    ]);
  });
});

describe('a drawing', () => {
  it.each(Object.entries(DRAWN))(
    'of the %s has finite places and known classes only',
    (_, drawn) => {
      const markup = renderToStaticMarkup(<svg>{drawn.body}</svg>);
      expect(markup).not.toMatch(/NaN|Infinity|undefined/);
      const classes = [...markup.matchAll(/class="([^"]+)"/g)].map(([, name]) => name ?? '');
      expect(classes.length).toBeGreaterThan(3);
      expect(classes.filter((name) => FIGURE_STYLE[name] === undefined)).toEqual([]);
      expect(drawn.height).toBeGreaterThan(20);
    },
  );

  it('of one item, of no spread and of many rules has finite places too', () => {
    const one = items.slice(0, 1);
    const wide = Array.from({ length: 500 }, (_, index) => index + 1);
    for (const drawn of [
      drawRanks(groups.slice(0, 1), 1),
      drawForest(one, 0),
      drawObserved([0, 1]),
      drawTopMatrix({ items: one, rules: wide, raw: [[]], id: 'w' }),
      drawSlopes([], ['a', 'b']),
      drawPanel([{ title: 'One', drawing: DRAWN.forest }]),
    ])
      expect(renderToStaticMarkup(<svg>{drawn.body}</svg>)).not.toMatch(/NaN|Infinity/);
  });

  it('puts the mean and the ends of an interval where the axis has them', () => {
    const item: FigureItem = { ...items[0]!, mean: 0.5, lower: 0.25, upper: 0.75 };
    const markup = renderToStaticMarkup(<svg>{drawForest([item], 0.5).body}</svg>);
    const x = (share: number): number => 210 + share * (760 - 150 - 210);
    expect(markup).toContain(`cx="${x(0.5)}"`);
    expect(markup).toMatch(
      new RegExp(`fig-bar" x="${x(0.25)}" y="[\\d.]+" width="${x(0.75) - x(0.25)}"`),
    );
  });

  it('has the same colours in a saved file as on a light screen', () => {
    for (const [name, look] of Object.entries(FIGURE_STYLE)) {
      expect(css, name).toContain(`.${name}`);
      const own = [...css.matchAll(new RegExp(`\\.${name}(?:,\\n[^{]*)? \\{([^}]*)\\}`, 'g'))]
        .map(([, body]) => body)
        .join('');
      const dashes = look['stroke-dasharray'];
      if (dashes !== undefined) expect(own, name).toContain(`stroke-dasharray: ${dashes}`);
      const [light] = /(?<=light-dark\()#[0-9a-f]{6}/.exec(own) ?? [];
      if (light !== undefined) expect(look['stroke'], name).toBe(light);
    }
  });
});

describe('words of a drawing', () => {
  it('are cut with an ellipsis, or broken between words', () => {
    expect(fitText('short', 200)).toBe('short');
    expect(fitText('x'.repeat(100), 100)).toHaveLength(14);
    expect(wrapText('one two three four five six', 80, 2)).toEqual(['one two', 'three four…']);
    expect(wrapText('unbreakable'.repeat(4), 80, 2)).toHaveLength(2);
  });

  it('of an axis are round numbers up to the largest', () => {
    expect(roundTicks(14)).toEqual([0, 5, 10]);
    expect(roundTicks(0.9)).toEqual([0, 0.5]);
    expect(roundTicks(10_000)).toEqual([0, 5_000, 10_000]);
  });
});
