import { canonicalJson } from '../lib/canonical-json.ts';
import type { CellState } from './outcome.ts';
import type { ProfileRule } from './profile.ts';
import type { ItemResult } from './result.ts';
import type { RunRecord } from './run.ts';

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
  why: ScoreReason;
}

/** Why the score of an item changed, as far as its rules tell it. */
export interface ScoreReason {
  /** Rules of both runs that are met since, and that no longer are. */
  gained: string[];
  lost: string[];
  /** Rules that only one of the two has: how many, and how many of them were met. */
  added: { rules: number; met: number };
  removed: { rules: number; met: number };
}

/** A rule of either run, and what became of it. */
export interface RuleChange {
  uid: string;
  name: string;
  kind: 'same' | 'text' | 'added' | 'removed';
  /** Cells of the rule, of items of both runs, whose outcome differs. */
  cells: number;
  /** Items with evidence present; of all items of the run. */
  from: number | undefined;
  to: number | undefined;
}

/**
 * What two runs are of that differs: cases, profiles, versions of one profile, settings (priors or
 * credible level), engines that computed them.
 */
export const UNLIKE = ['cases', 'profiles', 'versions', 'settings', 'engines'] as const;
export type Unlike = (typeof UNLIKE)[number];

export interface RunDiff {
  /** Cells of items and rules that both runs have. */
  cells: CellChange[];
  scores: ScoreChange[];
  /** Of the later run in its order, then those that only the earlier one has. */
  rules: RuleChange[];
  /** Items that both runs have. */
  matched: number;
  itemsAdded: string[];
  itemsGone: string[];
  rulesAdded: string[];
  rulesGone: string[];
  /** Why the scores of the two are not of one kind; empty where they are. */
  unlike: Unlike[];
}

export const cellKey = (item: string, rule: string): string => `${rule}\n${item}`;

export function detailsOf({ frozen }: RunRecord): Map<string, string> {
  return new Map(
    frozen.cells.map(({ item_uid, rule_uid, ...detail }) => [
      cellKey(item_uid, rule_uid),
      canonicalJson(detail),
    ]),
  );
}

function unlikeness(from: RunRecord, to: RunRecord): Unlike[] {
  const found: Unlike[] = [];
  if (from.case_uid !== to.case_uid) found.push('cases');
  if (from.profile_uid !== to.profile_uid) found.push('profiles');
  else if (from.profile_version !== to.profile_version) found.push('versions');
  if (canonicalJson(from.settings) !== canonicalJson(to.settings)) found.push('settings');
  if (from.method !== to.method || from.engine.version !== to.engine.version) found.push('engines');
  return found;
}

interface MatchedRows {
  item: string;
  label: string;
  old: number;
  row: number;
}

/** The items that both runs have, in the order of the later one. */
function matchItems(from: RunRecord, to: RunRecord): MatchedRows[] {
  const oldRows = new Map(from.frozen.items.map((item, row) => [item.item_uid, row]));
  return to.frozen.items.flatMap(({ item_uid, label }, row) => {
    const old = oldRows.get(item_uid);
    return old === undefined ? [] : [{ item: item_uid, label, old, row }];
  });
}

/** Columns of both runs, and of either alone. */
function matchRules(from: RunRecord, to: RunRecord) {
  const oldColumns = new Map(from.frozen.rules.map((rule, column) => [rule, column]));
  const newRules = new Set(to.frozen.rules);
  const shared: { rule: string; column: number; old: number }[] = [];
  const added: number[] = [];
  for (const [column, rule] of to.frozen.rules.entries()) {
    const old = oldColumns.get(rule);
    if (old === undefined) added.push(column);
    else shared.push({ rule, column, old });
  }
  const removed = from.frozen.rules.flatMap((rule, old) => (newRules.has(rule) ? [] : [old]));
  return { shared, added, removed };
}
type MatchedRules = ReturnType<typeof matchRules>;

function changedCells(
  from: RunRecord,
  to: RunRecord,
  items: readonly MatchedRows[],
  { shared }: MatchedRules,
): CellChange[] {
  const [oldDetails, newDetails] = [detailsOf(from), detailsOf(to)];
  const cells: CellChange[] = [];
  for (const { item, old: oldRow, row } of items) {
    for (const { rule, column, old } of shared) {
      const [before, after] = [
        from.frozen.raw[oldRow]?.[old] ?? null,
        to.frozen.raw[row]?.[column] ?? null,
      ];
      const key = cellKey(item, rule);
      const details = oldDetails.get(key) !== newDetails.get(key);
      if (before !== after || details) cells.push({ item, rule, from: before, to: after, details });
    }
  }
  return cells;
}

/** What of the rules explains that an item's score changed. */
function reasonOf(
  before: readonly CellState[],
  after: readonly CellState[],
  { shared, added, removed }: MatchedRules,
): ScoreReason {
  const [gained, lost]: [string[], string[]] = [[], []];
  for (const { rule, column, old } of shared) {
    const [was, is] = [before[old] === 'FALSE', after[column] === 'FALSE'];
    if (is && !was) gained.push(rule);
    if (was && !is) lost.push(rule);
  }
  const met = (states: readonly CellState[], columns: readonly number[]) => ({
    rules: columns.length,
    met: columns.filter((column) => states[column] === 'FALSE').length,
  });
  return { gained, lost, added: met(after, added), removed: met(before, removed) };
}

function changedScores(
  from: RunRecord,
  to: RunRecord,
  items: readonly MatchedRows[],
  rules: MatchedRules,
): ScoreChange[] {
  const scores: ScoreChange[] = [];
  for (const { item, label, old, row } of items) {
    const [was, is] = [from.result.items[old], to.result.items[row]];
    if (was === undefined || is === undefined) continue;
    if (was.theta_mean === is.theta_mean && was.m === is.m) continue;
    scores.push({
      item,
      label,
      from: was,
      to: is,
      change: is.theta_mean - was.theta_mean,
      why: reasonOf(from.frozen.raw[old] ?? [], to.frozen.raw[row] ?? [], rules),
    });
  }
  return scores.sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
}

/** What a rule asks: its order in the profile is no part of it. */
function askedBy(rule: ProfileRule | undefined): string {
  if (rule === undefined) return '';
  const { ruleOrder: _, ...asked } = rule;
  return canonicalJson(asked);
}

function changedRules(
  from: RunRecord,
  to: RunRecord,
  { shared, added, removed }: MatchedRules,
  cells: readonly CellChange[],
): RuleChange[] {
  const rulesOf = ({ frozen }: RunRecord) =>
    new Map<string, ProfileRule>(frozen.profile.rules.map((rule) => [rule.ruleUid, rule]));
  const [oldRules, newRules] = [rulesOf(from), rulesOf(to)];
  const changes = new Map<string, number>();
  for (const cell of cells)
    if (cell.from !== cell.to) changes.set(cell.rule, (changes.get(cell.rule) ?? 0) + 1);
  const present = (run: RunRecord, column: number): number =>
    run.result.rules[column]?.evidence_present ?? 0;
  const both = shared.map(({ rule: uid, column, old }): RuleChange => ({
    uid,
    name: newRules.get(uid)?.name ?? uid,
    kind: askedBy(oldRules.get(uid)) === askedBy(newRules.get(uid)) ? 'same' : 'text',
    cells: changes.get(uid) ?? 0,
    from: present(from, old),
    to: present(to, column),
  }));
  const alone = (
    run: RunRecord,
    rules: ReadonlyMap<string, ProfileRule>,
    column: number,
    kind: 'added' | 'removed',
  ): RuleChange => {
    const uid = run.frozen.rules[column] ?? '';
    const count = present(run, column);
    return {
      uid,
      name: rules.get(uid)?.name ?? uid,
      kind,
      cells: 0,
      from: kind === 'removed' ? count : undefined,
      to: kind === 'added' ? count : undefined,
    };
  };
  return [
    ...both,
    ...added.map((column) => alone(to, newRules, column, 'added')),
    ...removed.map((column) => alone(from, oldRules, column, 'removed')),
  ];
}

/**
 * What the later run has otherwise than the earlier one. Items and rules are matched by their
 * identifiers.
 */
export function diffRuns(from: RunRecord, to: RunRecord): RunDiff {
  const items = matchItems(from, to);
  const rules = matchRules(from, to);
  const cells = changedCells(from, to, items, rules);
  const matched = new Set(items.map(({ item }) => item));
  const others = ({ frozen }: RunRecord): string[] =>
    frozen.items.map((item) => item.item_uid).filter((uid) => !matched.has(uid));
  return {
    cells,
    scores: changedScores(from, to, items, rules),
    rules: changedRules(from, to, rules, cells),
    matched: items.length,
    itemsAdded: others(to),
    itemsGone: others(from),
    rulesAdded: rules.added.map((column) => to.frozen.rules[column] ?? ''),
    rulesGone: rules.removed.map((column) => from.frozen.rules[column] ?? ''),
    unlike: unlikeness(from, to),
  };
}
