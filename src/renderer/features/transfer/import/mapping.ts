import type { ProfileRule } from '../../../../shared/domain/profile.ts';
import { GUARD_HEADER } from '../../../files/sheet.ts';
import { columnName } from '../../../files/table.ts';
import { METADATA } from '../metadata-text.ts';
import { locale, t } from '../../../text/t.ts';

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
  ignore: t('Ignore'),
  guard: t('Mark of added apostrophes'),
  item_uid: t('Item: ID'),
  label: t('Item: label'),
  item_type: t('Item: type'),
  rule_uid: t('Cell: rule, by ID or name'),
  outcome: t('Cell: outcome'),
  source_value: t('Cell: reported value'),
  notes: t('Cell: notes'),
  provenance: t('Cell: provenance'),
};

/** In each of up to 500 options of each column, so it is no message with a value. */
const RULE = t('Rule');

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
    ...(key === ''
      ? []
      : [{ value: `metadata:${key}` as const, label: t('Item: field “{key}”', { key }) }]),
    ...(form === 'long'
      ? CELL_ROLES.map(named)
      : rules.map(({ ruleUid, name }): RoleOption => ({
          value: `rule:${ruleUid}`,
          label: `${RULE}: ${name}`,
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
    `${columnName(index)} (${headers[index] === '' ? t('no heading') : headers[index]})`;
  for (const [role, used] of columns) {
    if (role !== 'ignore' && used.length > 1)
      problems.push(
        t('Columns {columns} are used for the same: {role}. Choose one.', {
          columns: new Intl.ListFormat(locale()).format(used.map(title)),
          role: roleLabel(role),
        }),
      );
  }
  if (!columns.has('item_uid')) problems.push(t('No column is used as the item’s ID.'));
  const cells =
    form === 'long'
      ? (['outcome', 'source_value', 'notes', 'provenance'] as const).some((role) =>
          columns.has(role),
        )
      : true;
  if (form === 'long' && !columns.has('rule_uid')) problems.push(t('No column names the rule.'));
  if (!cells)
    problems.push(t('No column holds an outcome, a reported value, notes or a provenance.'));
  return problems;
}

export function roleLabel(role: ColumnRole): string {
  if (role.startsWith('rule:')) return t('rule {rule}', { rule: role.slice(5) });
  if (role.startsWith(METADATA))
    return t('field “{field}”', { field: role.slice(METADATA.length) });
  return ROLE_WORDS[role as keyof typeof ROLE_WORDS];
}
