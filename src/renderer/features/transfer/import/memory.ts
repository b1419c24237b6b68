import type { ProfileUid } from '../../../../shared/contract/ids.ts';
import { z } from 'zod';
import { readStored, writeStored } from '../../../state/stored.ts';
import type { Mapping, ColumnRole } from './mapping.ts';

const KEY = 'evidence-studio.import-columns';
const KEPT = 20;

const PLAIN_ROLES =
  'ignore|item_uid|label|item_type|rule_uid|outcome|source_value|notes|provenance|guard';
const ROLE = new RegExp(`^(?:${PLAIN_ROLES}|metadata:[^]+|rule:[a-z][a-z0-9_]{2,63})$`);

const RoleText = z.templateLiteral([z.string()]).refine((text) => ROLE.test(text));
const Kept = z.array(
  z.strictObject({ headers: z.string(), form: z.enum(['wide', 'long']), roles: z.array(RoleText) }),
);

/**
 * Two files have the same columns where their headings are the same, in the same order, under the
 * same profile.
 */
const signature = (headers: readonly string[], profileUid: ProfileUid): string =>
  JSON.stringify([profileUid, ...headers]);

const load = (): z.infer<typeof Kept> => readStored(KEY, Kept) ?? [];

/**
 * How columns with these headings were used the last time. `isKnown` says whether a rule is still
 * in the profile.
 */
export function recallMapping(
  headers: readonly string[],
  profileUid: ProfileUid,
  isKnown: (rule: string) => boolean,
): Mapping | undefined {
  const kept = load().find((entry) => entry.headers === signature(headers, profileUid));
  if (kept === undefined || kept.roles.length !== headers.length) return undefined;
  const roles = kept.roles.map(
    (role) => (role.startsWith('rule:') && !isKnown(role.slice(5)) ? 'ignore' : role) as ColumnRole,
  );
  return { form: kept.form, roles };
}

export function rememberMapping(
  headers: readonly string[],
  profileUid: ProfileUid,
  { form, roles }: Mapping,
): void {
  const own = signature(headers, profileUid);
  writeStored(
    KEY,
    [{ headers: own, form, roles }, ...load().filter((entry) => entry.headers !== own)].slice(
      0,
      KEPT,
    ),
  );
}
