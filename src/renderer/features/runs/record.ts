import type { RunUid } from '../../../shared/contract/ids.ts';
import { flippedResults } from '../../../shared/domain/contested.ts';
import type { RunCounts } from '../../../shared/domain/item-lines.ts';
import { outcomeWords } from '../../../shared/domain/outcome.ts';
import type { RuleResult } from '../../../shared/domain/result.ts';
import type { FrozenCell, FrozenContested } from '../../../shared/domain/run-record.ts';
import type { RunRecord } from '../../../shared/domain/run.ts';
import { formatShare } from '../../state/format.ts';
import { inSentence, locale, t, tOf } from '../../text/t.ts';

export function sumRules(rules: readonly RuleResult[]): RunCounts {
  const sum = (field: Exclude<keyof RuleResult, 'rule_uid'>) =>
    rules.reduce((total, rule) => total + rule[field], 0);
  return [sum('evidence_present'), sum('problem_found'), sum('not_available'), sum('unrecorded')];
}

/** The name of a rule of the run; its ID where the profile does not know it. */
export function ruleNames({ frozen }: Pick<RunRecord, 'frozen'>): (ruleUid: string) => string {
  const names = new Map<string, string>(
    frozen.profile.rules.map((rule) => [rule.ruleUid, rule.name]),
  );
  return (ruleUid) => names.get(ruleUid) ?? ruleUid;
}

/**
 * A page of the unrecorded cells in matrix order: entries `first` to `first + count`, without
 * listing half a million others.
 */
export function unrecordedCells(
  { frozen }: Pick<RunRecord, 'frozen'>,
  first: number,
  count: number,
): { item: number; rule: number }[] {
  const page: { item: number; rule: number }[] = [];
  let seen = 0;
  for (const [item, row] of frozen.raw.entries()) {
    for (const [rule, state] of row.entries()) {
      if (state !== null) continue;
      if (seen >= first) page.push({ item, rule });
      if (page.length === count) return page;
      seen += 1;
    }
  }
  return page;
}

/** What the members of a structured provenance are called; others keep their names. */
const PARTS = new Map([
  ['source', t('Source')],
  ['locator', t('Locator')],
  ['method', t('Method')],
  ['date', t('Date')],
]);

export function provenanceWords(value: FrozenCell['provenance']): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  return Object.entries(value)
    .map(([name, part]) => {
      const label = PARTS.get(name);
      const text = typeof part === 'string' ? part : JSON.stringify(part);
      return `${label === undefined ? name : inSentence(label)}: ${text}`;
    })
    .join('; ');
}

/** A contested cell of a run in words; runs of the first versions froze its address alone. */
export function contestedWords({ item_uid, rule_uid, heads, notes }: FrozenContested): string {
  const cell = `${item_uid}, ${rule_uid}`;
  const [shown = '', ...more] = (heads ?? []).map(
    ({ raw_outcome, source_value }) =>
      `${tOf(outcomeWords(raw_outcome))}${source_value === null ? '' : ` (${source_value})`}`,
  );
  const differ = notes !== undefined;
  if (more.length === 0) return differ ? t('{cell}; the notes differ', { cell }) : cell;
  const others = new Intl.ListFormat(locale(), { type: 'conjunction' }).format(more);
  return differ
    ? t('{cell}: shown as {shown}, also recorded as {others}; the notes differ', {
        cell,
        shown,
        others,
      })
    : t('{cell}: shown as {shown}, also recorded as {others}', { cell, shown, others });
}

/** Those that change the result first. */
export function contestedInOrder(contested: readonly FrozenContested[]): FrozenContested[] {
  return [...contested].sort((a, b) => Number(b.material === true) - Number(a.material === true));
}

/**
 * What a contested cell would make of the result the other way; undefined where it changes nothing,
 * or the run does not say.
 */
export function flipWords(run: RunRecord): (cell: FrozenContested) => string | undefined {
  const { contested = [], items, rules } = run.frozen;
  const rows = new Map(items.map(({ item_uid }, row) => [item_uid, row]));
  const cells = contested.map(({ item_uid, heads = [] }) => {
    const [shown = null, ...others] = heads.map((head) => head.raw_outcome);
    return { row: rows.get(item_uid) ?? 0, shown, others };
  });
  const flipped = flippedResults(
    run.result.items.map((item) => item.k),
    rules.length,
    run.settings,
    cells,
  );
  const places = new Map(
    contested.map(({ item_uid, rule_uid }, place) => [`${item_uid}\n${rule_uid}`, place]),
  );
  return ({ item_uid, rule_uid }) => {
    const place = places.get(`${item_uid}\n${rule_uid}`) ?? -1;
    const [other, item] = [flipped[place] ?? null, run.result.items[cells[place]?.row ?? -1]];
    if (other === null || item === undefined) return undefined;
    return t(
      'The other way {met, plural, one {# rule is met} other {# rules are met}} instead of {metNow}, the item’s mean {mean} instead of {meanNow}, the mean of all {all} instead of {allNow}.',
      {
        met: other.k,
        metNow: item.k,
        mean: formatShare(other.theta_mean, 3),
        meanNow: formatShare(item.theta_mean, 3),
        all: formatShare(other.mean_theta, 5),
        allNow: formatShare(run.result.global.mean_theta, 5),
      },
    );
  };
}

/** Name of a downloaded file: `run_` and the run's ID, once, and what of it is in it. */
export function runFileName(
  runUid: RunUid,
  extension: 'csv' | 'docx' | 'evidence-run.json' | 'html' | 'png' | 'svg' | 'xlsx',
  part?: string,
): string {
  const name = `${runUid.startsWith('run_') ? '' : 'run_'}${runUid}`;
  return `${name}${part === undefined ? '' : `-${part}`}.${extension}`;
}
