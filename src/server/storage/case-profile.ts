import type { ReadContext } from './context.ts';
import { needCase, type StoredCase } from './cases.ts';
import { StoreError } from './port.ts';
import { compareVersions } from '../../shared/domain/version.ts';
import type { MatrixQuery } from './matrix-query.ts';
import { chooseVersion, resolveProfile, visibleVersions } from './profiles.ts';
import { together } from './session.ts';
import type { StoredProfile } from './stored-profile.ts';

const NO_PROFILE = 'There is no such profile.';

/** The profile that a request on a case means: the version it names, else the one the case uses, else the newest. Throws not_found. */
export async function profileForCase(ctx: ReadContext, account: string, stored: StoredCase, profileUid: string, version: string | undefined): Promise<StoredProfile> {
  const found = await resolveProfile(ctx, account, profileUid, version ?? (await versionInUse(ctx, stored, profileUid)));
  if (found === undefined) throw new StoreError('not_found', NO_PROFILE);
  return found;
}

/** A case and that profile, both asked for at once. */
export async function caseAndProfile(ctx: ReadContext, account: string, asked: MatrixQuery): Promise<{ stored: StoredCase; profile: StoredProfile }> {
  const { case_uid, profile_uid, profile_version } = asked;
  const [stored, versions] = await together(needCase(ctx, account, case_uid), visibleVersions(ctx, account, profile_uid, profile_version));
  const profile = await chooseVersion(ctx, account, versions, profile_version ?? (await versionInUse(ctx, stored, profile_uid)));
  if (profile === undefined) throw new StoreError('not_found', NO_PROFILE);
  return { stored, profile };
}

async function versionInUse(ctx: ReadContext, { pk, record }: StoredCase, profileUid: string): Promise<string | undefined> {
  if (record.profile_uid === profileUid) return record.profile_version ?? undefined;
  const rows = await ctx.session.db.selectFrom('matrices').select('profile_version').where('case_pk', '=', pk).where('profile_uid', '=', profileUid).execute();
  return rows.map((row) => row.profile_version).sort(compareVersions).at(-1);
}
