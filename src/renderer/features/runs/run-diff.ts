import type { CellState } from '../../../shared/domain/outcome.ts';
import type { ItemResult } from '../../../shared/domain/result.ts';
import type { RunRecord } from '../../../shared/domain/run.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { CellDetail, MatrixSession } from '../../data/store/port.ts';

export interface CellChange {
  item: string;
  rule: string;
  from: CellState;
  to: CellState;
  /** Source value, provenance or notes differ too, or alone. */
  details: boolean;
}

export interface ScoreChange {
  item: string;
  label: string;
  from: ItemResult;
  to: ItemResult;
  /** Change of the posterior mean. */
  change: number;
}

export interface RunDiff {
  /** Cells of items and rules that both runs have. */
  cells: CellChange[];
  scores: ScoreChange[];
  itemsAdded: string[];
  itemsGone: string[];
  rulesAdded: string[];
  rulesGone: string[];
  /** Why the scores of the two are not of one kind; empty where they are. */
  unlike: string[];
}

const cellKey = (item: string, rule: string): string => `${rule}\n${item}`;

function detailsOf({ frozen }: RunRecord): Map<string, string> {
  return new Map(
    frozen.cells.map(({ item_uid, rule_uid, ...detail }) => [
      cellKey(item_uid, rule_uid),
      canonicalJson(detail),
    ]),
  );
}

function unlikeness(from: RunRecord, to: RunRecord): string[] {
  const reasons: string[] = [];
  if (from.case_uid !== to.case_uid) reasons.push('They are runs of two cases.');
  if (from.profile_uid !== to.profile_uid) reasons.push('They use two profiles.');
  else if (from.profile_version !== to.profile_version)
    reasons.push(
      `They use two versions of the profile, ${from.profile_version} and ` +
        `${to.profile_version}: rules are compared by their ID, ` +
        'whether or not their text changed.',
    );
  if (canonicalJson(from.settings) !== canonicalJson(to.settings))
    reasons.push(
      'They use other priors or another credible level: scores differ also where no cell does.',
    );
  if (from.method !== to.method || from.engine.version !== to.engine.version)
    reasons.push(
      `They were computed by ${from.engine.name} ${from.engine.version} and ${to.engine.name} ${to.engine.version}.`,
    );
  return reasons;
}

/**
 * What the later run has otherwise than the earlier one. Items and rules are matched by their
 * identifiers.
 */
export function diffRuns(from: RunRecord, to: RunRecord): RunDiff {
  const oldRows = new Map(from.frozen.items.map((item, row) => [item.item_uid, row]));
  const oldColumns = new Map(from.frozen.rules.map((rule, column) => [rule, column]));
  const newItems = new Set(to.frozen.items.map((item) => item.item_uid));
  const newRules = new Set(to.frozen.rules);
  const [oldDetails, newDetails] = [detailsOf(from), detailsOf(to)];
  const shared = to.frozen.rules.flatMap((rule, column) => {
    const old = oldColumns.get(rule);
    return old === undefined ? [] : [{ rule, column, old }];
  });
  const cells: CellChange[] = [];
  const scores: ScoreChange[] = [];
  for (const [row, item] of to.frozen.items.entries()) {
    const oldRow = oldRows.get(item.item_uid);
    if (oldRow === undefined) continue;
    for (const { rule, column, old } of shared) {
      const [before, after] = [
        from.frozen.raw[oldRow]?.[old] ?? null,
        to.frozen.raw[row]?.[column] ?? null,
      ];
      const key = cellKey(item.item_uid, rule);
      const details = oldDetails.get(key) !== newDetails.get(key);
      if (before !== after || details)
        cells.push({ item: item.item_uid, rule, from: before, to: after, details });
    }
    const [was, is] = [from.result.items[oldRow], to.result.items[row]];
    if (
      was !== undefined &&
      is !== undefined &&
      (was.theta_mean !== is.theta_mean || was.m !== is.m)
    )
      scores.push({
        item: item.item_uid,
        label: item.label,
        from: was,
        to: is,
        change: is.theta_mean - was.theta_mean,
      });
  }
  scores.sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
  return {
    cells,
    scores,
    itemsAdded: to.frozen.items
      .filter((item) => !oldRows.has(item.item_uid))
      .map((item) => item.item_uid),
    itemsGone: from.frozen.items
      .filter((item) => !newItems.has(item.item_uid))
      .map((item) => item.item_uid),
    rulesAdded: to.frozen.rules.filter((rule) => !oldColumns.has(rule)),
    rulesGone: from.frozen.rules.filter((rule) => !newRules.has(rule)),
    unlike: unlikeness(from, to),
  };
}

/** What the open matrix of the same case and profile version holds otherwise than the run froze. */
export function diffWorking(
  run: RunRecord,
  session: MatrixSession,
): Pick<RunDiff, 'cells' | 'itemsAdded' | 'itemsGone'> {
  const oldRows = new Map(run.frozen.items.map((item, row) => [item.item_uid, row]));
  const oldDetails = detailsOf(run);
  const newDetails = new Map<number, CellDetail>();
  const width = session.rules.length;
  session.eachDetail((row, column, detail) => newDetails.set(row * width + column, detail));
  const columns = run.frozen.rules.map((rule, old) => ({
    rule,
    old,
    column: session.columnOf(rule),
  }));
  const cells: CellChange[] = [];
  for (const [row, { item_uid: item }] of session.items.entries()) {
    const oldRow = oldRows.get(item);
    if (oldRow === undefined) continue;
    for (const { rule, old, column } of columns) {
      const [before, after] = [run.frozen.raw[oldRow]?.[old] ?? null, session.state(row, column)];
      const details =
        oldDetails.get(cellKey(item, rule)) !== wordsOf(newDetails.get(row * width + column));
      if (before !== after || details) cells.push({ item, rule, from: before, to: after, details });
    }
  }
  return {
    cells,
    itemsAdded: session.items
      .filter((item) => !oldRows.has(item.item_uid))
      .map((item) => item.item_uid),
    itemsGone: run.frozen.items
      .filter((item) => session.rowOf(item.item_uid) < 0)
      .map((item) => item.item_uid),
  };
}

/** As a run writes the details of a cell; undefined where it has none. */
function wordsOf(detail: CellDetail | undefined): string | undefined {
  if (
    detail === undefined ||
    (detail.source_value === null && detail.notes === null && detail.provenance === null)
  )
    return undefined;
  const { source_value, notes, provenance } = detail;
  return canonicalJson({ source_value, notes, provenance });
}
