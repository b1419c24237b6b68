import type { ReadContext } from './context.ts';
import type { StoredCase } from './cases.ts';
import { StoreError } from './port.ts';
import { compareVersions } from '../../shared/domain/version.ts';
import { resolveProfile } from './profiles.ts';
import type { StoredProfile } from './stored-profile.ts';

/** The profile that a request on a case means: the version it names, else the one the case uses, else the newest. Throws not_found. */
export async function profileForCase(ctx: ReadContext, account: string, stored: StoredCase, profileUid: string, version: string | undefined): Promise<StoredProfile> {
  const found = await resolveProfile(ctx, account, profileUid, version ?? (await versionInUse(ctx, stored, profileUid)));
  if (found === undefined) throw new StoreError('not_found', 'There is no such profile.');
  return found;
}

async function versionInUse(ctx: ReadContext, { pk, record }: StoredCase, profileUid: string): Promise<string | undefined> {
  if (record.profile_uid === profileUid) return record.profile_version ?? undefined;
  const rows = await ctx.session.db.selectFrom('matrices').select('profile_version').where('case_pk', '=', pk).where('profile_uid', '=', profileUid).execute();
  return rows.map((row) => row.profile_version).sort(compareVersions).at(-1);
}
