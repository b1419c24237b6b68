import { distanceOf, newestOf, nextVersion, type Distance } from '../next-version.ts';
import { documentOf, emptyRule, suggestUid, type DraftRule, type ProfileDraft } from './draft.ts';

export type HeaderText =
  | 'name'
  | 'profileUid'
  | 'version'
  | 'domain'
  | 'description'
  | 'scope'
  | 'maintainer'
  | 'sourceUrl';
export type RuleTextField =
  | 'ruleUid'
  | 'name'
  | 'description'
  | 'evidenceMeaning'
  | 'problemMeaning'
  | 'notAvailableMeaning';
export type RuleValues = Record<RuleTextField, string>;

export type DraftChange = (draft: ProfileDraft) => ProfileDraft;

const MAX_UID = 96;
const MAX_RULE_UID = 64;

export const setVisibility =
  (visibility: ProfileDraft['visibility']): DraftChange =>
  (draft) => ({ ...draft, visibility });

export const setHeader =
  (field: HeaderText, value: string): DraftChange =>
  (draft) => {
    const next = { ...draft, [field]: value };
    if (field === 'profileUid') next.uidGiven = value !== '';
    if (field === 'version') next.versionGiven = true;
    if (field === 'name' && !draft.uidGiven) next.profileUid = suggestUid(value, MAX_UID);
    return next;
  };

const uidsBut = (draft: ProfileDraft, key: string): Set<string> =>
  new Set(draft.rules.filter((rule) => rule.key !== key).map((rule) => rule.ruleUid));

export const setRule =
  (key: string, field: RuleTextField, value: string): DraftChange =>
  (draft) => ({
    ...draft,
    rules: draft.rules.map((rule) => {
      if (rule.key !== key) return rule;
      const next: DraftRule = { ...rule, [field]: value };
      if (field === 'ruleUid') next.uidGiven = value !== '';
      if (field === 'name' && !rule.uidGiven)
        next.ruleUid = suggestUid(value, MAX_RULE_UID, uidsBut(draft, key));
      return next;
    }),
  });

/** The key that the next rule gets. */
export const nextKey = (draft: ProfileDraft): string => `r${draft.keys + 1}`;

function insert(draft: ProfileDraft, at: number, rule: DraftRule): ProfileDraft {
  return { ...draft, rules: draft.rules.toSpliced(at, 0, rule), keys: draft.keys + 1 };
}

export const addRule: DraftChange = (draft) =>
  insert(draft, draft.rules.length, emptyRule(nextKey(draft)));

/** Puts a rule back that was removed, under its key. */
export const restoreRule =
  (rule: DraftRule, at: number): DraftChange =>
  (draft) => ({ ...draft, rules: draft.rules.toSpliced(at, 0, rule) });

export const removeRule =
  (key: string): DraftChange =>
  (draft) => ({ ...draft, rules: draft.rules.filter((rule) => rule.key !== key) });

export const duplicateRule =
  (key: string): DraftChange =>
  (draft) => {
    const at = draft.rules.findIndex((rule) => rule.key === key);
    const rule = draft.rules[at];
    if (rule === undefined) return draft;
    const name = `${rule.name} (copy)`;
    return insert(draft, at + 1, {
      ...rule,
      key: nextKey(draft),
      name,
      ruleUid: suggestUid(name, MAX_RULE_UID, uidsBut(draft, '')),
      uidGiven: false,
    });
  };

/** Moves a rule to a place in the list as it is without the rule. */
export const moveRule =
  (key: string, to: number): DraftChange =>
  (draft) => {
    const rule = draft.rules.find((entry) => entry.key === key);
    if (rule === undefined) return draft;
    const others = draft.rules.filter((entry) => entry !== rule);
    return { ...draft, rules: others.toSpliced(Math.max(0, Math.min(to, others.length)), 0, rule) };
  };

/**
 * Rules of a spreadsheet go to the end; those without a uid get one from their name. An untouched
 * first rule makes room.
 */
export const appendRules =
  (pasted: readonly RuleValues[]): DraftChange =>
  (draft) => {
    const rules = draft.rules.filter((rule) =>
      Object.entries(rule).some(
        ([field, value]) => field !== 'key' && value !== '' && value !== false,
      ),
    );
    let { keys } = draft;
    const taken = new Set([...rules, ...pasted].map((rule) => rule.ruleUid));
    for (const values of pasted) {
      keys += 1;
      const uidGiven = values.ruleUid !== '';
      const ruleUid = uidGiven ? values.ruleUid : suggestUid(values.name, MAX_RULE_UID, taken);
      taken.add(ruleUid);
      rules.push({ ...values, ruleUid, uidGiven, key: `r${keys}` });
    }
    return { ...draft, rules, keys };
  };

/**
 * The version that the draft should have, and why; undefined where it is not the next version of
 * anything.
 */
export function versionSuggestion(
  draft: ProfileDraft,
  published: readonly string[],
): { version: string; distance: Distance } | undefined {
  if (draft.origin.kind !== 'version') return undefined;
  const { base } = draft.origin;
  const distance = distanceOf(base, documentOf(draft));
  return {
    version: nextVersion(newestOf([...published, base.version]) ?? base.version, distance),
    distance,
  };
}
