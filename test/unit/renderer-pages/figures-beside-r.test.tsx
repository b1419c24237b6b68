import { execFileSync, spawnSync } from 'node:child_process';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { drawGlobal } from '../../../src/renderer/features/runs/figures/draw-density.tsx';
import {
  drawForest,
  drawProportions,
} from '../../../src/renderer/features/runs/figures/draw-items.tsx';
import {
  countResults,
  figureItems,
  rankRows,
} from '../../../src/renderer/features/runs/figures/figure-items.ts';
import { itemLines } from '../../../src/shared/domain/item-lines.ts';
import { globalPosterior } from '../../../src/shared/domain/beta-density.ts';
import { sampleRecord } from '../shared/domain/run-sample.ts';

/*
 * What R's own functions say of the same matrix, at the places where the figures have it. The
 * package quantbayes draws a kernel estimate over the items' means; these figures draw the density
 * itself.
 */
const hasR = spawnSync('Rscript', ['--version']).status === 0;
const run = sampleRecord();
const items = figureItems(itemLines(run), rankRows(itemLines(run)), new Set(), 100);
const { prior_a, prior_b, ci_level, m_rules } = run.result.global;
const PROGRAM = `
k <- c(${items.map(({ k }) => k).join()}); m <- ${m_rules}
a <- ${prior_a} + k; b <- ${prior_b} + m - k; tail <- (1 - ${ci_level}) / 2
x <- seq(0, 1, length.out = 221)
say <- function(name, values) cat(name, sprintf('%.15g', values), '\\n')
say('mean', a / (a + b)); say('lower', qbeta(tail, a, b)); say('upper', qbeta(1 - tail, a, b))
say('observed', k / m); say('density', sapply(x, function(at) mean(dbeta(at, a, b))))
`;
const byR = (): Map<string, number[]> =>
  new Map(
    execFileSync('Rscript', ['--vanilla', '-e', PROGRAM], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map((line) => {
        const [name = '', ...values] = line.trim().split(/\s+/);
        return [name, values.map(Number)];
      }),
  );
const drawn = (body: ReactNode): string => renderToStaticMarkup(<svg>{body}</svg>);
const numbers = (markup: string, pattern: RegExp): number[] =>
  [...markup.matchAll(pattern)].map(([, value]) => Number(value));

describe.skipIf(!hasR)('the figures beside R (skipped where Rscript is not installed)', () => {
  it('have means, intervals, proportions and the density of all items where R has them', () => {
    const r = byR();
    const at = (share: number): number => 210 + share * (760 - 150 - 210);
    const places = (name: string): number[] => (r.get(name) ?? []).map(at);
    const near = (found: readonly number[], expected: readonly number[]): void => {
      expect(found).toHaveLength(expected.length);
      for (const [index, place] of expected.entries())
        expect(Math.abs((found[index] ?? NaN) - place)).toBeLessThan(0.1);
    };
    const forest = drawn(drawForest(items, 0.5).body);
    near(numbers(forest, /cx="([\d.]+)"/g), places('mean'));
    near(numbers(forest, /fig-bar" x="([\d.]+)"/g), places('lower'));
    const widths = numbers(forest, /fig-bar"[^>]* width="([\d.]+)"/g);
    const lower = places('lower');
    for (const [index, upper] of places('upper').entries())
      expect(Math.abs((widths[index] ?? NaN) - (upper - lower[index]!))).toBeLessThan(0.2);
    near(numbers(drawn(drawProportions(items).body), /cx="([\d.]+)"/g), places('observed'));

    const spread = { mean: 0.5, median: 0.5, lower: 0.2, upper: 0.8, level: '95%' };
    const global = drawGlobal(globalPosterior(countResults(run.result.items)), spread);
    const [, path = ''] = /class="fig-all" d="([^"]+)"/.exec(drawn(global.body)) ?? [];
    // Two corners close the area below the curve.
    const heights = numbers(path, /[ML][\d.]+ ([\d.]+)/g)
      .slice(0, -2)
      .map((y) => 276 - y);
    const density = r.get('density') ?? [];
    const scale = Math.max(...heights) / Math.max(...density);
    near(
      heights,
      density.map((value) => value * scale),
    );
  });
});
