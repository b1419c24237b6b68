/** Plans as PostgreSQL's EXPLAIN tells them in JSON. */
export interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Rows Removed by Filter'?: number;
  'Actual Loops'?: number;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: Plan[];
}

export const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)];

/** Small, and no account's: read whole where that is cheaper. */
export const OF_NO_ACCOUNT: ReadonlySet<string> = new Set(['meta']);

/** Indexes of nothing but what every account sees: read from end to end. */
export const OF_ALL: ReadonlySet<string> = new Set(['profiles_shipped', 'profiles_community']);

/** Holds an index to the rows of one account, case, matrix or log. */
const OF_ONE = /\((account|account_id|case_pk|stream_pk) = /;

/**
 * What reads others' rows: a table from end to end, an index without a condition, and rows that are
 * looked at only to be left out. Row-level security leaves out every row of another account: none
 * was looked at where nothing is left out, but for what an index gave for one account or what
 * belongs to it.
 */
export function astray(plan: Plan): string[] {
  return nodes(plan).flatMap((node) => {
    const {
      'Node Type': type,
      'Relation Name': table = '',
      'Rows Removed by Filter': removed = 0,
      'Actual Loops': loops = 1,
    } = node;
    // The condition of a bitmap is its index's.
    const condition =
      node['Index Cond'] ??
      (type === 'Bitmap Heap Scan' ? node.Plans?.[0]?.['Index Cond'] : undefined);
    if (OF_NO_ACCOUNT.has(table)) return [];
    if (type === 'Seq Scan') return [`${type} on ${table}`];
    if (
      /^Index (Only )?Scan$/.test(type) &&
      condition === undefined &&
      !OF_ALL.has(node['Index Name'] ?? '')
    )
      return [`${type} without a condition on ${table}`];
    // What a subquery gives was looked at by the nodes below it.
    if (type === 'Subquery Scan') return [];
    return removed > 0 && !OF_ONE.test(condition ?? '')
      ? [`${type} on ${table} looks at ${removed * loops} rows in vain`]
      : [];
  });
}

/** Work that a subquery does again for each row of another table. */
const REPEATED: ReadonlySet<string> = new Set(['Limit', 'ProjectSet', 'Sort', 'Aggregate']);

/** Parts of a plan that were carried out again and again, where once would have done. */
export const repeated = (plan: Plan): string[] =>
  nodes(plan).flatMap((node) =>
    REPEATED.has(node['Node Type']) && (node['Actual Loops'] ?? 1) > 50
      ? [`${node['Node Type']} ${node['Actual Loops']} times`]
      : [],
  );
