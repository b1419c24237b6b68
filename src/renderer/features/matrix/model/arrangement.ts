import { z } from 'zod';
import { ColumnPlan, isPlain, PLAIN_COLUMNS } from './column-plan.ts';
import { fieldKeyOf } from './fields.ts';
import { Filter, isActive, NO_FILTER } from './filter.ts';
import { CASE_ORDER, Sort } from './sort.ts';

/**
 * What is shown of the matrix and in which layout. It has no effect on the evidence or on what a
 * run includes.
 */
export const Arrangement = z.strictObject({ columns: ColumnPlan, sort: Sort, filter: Filter });
export type Arrangement = z.infer<typeof Arrangement>;

export const PLAIN: Arrangement = { columns: PLAIN_COLUMNS, sort: CASE_ORDER, filter: NO_FILTER };

export const isPlainArrangement = ({ columns, sort, filter }: Arrangement): boolean =>
  isPlain(columns) && sort.by === 'case' && !isActive(filter);

/** Leaves out what names rules that this version of the profile has not. */
export function fitTo(
  { columns, sort, filter }: Arrangement,
  rules: readonly string[],
): Arrangement {
  const known = new Set(rules);
  const has = (rule: string): boolean => known.has(rule);
  const hidden = columns.hidden.filter(has);
  return {
    columns: {
      order: columns.order.filter(has),
      hidden: hidden.length < rules.length ? hidden : [],
      frozen: columns.frozen.filter(has),
      widths: Object.fromEntries(
        Object.entries(columns.widths).filter(
          ([column]) => column === '#item' || fieldKeyOf(column) !== undefined || has(column),
        ),
      ),
      fields: columns.fields,
    },
    sort: sort.by === 'rule' && !has(sort.rule) ? CASE_ORDER : sort,
    filter: { ...filter, rules: filter.rules.filter(({ rule }) => has(rule)) },
  };
}
