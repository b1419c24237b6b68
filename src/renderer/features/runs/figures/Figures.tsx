import { useDeferredValue, useId, useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { globalPosterior } from '../../../../shared/domain/beta-density.ts';
import type { CountResult } from '../../../../shared/domain/result.ts';
import type { RunRecord } from '../../../../shared/domain/run.ts';

import { formatPercent } from '../../../state/format.ts';
import { Select } from '../../../ui/Select.tsx';
import { itemPath } from '../item/item-path.ts';
import type { ItemResultRow } from '../../../../shared/domain/item-lines.ts';
import { drawGlobal, drawOverlay } from './draw-density.tsx';
import { drawForest, drawObserved, drawProportions, drawRanks } from './draw-items.tsx';
import { drawTopMatrix } from './draw-matrix.tsx';
import { drawPanel } from './draw-panel.tsx';
import { drawRules, type RuleOutcomes } from './draw-rules.tsx';
import type { Drawing } from './drawing.tsx';
import {
  countResults,
  type FigureItem,
  figureItems,
  rankRows,
  sharedDensities,
} from './figure-items.ts';
import { SERIES } from './figure-style.ts';
import { CountsTable, ItemsOfFigure, OutcomesOfFigure } from './FigureTables.tsx';
import { RunFigure } from './RunFigure.tsx';
import { t } from '../../../text/t.ts';

const FIGURES = [
  { value: 'overlay', label: t('Posterior densities') },
  { value: 'global', label: t('Density of all items') },
  { value: 'forest', label: t('Credible intervals') },
  { value: 'ranks', label: t('All items by rank') },
  { value: 'observed', label: t('Observed proportions') },
  { value: 'proportions', label: t('Proportions of the first items') },
  { value: 'matrix', label: t('Matrix of the first items') },
  { value: 'panel', label: t('All in one panel') },
] as const;
type FigureName = (typeof FIGURES)[number]['value'];

const TOPS = [5, 10, 25, 50, 100] as const;
const TOP_OPTIONS = TOPS.map((top) => ({ value: String(top), label: t('First {top}', { top }) }));
/** Rows of each part of the panel. */
const PANEL_ROWS = 12;

interface FigureSource {
  run: RunRecord;
  /** The results by k, and with them all that is said of all items. */
  groups: readonly CountResult[];
  rules: readonly RuleOutcomes[];
  items: readonly FigureItem[];
  id: string;
}

const overlayOf = ({ groups, items }: FigureSource): Drawing =>
  drawOverlay(sharedDensities(items, SERIES), globalPosterior(groups));

function globalOf({ groups, run }: FigureSource): Drawing {
  const { mean_theta, median_theta, lower_theta, upper_theta, ci_level } = run.result.global;
  return drawGlobal(globalPosterior(groups), {
    mean: mean_theta,
    median: median_theta,
    lower: lower_theta,
    upper: upper_theta,
    level: formatPercent(ci_level),
  });
}

function sizesOf({ groups, run }: FigureSource): number[] {
  const sizes = new Array<number>(run.result.global.m_rules + 1).fill(0);
  for (const { k, size } of groups) sizes[k] = size;
  return sizes;
}

function matrixOf({ run, id }: FigureSource, items: readonly FigureItem[]): Drawing {
  const { profile, rules, raw } = run.frozen;
  const orders = new Map(profile.rules.map((rule) => [rule.ruleUid, rule.ruleOrder]));
  return drawTopMatrix({
    items,
    rules: rules.map((uid, column) => orders.get(uid) ?? column + 1),
    raw,
    id,
  });
}

/** Draws the figure that was asked for, and no other. */
function draw(name: FigureName, source: FigureSource): Drawing {
  const { run, items, rules, id } = source;
  const { mean_theta, n_items } = run.result.global;
  switch (name) {
    case 'overlay':
      return overlayOf(source);
    case 'global':
      return globalOf(source);
    case 'forest':
      return drawForest(items, mean_theta);
    case 'ranks':
      return drawRanks(source.groups, n_items);
    case 'observed':
      return drawObserved(sizesOf(source));
    case 'proportions':
      return drawProportions(items);
    case 'matrix':
      return matrixOf(source, items);
    case 'panel': {
      const few = items.slice(0, PANEL_ROWS);
      return drawPanel([
        { title: t('Density of all items'), drawing: globalOf(source) },
        { title: t('Posterior densities'), drawing: overlayOf(source) },
        { title: t('Credible intervals'), drawing: drawForest(few, mean_theta) },
        { title: t('Observed proportions'), drawing: drawObserved(sizesOf(source)) },
        { title: t('Outcomes'), drawing: matrixOf(source, few) },
        {
          title:
            rules.length > PANEL_ROWS
              ? t('Rules, the first {shown}', { shown: PANEL_ROWS })
              : t('Rules'),
          drawing: drawRules(rules.slice(0, PANEL_ROWS), `${id}-rules`),
        },
      ]);
    }
  }
}

function sentenceOf(name: FigureName, { items, run }: FigureSource, chosen: number): string {
  const of = { chosen: chosen > 0 ? 'yes' : 'no', items: items.length };
  switch (name) {
    case 'overlay': {
      const drawn = sharedDensities(items, SERIES).length;
      const all = t(
        'Exact posterior densities of {chosen, select, yes {the {items, number} chosen items} other {the {items, number} items with most evidence}}, over that of all items together. Items with as many rules met share one.',
        of,
      );
      return new Set(items.map(({ k }) => k)).size > drawn
        ? `${all} ${t('The first {drawn} densities are drawn.', { drawn })}`
        : all;
    }
    case 'forest':
      return t(
        'Mean and credible interval of {chosen, select, yes {the {items, number} chosen items} other {the {items, number} items with most evidence}}; the dashed line is the mean of all items.',
        of,
      );
    case 'ranks':
      return t(
        'Mean and credible interval of all {items, number} items by rank: items with as many rules met share both.',
        { items: run.result.global.n_items },
      );
    case 'global':
      return t(
        'Exact posterior density of all {items, number} items together: of one of them drawn at random. The shaded range holds the middle of the items’ means; it is no credible interval.',
        { items: run.result.global.n_items },
      );
    case 'proportions':
      return t(
        'Rules met of all rules, without any prior, of {chosen, select, yes {the {items, number} chosen items} other {the {items, number} items with most evidence}}.',
        of,
      );
    case 'observed':
      return t('How many items have each proportion of rules met, without any prior.');
    case 'matrix':
      return t(
        'Outcomes of {chosen, select, yes {the {items, number} chosen items} other {the {items, number} items with most evidence}}; columns are rules by their number in the profile.',
        of,
      );
    case 'panel':
      return t(
        'Densities, intervals, proportions, outcomes and rules in one drawing, of {chosen, select, yes {the {items, number} chosen items} other {the {items, number} items with most evidence}}.',
        of,
      );
  }
}

/** The figures of a run, one at a time: of the items with most evidence, or of those chosen. */
export function Figures({
  run,
  lines,
  rules,
  chosen,
}: {
  run: RunRecord;
  lines: readonly ItemResultRow[];
  rules: readonly RuleOutcomes[];
  chosen: ReadonlySet<string>;
}) {
  const [name, setName] = useState<FigureName>('overlay');
  const [top, setTop] = useState('10');
  const shown = useDeferredValue(chosen);
  const id = useId();
  const navigate = useNavigate();
  const ranked = useMemo(() => rankRows(lines), [lines]);
  const groups = useMemo(() => countResults(run.result.items), [run]);
  const source = useMemo(
    (): FigureSource => ({
      run,
      groups,
      rules,
      id,
      items: figureItems(lines, ranked, shown, Number(top)),
    }),
    [run, groups, lines, ranked, rules, shown, top, id],
  );
  const drawing = useMemo(() => draw(name, source), [name, source]);
  const title = FIGURES.find((figure) => figure.value === name)?.label ?? '';
  const table =
    name === 'observed' || name === 'ranks' || name === 'global' ? (
      <CountsTable groups={groups} />
    ) : name === 'matrix' ? (
      <OutcomesOfFigure run={run} items={source.items} />
    ) : (
      <ItemsOfFigure run={run} items={source.items} />
    );
  return (
    <RunFigure
      run={run}
      title={title}
      sentence={sentenceOf(name, source, shown.size)}
      drawing={drawing}
      table={table}
      onItem={(uid) => void navigate(itemPath(run.run_uid, uid))}
      tools={
        <>
          <Select inline label={t('Figure')} value={name} onValue={setName} options={FIGURES} />
          <Select
            inline
            label={shown.size > 0 ? t('Chosen items') : t('Items')}
            value={top}
            onValue={setTop}
            options={TOP_OPTIONS}
          />
        </>
      }
    />
  );
}
