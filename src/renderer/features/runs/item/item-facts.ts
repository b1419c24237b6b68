import type { CellState } from '../../../../shared/domain/outcome.ts';
import type { ProfileRule } from '../../../../shared/domain/profile.ts';
import {
  type CountResult,
  countSizes,
  type ItemResult,
  type RunResult,
} from '../../../../shared/domain/result.ts';
import type { FrozenCell, FrozenItem } from '../../../../shared/domain/run-record.ts';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { movedItem } from '../../../../shared/domain/sensitivity.ts';
import { formatPercent, formatShare } from '../../../state/format.ts';
import { t } from '../../../text/t.ts';

/** A rule of an item: what was found, what proves it, and what the other outcome would change. */
export interface ItemRule {
  column: number;
  uid: string;
  rule: ProfileRule | undefined;
  state: CellState;
  detail: FrozenCell | undefined;
  /** The item's result with this rule met where it is not, or not met where it is. */
  flipped: CountResult;
}

export interface ItemFacts {
  row: number;
  item: FrozenItem;
  result: ItemResult;
  rules: ItemRule[];
  /** The item's result with one more rule met; undefined where all are. */
  raised: CountResult | undefined;
  /** With every rule met. */
  complete: CountResult | undefined;
}

/** What an outcome means under its rule, in the words of the profile. */
export function meaningOf(rule: ProfileRule | undefined, state: CellState): string {
  if (state === null) return t('Nobody has recorded it; it counts as not available.');
  if (rule === undefined) return '';
  return { FALSE: rule.evidenceMeaning, TRUE: rule.problemMeaning, NA: rule.notAvailableMeaning }[
    state
  ];
}

/** All about one item of a run; undefined where the run has no such item. */
export function itemFacts(run: RunRecord, itemUid: string): ItemFacts | undefined {
  const { items, rules, raw, cells, profile } = run.frozen;
  const row = items.findIndex((item) => item.item_uid === itemUid);
  const [item, result] = [items[row], run.result.items[row]];
  if (item === undefined || result === undefined) return undefined;
  const { k, m } = result;
  const sizes = countSizes(
    run.result.items.map((one) => one.k),
    m,
  );
  const at = (to: number): CountResult => movedItem(sizes, k, to, run.settings);
  const [raised, lowered] = [k < m ? at(k + 1) : undefined, k > 0 ? at(k - 1) : undefined];
  const ruleByUid = new Map(profile.rules.map((rule) => [rule.ruleUid, rule]));
  const details = new Map(
    cells.filter((cell) => cell.item_uid === itemUid).map((cell) => [cell.rule_uid, cell]),
  );
  return {
    row,
    item,
    result,
    raised,
    complete: k < m ? at(m) : undefined,
    rules: rules.flatMap((uid, column) => {
      const state = raw[row]?.[column] ?? null;
      const flipped = state === 'FALSE' ? lowered : raised;
      return flipped === undefined
        ? []
        : [{ column, uid, rule: ruleByUid.get(uid), state, detail: details.get(uid), flipped }];
    }),
  };
}

/** What the run says of the item. */
export function itemSentence(result: ItemResult, global: RunResult['global']): string {
  return t(
    '{k} of {m, plural, one {# rule} other {# rules}} met. Mean evidence sufficiency {mean}, {level} credible interval {lower} to {upper}; percentile {percentile} of {items, plural, one {# item} other {# items}}.',
    {
      k: result.k,
      m: result.m,
      mean: formatShare(result.theta_mean, 3),
      level: formatPercent(global.ci_level),
      lower: formatShare(result.theta_lower, 3),
      upper: formatShare(result.theta_upper, 3),
      percentile: formatShare(result.percentile, 1),
      items: global.n_items,
    },
  );
}

/** What would raise the item, and by how much. */
export function raiseSentence({ result, raised, complete }: ItemFacts): string {
  const open = result.m - result.k;
  if (raised === undefined || complete === undefined)
    return t('Every rule is met: no single rule would raise this item.');
  const one = t(
    '{open, plural, one {The one rule not met} other {Each of the # rules not met}} would, with its evidence present, raise the mean from {mean} to {meanThen} (+{gain}) and the percentile from {percentile} to {percentileThen}.',
    {
      open,
      mean: formatShare(result.theta_mean, 3),
      meanThen: formatShare(raised.theta_mean, 3),
      gain: formatShare(raised.theta_mean - result.theta_mean, 3),
      percentile: formatShare(result.percentile, 1),
      percentileThen: formatShare(raised.percentile, 1),
    },
  );
  if (open === 1) return one;
  const all = t(
    '{open, plural, =2 {Both} other {All #}} together: mean {mean}, percentile {percentile}.',
    {
      open,
      mean: formatShare(complete.theta_mean, 3),
      percentile: formatShare(complete.percentile, 1),
    },
  );
  return `${one} ${all}`;
}
