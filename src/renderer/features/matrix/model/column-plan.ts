import { z } from 'zod';
import { FieldColumn, fieldId } from './fields.ts';

export const COLUMN_WIDTH = { least: 36, most: 480, step: 16 };

/**
 * How one person has laid out the rules, and the items' fields beside them. The profile's ruleOrder
 * is never touched by it.
 */
export const ColumnPlan = z.strictObject({
  /** Rules in the order to show them in; rules that are not named follow in the profile's order. */
  order: z.array(z.string()),
  hidden: z.array(z.string()),
  /** Stay at the left while the others scroll. */
  frozen: z.array(z.string()),
  /** Pixels; a rule that is not named is as wide as the room allows. */
  widths: z.record(z.string(), z.number().int().min(COLUMN_WIDTH.least).max(COLUMN_WIDTH.most)),
  /** Fields of the items that are shown, in their order. Views of earlier versions have none. */
  fields: z.array(FieldColumn).default([]),
});
export type ColumnPlan = z.infer<typeof ColumnPlan>;

export const PLAIN_COLUMNS: ColumnPlan = {
  order: [],
  hidden: [],
  frozen: [],
  widths: {},
  fields: [],
};

export const isPlain = (plan: ColumnPlan): boolean =>
  plan.order.length === 0 &&
  plan.hidden.length === 0 &&
  plan.frozen.length === 0 &&
  Object.keys(plan.widths).length === 0 &&
  plan.fields.length === 0;

/**
 * The width that a person chose. Looked up as an own member, since a rule may be called
 * "constructor".
 */
export const widthOf = ({ widths }: ColumnPlan, column: string): number | undefined =>
  Object.hasOwn(widths, column) ? widths[column] : undefined;

/** All rules in the order of the plan, the hidden ones too; the frozen ones first. */
export function orderedRules(plan: ColumnPlan, rules: readonly string[]): string[] {
  const known = new Set(rules);
  const named = new Set(plan.order.filter((rule) => known.has(rule)));
  const all =
    named.size === 0 ? [...rules] : [...named, ...rules.filter((rule) => !named.has(rule))];
  if (plan.frozen.length === 0) return all;
  const frozen = new Set(plan.frozen);
  return [...all.filter((rule) => frozen.has(rule)), ...all.filter((rule) => !frozen.has(rule))];
}

export const shownRules = (plan: ColumnPlan, rules: readonly string[]): string[] => {
  const hidden = new Set(plan.hidden);
  return orderedRules(plan, rules).filter((rule) => !hidden.has(rule));
};

const ordered = (
  plan: ColumnPlan,
  rules: readonly string[],
  order: readonly string[],
): ColumnPlan => {
  const next = { ...plan, order: [] };
  const plain = orderedRules(next, rules);
  return order.every((rule, place) => rule === plain[place])
    ? next
    : { ...plan, order: [...order] };
};

/** Hides rules; the last one shown stays, so that there is always something to come back from. */
export function hide(
  plan: ColumnPlan,
  rules: readonly string[],
  gone: readonly string[],
): ColumnPlan {
  const hidden = rules.filter((rule) => plan.hidden.includes(rule) || gone.includes(rule));
  return {
    ...plan,
    hidden:
      hidden.length === rules.length
        ? hidden.filter((rule) => rule !== (gone.at(-1) ?? rules[0]))
        : hidden,
  };
}

export const show = (plan: ColumnPlan, back: readonly string[]): ColumnPlan => ({
  ...plan,
  hidden: plan.hidden.filter((rule) => !back.includes(rule)),
});

export const freeze = (plan: ColumnPlan, rule: string, frozen: boolean): ColumnPlan => ({
  ...plan,
  frozen: frozen
    ? [...plan.frozen.filter((entry) => entry !== rule), rule]
    : plan.frozen.filter((entry) => entry !== rule),
});

/**
 * Places a rule before another, or last; among frozen rules it becomes one of them, among the
 * others it stops being one.
 */
export function place(
  plan: ColumnPlan,
  rules: readonly string[],
  rule: string,
  before: string | null,
): ColumnPlan {
  if (rule === before) return plan;
  const shown = shownRules(plan, rules).filter((entry) => entry !== rule);
  const at = before === null ? shown.length : shown.indexOf(before);
  const isFrozen = (entry: string | undefined): boolean =>
    entry !== undefined && plan.frozen.includes(entry);
  const frozen = isFrozen(shown[at]) || (isFrozen(rule) && isFrozen(shown[at - 1]));
  const all = orderedRules(plan, rules).filter((entry) => entry !== rule);
  all.splice(before === null ? all.length : all.indexOf(before), 0, rule);
  const moved = plan.frozen.includes(rule) === frozen ? plan : freeze(plan, rule, frozen);
  return ordered(moved, rules, orderedRules({ ...moved, order: all }, rules));
}

/**
 * One place among the rules shown; undefined where there is none, or where the border of the frozen
 * ones would be crossed.
 */
export function step(
  plan: ColumnPlan,
  rules: readonly string[],
  rule: string,
  way: -1 | 1,
): ColumnPlan | undefined {
  const shown = shownRules(plan, rules);
  const at = shown.indexOf(rule);
  const neighbour = shown[at + way];
  if (
    at < 0 ||
    neighbour === undefined ||
    plan.frozen.includes(rule) !== plan.frozen.includes(neighbour)
  )
    return undefined;
  const all = orderedRules(plan, rules);
  const [from, to] = [all.indexOf(rule), all.indexOf(neighbour)];
  [all[from], all[to]] = [neighbour, rule];
  return ordered(plan, rules, all);
}

export function widen(plan: ColumnPlan, rule: string, width: number | null): ColumnPlan {
  const { [rule]: _, ...others } = plan.widths;
  return {
    ...plan,
    widths:
      width === null
        ? others
        : {
            ...others,
            [rule]: Math.round(Math.min(Math.max(width, COLUMN_WIDTH.least), COLUMN_WIDTH.most)),
          },
  };
}

/** The fields shown, the frozen ones first. */
export const shownFields = ({ fields }: Pick<ColumnPlan, 'fields'>): FieldColumn[] => [
  ...fields.filter(({ frozen }) => frozen),
  ...fields.filter(({ frozen }) => !frozen),
];

/** Shows a field after the others; one that is shown stays. */
export const showField = (
  plan: ColumnPlan,
  { key, type }: Pick<FieldColumn, 'key' | 'type'>,
): ColumnPlan =>
  plan.fields.some((field) => field.key === key)
    ? plan
    : { ...plan, fields: [...plan.fields, { key, type, frozen: false }] };

export const hideField = (plan: ColumnPlan, key: string): ColumnPlan => ({
  ...widen(plan, fieldId(key), null),
  fields: plan.fields.filter((field) => field.key !== key),
});

export const changeField = (
  plan: ColumnPlan,
  key: string,
  part: Partial<Omit<FieldColumn, 'key'>>,
): ColumnPlan => ({
  ...plan,
  fields: plan.fields.map((field) => (field.key === key ? { ...field, ...part } : field)),
});

/**
 * One place among the fields shown; undefined where there is none, or where the border of the
 * frozen ones would be crossed.
 */
export function stepField(plan: ColumnPlan, key: string, way: -1 | 1): ColumnPlan | undefined {
  const fields = shownFields(plan);
  const at = fields.findIndex((field) => field.key === key);
  const [field, neighbour] = [fields[at], fields[at + way]];
  if (field === undefined || neighbour === undefined || field.frozen !== neighbour.frozen)
    return undefined;
  [fields[at], fields[at + way]] = [neighbour, field];
  return { ...plan, fields };
}
