import type { ProfileUid } from '../../../../shared/contract/ids.ts';
import { z } from 'zod';
import { readStored, writeStored } from '../../../state/stored.ts';
import type { Mapping, ColumnRole } from './mapping.ts';
import type { Meaning, Polarity } from './values.ts';
import type { ValueChoices } from './wizard-state.ts';

const KEY = 'evidence-studio.import-columns';
const KEPT = 20;
/** More different values are rarely outcomes, and storage is small. */
const MOST_VALUES = 500;
const LONGEST = 200;

const PLAIN_ROLES =
  'ignore|item_uid|label|item_type|rule_uid|outcome|source_value|notes|provenance|guard';
const ROLE = new RegExp(`^(?:${PLAIN_ROLES}|metadata:[^]+|rule:[a-z][a-z0-9_]{2,63})$`);

const RoleText = z.templateLiteral([z.string()]).refine((text) => ROLE.test(text));
const Column = z.int().min(0).max(20_000);
const Kept = z.array(
  z.strictObject({
    headers: z.string(),
    form: z.enum(['wide', 'long']),
    roles: z.array(RoleText),
    polarities: z.array(z.tuple([Column, z.enum(['evidence', 'problem'])])),
    /** Column, kind and text of the value, what it maps to. */
    values: z.array(
      z.tuple([Column, z.string(), z.enum(['TRUE', 'FALSE', 'NA', 'unrecorded', 'skip'])]),
    ),
  }),
);

/**
 * Two files have the same columns where their headings are the same, in the same order, under the
 * same profile.
 */
const signature = (headers: readonly string[], profileUid: ProfileUid): string =>
  JSON.stringify([profileUid, ...headers]);

const load = (): z.infer<typeof Kept> => readStored(KEY, Kept) ?? [];

export type RememberedShape = { mapping: Mapping } & ValueChoices;

/**
 * How columns with these headings, and their values, were used the last time. `isKnown` says
 * whether a rule is still in the profile.
 */
export function recallShape(
  headers: readonly string[],
  profileUid: ProfileUid,
  isKnown: (rule: string) => boolean,
): RememberedShape | undefined {
  const kept = load().find((entry) => entry.headers === signature(headers, profileUid));
  if (kept === undefined || kept.roles.length !== headers.length) return undefined;
  const roles = kept.roles.map(
    (role) => (role.startsWith('rule:') && !isKnown(role.slice(5)) ? 'ignore' : role) as ColumnRole,
  );
  const chosen = new Map<number, Map<string, Meaning>>();
  for (const [column, value, meaning] of kept.values)
    chosen.set(column, (chosen.get(column) ?? new Map<string, Meaning>()).set(value, meaning));
  return {
    mapping: { form: kept.form, roles },
    polarities: new Map<number, Polarity>(kept.polarities),
    chosen,
  };
}

export function rememberShape(
  headers: readonly string[],
  profileUid: ProfileUid,
  { mapping: { form, roles }, polarities, chosen }: RememberedShape,
): void {
  const own = signature(headers, profileUid);
  const values = [...chosen].flatMap(([column, meanings]) =>
    [...meanings]
      .filter(([value]) => value.length <= LONGEST)
      .map(([value, meaning]) => [column, value, meaning] as const),
  );
  const entry = {
    ...{ headers: own, form, roles },
    polarities: [...polarities],
    values: values.slice(0, MOST_VALUES),
  };
  const others = load().filter(({ headers: known }) => known !== own);
  writeStored(KEY, [entry, ...others].slice(0, KEPT));
}
