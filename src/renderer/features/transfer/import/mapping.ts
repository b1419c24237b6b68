import type { ProfileRule } from '../../../../shared/domain/profile.ts';
import { GUARD_HEADER } from '../../../files/sheet.ts';
import { columnName } from '../../../files/table.ts';
import { METADATA } from '../metadata-text.ts';

/** One row an item, or one row a cell. */
export type FileLayout = 'wide' | 'long';

/**
 * What a column of the file is for, as a word: `rule:<uid>` and `metadata:<key>` carry what they
 * name.
 */
export type ColumnRole =
  | 'ignore'
  | 'item_uid'
  | 'label'
  | 'item_type'
  | 'rule_uid'
  | 'outcome'
  | 'source_value'
  | 'notes'
  | 'provenance'
  | 'guard'
  | `metadata:${string}`
  | `rule:${string}`;

export interface Mapping {
  form: FileLayout;
  /** Of each column of the file. */
  roles: readonly ColumnRole[];
}

export const ITEM_ROLES = ['item_uid', 'label', 'item_type'] as const;
export const CELL_ROLES = ['rule_uid', 'outcome', 'source_value', 'notes', 'provenance'] as const;
type Named = (typeof ITEM_ROLES)[number] | (typeof CELL_ROLES)[number];

export const ROLE_WORDS: Record<'ignore' | 'guard' | Named, string> = {
  ignore: 'Ignore',
  guard: 'Mark of added apostrophes',
  item_uid: 'Item: ID',
  label: 'Item: label',
  item_type: 'Item: type',
  rule_uid: 'Cell: rule, by ID or name',
  outcome: 'Cell: outcome',
  source_value: 'Cell: reported value',
  notes: 'Cell: notes',
  provenance: 'Cell: provenance',
};

type Rules = readonly Pick<ProfileRule, 'ruleUid' | 'name'>[];

export interface RoleOption {
  value: ColumnRole;
  label: string;
  detail?: string;
}

/** What a column may be used for. */
export function roleOptions(header: string, form: FileLayout, rules: Rules): RoleOption[] {
  const named = (role: keyof typeof ROLE_WORDS): RoleOption => ({
    value: role,
    label: ROLE_WORDS[role],
  });
  const key = header.startsWith(METADATA) ? header.slice(METADATA.length) : header.trim();
  return [
    named('ignore'),
    ...ITEM_ROLES.map(named),
    ...(key === '' ? [] : [{ value: `metadata:${key}` as const, label: `Item: field “${key}”` }]),
    ...(form === 'long'
      ? CELL_ROLES.map(named)
      : rules.map(({ ruleUid, name }): RoleOption => ({
          value: `rule:${ruleUid}`,
          label: `Rule: ${name}`,
          detail: ruleUid,
        }))),
    ...(header.trim().toLowerCase() === GUARD_HEADER ? [named('guard')] : []),
  ];
}

/** Why columns cannot be used so, naming them; empty when they can. */
export function mappingProblems({ form, roles }: Mapping, headers: readonly string[]): string[] {
  const problems: string[] = [];
  const columns = new Map<ColumnRole, number[]>();
  for (const [index, role] of roles.entries())
    columns.set(role, [...(columns.get(role) ?? []), index]);
  const title = (index: number): string =>
    `${columnName(index)} (${headers[index] === '' ? 'no heading' : headers[index]})`;
  for (const [role, used] of columns) {
    if (role !== 'ignore' && used.length > 1)
      problems.push(
        `Columns ${used.map(title).join(' and ')} are used for the same: ${roleLabel(role)}. Choose one.`,
      );
  }
  if (!columns.has('item_uid')) problems.push('No column is used as the item’s ID.');
  const cells =
    form === 'long'
      ? (['outcome', 'source_value', 'notes', 'provenance'] as const).some((role) =>
          columns.has(role),
        )
      : true;
  if (form === 'long' && !columns.has('rule_uid')) problems.push('No column names the rule.');
  if (!cells) problems.push('No column holds an outcome, a reported value, notes or a provenance.');
  return problems;
}

export function roleLabel(role: ColumnRole): string {
  if (role.startsWith('rule:')) return `rule ${role.slice(5)}`;
  if (role.startsWith(METADATA)) return `field “${role.slice(METADATA.length)}”`;
  return ROLE_WORDS[role as keyof typeof ROLE_WORDS];
}
