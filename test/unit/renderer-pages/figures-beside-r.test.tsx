import { execFileSync, spawnSync } from 'node:child_process';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  drawGlobal,
  drawOverlay,
} from '../../../src/renderer/features/runs/figures/draw-density.tsx';
import {
  drawForest,
  drawProportions,
} from '../../../src/renderer/features/runs/figures/draw-items.tsx';
import { drawTopMatrix } from '../../../src/renderer/features/runs/figures/draw-matrix.tsx';
import { drawPanel } from '../../../src/renderer/features/runs/figures/draw-panel.tsx';
import {
  countResults,
  figureItems,
  rankRows,
  sharedDensities,
} from '../../../src/renderer/features/runs/figures/figure-items.ts';
import type { Drawing } from '../../../src/renderer/features/runs/figures/drawing.tsx';
import { globalPosterior } from '../../../src/shared/domain/beta-density.ts';
import { itemLines } from '../../../src/shared/domain/item-lines.ts';
import { binaryExample, PRESENT } from '../shared/domain/binary-example.ts';

/*
 * The six figures of the package quantbayes (density of all items, overlay, matrix of the first
 * items, observed proportions, credible intervals, all in one panel) over a matrix of the size of
 * its example, 50 items under 24 rules: R's own functions say from the matrix alone where each mark
 * must stand. The package draws kernel estimates over the items' means; these densities are exact.
 */
const hasR = spawnSync('Rscript', ['--version']).status === 0;
const run = binaryExample();
const { global } = run.result;
const TOP = 20;
const CURVES = 5;
const lines = itemLines(run);
const items = figureItems(lines, rankRows(lines), new Set(), TOP);
const posterior = globalPosterior(countResults(run.result.items));

const PROGRAM = `
x <- as.matrix(read.csv(file('stdin'), row.names = 1))
m <- ncol(x); k <- rowSums(x); a <- ${global.prior_a} + k; b <- ${global.prior_b} + m - k
theta <- a / (a + b); tail <- (1 - ${global.ci_level}) / 2; at <- seq(0, 1, length.out = 221)
top <- order(-theta, seq_along(theta))[1:${TOP}]
say <- function(name, values) cat(name, sprintf('%.15g', values), '\\n')
say('global', c(mean(theta), median(theta), quantile(theta, c(tail, 1 - tail))))
say('rows', top - 1); say('bits', t(x[top, ]))
say('percentile', 100 * rank(theta)[top] / length(theta))
say('mean', theta[top]); say('observed', k[top] / m)
say('lower', qbeta(tail, a, b)[top]); say('upper', qbeta(1 - tail, a, b)[top])
say('density', rowMeans(mapply(function(a, b) dbeta(at, a, b), a, b)))
for (one in head(unique(k[top]), ${CURVES}))
  say(paste0('curve', one), dbeta(at, ${global.prior_a} + one, ${global.prior_b} + m - one))
`;
const asCsv = (): string =>
  [
    ['id', ...run.frozen.rules].join(),
    ...run.frozen.raw.map((row, index) =>
      [`i${index}`, ...row.map((outcome) => (outcome === PRESENT ? 1 : 0))].join(),
    ),
  ].join('\n');

const drawn = ({ body }: Drawing): string => renderToStaticMarkup(<svg>{body as ReactNode}</svg>);
const numbers = (markup: string, pattern: RegExp): number[] =>
  [...markup.matchAll(pattern)].map(([, value]) => Number(value));

/** Pixels are drawn with one digit. */
function near(found: readonly number[], expected: readonly number[], by = 0.1): void {
  expect(found).toHaveLength(expected.length);
  for (const [index, place] of expected.entries())
    expect(Math.abs((found[index] ?? NaN) - place), `mark ${index}`).toBeLessThan(by);
}

const forest = drawForest(items, global.mean_theta);
const proportions = drawProportions(items);
const overlay = drawOverlay(sharedDensities(items, CURVES), posterior);
const all = drawGlobal(posterior, {
  mean: global.mean_theta,
  median: global.median_theta,
  lower: global.lower_theta,
  upper: global.upper_theta,
  level: '95%',
});
const matrix = drawTopMatrix({
  items,
  rules: run.frozen.rules.map((_, column) => column + 1),
  raw: run.frozen.raw,
  id: 'matrix',
});

describe.skipIf(!hasR)('the figures beside R (skipped where Rscript is not installed)', () => {
  const said = new Map<string, number[]>();
  const byR = (name: string): number[] => said.get(name) ?? [];
  beforeAll(() => {
    const answer = execFileSync('Rscript', ['--vanilla', '-e', PROGRAM], {
      encoding: 'utf8',
      input: asCsv(),
    });
    for (const line of answer.trim().split('\n')) {
      const [name = '', ...values] = line.trim().split(/\s+/);
      said.set(name, values.map(Number));
    }
  });
  const ofNames = (name: string): number[] => byR(name).map((share) => 210 + share * 400);

  it('state the numbers that they are drawn from as R does', () => {
    const close = (found: readonly number[], expected: readonly number[]): void =>
      near(found, expected, 1e-12);
    const { mean_theta, median_theta, lower_theta, upper_theta } = global;
    close([mean_theta, median_theta, lower_theta, upper_theta], byR('global'));
    expect(items.map(({ row }) => row)).toEqual(byR('rows'));
    for (const name of ['mean', 'lower', 'upper', 'percentile'] as const)
      close(
        items.map((item) => item[name]),
        byR(name),
      );
    close(
      items.map(({ k, m }) => k / m),
      byR('observed'),
    );
  });

  it('have credible intervals and observed proportions where R has them', () => {
    const markup = drawn(forest);
    near(numbers(markup, /cx="([\d.]+)"/g), ofNames('mean'));
    near(numbers(markup, /fig-bar" x="([\d.]+)"/g), ofNames('lower'));
    const upper = ofNames('upper');
    const widths = ofNames('lower').map((lower, index) => (upper[index] ?? NaN) - lower);
    near(numbers(markup, /fig-bar"[^>]* width="([\d.]+)"/g), widths, 0.2);
    near(numbers(drawn(proportions), /cx="([\d.]+)"/g), ofNames('observed'));
  });

  it('have the density of all items, and those of the first items, where R has them', () => {
    /** Heights of a path's points; two corners close an area. */
    const heights = (markup: string, name: string, corners: number): number[] => {
      const [, path = ''] = new RegExp(`class="${name}" d="([^"]+)"`).exec(markup) ?? [];
      return numbers(path, /[ML][\d.]+ ([\d.]+)/g)
        .slice(0, corners === 0 ? undefined : -corners)
        .map((y) => 276 - y);
    };
    const together = heights(drawn(all), 'fig-all', 2);
    const scale = Math.max(...together) / Math.max(...byR('density'));
    near(
      together,
      byR('density').map((value) => value * scale),
    );

    const curves = [...said].filter(([name]) => name.startsWith('curve'));
    expect(curves).toHaveLength(CURVES);
    const markup = drawn(overlay);
    const most = 1.05 * Math.max(...curves.flatMap(([, values]) => values), ...byR('density'));
    const placed = (values: readonly number[]): number[] =>
      values.map((value) => (value / most) * (276 - 14));
    near(heights(markup, 'fig-all', 2), placed(byR('density')));
    for (const [index, [, values]] of curves.entries())
      near(heights(markup, `fig-series-${index + 1}`, 0), placed(values));
  });

  it('have a mark of evidence where R has a one, and all of it once more in one panel', () => {
    const markup = drawn(matrix);
    const cells = (name: string): string[] => {
      const [, path = ''] =
        new RegExp(`class="fig-${name}" d="([^"]+)" *></path><path`).exec(markup) ?? [];
      return path.split('z').filter((mark) => mark !== '');
    };
    const ones = byR('bits').filter((bit) => bit === 1).length;
    expect(ones).toBeGreaterThan(0);
    expect(cells('false')).toHaveLength(ones);
    const letters = [...markup.matchAll(/-letter"[^>]*>([^<]*)</g)].map(([, letter]) => letter);
    expect(letters.map((letter) => (letter === 'F' ? 1 : 0))).toEqual(byR('bits'));

    const parts = [all, overlay, forest, proportions, matrix];
    const panel = drawn(drawPanel(parts.map((drawing) => ({ title: 'Part', drawing }))));
    for (const part of parts)
      expect(panel).toContain(drawn(part).slice('<svg>'.length, -'</svg>'.length));
  });
});
