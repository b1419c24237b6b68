import type { ProfileDocument, ProfileRule } from './profile.ts';

/** What a rule says. Its order is no part of that. */
export const RULE_TEXTS = [
  'name',
  'description',
  'evidenceMeaning',
  'problemMeaning',
  'notAvailableMeaning',
] as const;
export type RuleText = (typeof RULE_TEXTS)[number];

export const HEADER_FIELDS = [
  'name',
  'visibility',
  'domain',
  'standard',
  'standardVersion',
  'description',
  'scope',
  'maintainer',
  'sourceUrl',
] as const;
export type HeaderField = (typeof HEADER_FIELDS)[number];

export type RuleComparison = { ruleUid: string } & (
  | { kind: 'added'; after: ProfileRule }
  | { kind: 'removed'; before: ProfileRule }
  | {
      kind: 'changed' | 'unchanged';
      before: ProfileRule;
      after: ProfileRule;
      texts: readonly RuleText[];
      moved: boolean;
    }
);

export interface HeaderChange {
  field: HeaderField;
  before: string;
  after: string;
}

/**
 * Where an outcome under one means the same under the other: equal name, description and three
 * meanings under one ruleUid.
 */
export const changedTexts = (before: ProfileRule, after: ProfileRule): RuleText[] =>
  RULE_TEXTS.filter((text) => before[text] !== after[text]);

const ordered = (profile: ProfileDocument): ProfileRule[] =>
  profile.rules.toSorted((a, b) => a.ruleOrder - b.ruleOrder);

/**
 * Members of a longest run that rises: rules in it kept their order among themselves, the others
 * moved.
 */
function staying(places: readonly number[]): Set<number> {
  const tails: number[] = [];
  const previous: number[] = [];
  for (const [index, place] of places.entries()) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (places[tails[middle]!]! < place) low = middle + 1;
      else high = middle;
    }
    previous[index] = low === 0 ? -1 : tails[low - 1]!;
    tails[low] = index;
  }
  const kept = new Set<number>();
  for (let index = tails.at(-1) ?? -1; index >= 0; index = previous[index]!)
    kept.add(places[index]!);
  return kept;
}

/**
 * Rule by rule in the order of `after`; a removed rule stays where it was, behind the rule that
 * it followed.
 */
export function compareRules(before: ProfileDocument, after: ProfileDocument): RuleComparison[] {
  const old = ordered(before);
  const placeOf = new Map(old.map((rule, place) => [rule.ruleUid, place]));
  const next = ordered(after);
  const kept = staying(next.flatMap((rule) => placeOf.get(rule.ruleUid) ?? []));
  const result: RuleComparison[] = next.map((rule) => {
    const place = placeOf.get(rule.ruleUid);
    if (place === undefined) return { ruleUid: rule.ruleUid, kind: 'added', after: rule };
    const texts = changedTexts(old[place]!, rule);
    return {
      ruleUid: rule.ruleUid,
      kind: texts.length > 0 ? 'changed' : 'unchanged',
      before: old[place]!,
      after: rule,
      texts,
      moved: !kept.has(place),
    };
  });
  const there = new Set(next.map((rule) => rule.ruleUid));
  for (const [place, rule] of old.entries()) {
    if (there.has(rule.ruleUid)) continue;
    const leader = old[place - 1]?.ruleUid;
    const at = leader === undefined ? 0 : result.findIndex((entry) => entry.ruleUid === leader) + 1;
    result.splice(at, 0, { ruleUid: rule.ruleUid, kind: 'removed', before: rule });
  }
  return result;
}

export function compareHeaders(before: ProfileDocument, after: ProfileDocument): HeaderChange[] {
  return HEADER_FIELDS.flatMap((field) =>
    before[field] === after[field]
      ? []
      : [{ field, before: before[field] ?? '', after: after[field] ?? '' }],
  );
}
