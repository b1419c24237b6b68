import type { AccountId, ProfileUid, ProjectId } from '../../../shared/contract/ids.ts';
import type { ReadContext } from '../db/context.ts';

/**
 * The registers of the profiles that the cases of these projects and their runs need: every
 * document of each version, which of them it is, and whether the profile is retired.
 */
export async function neededProfiles(
  ctx: ReadContext,
  account: AccountId,
  projects: readonly ProjectId[],
): Promise<string[]> {
  if (projects.length === 0) return [];
  const { session } = ctx;
  const { db, list } = session;
  const used = [
    await db
      .selectFrom('matrices')
      .innerJoin('cases', (join) =>
        join
          .onRef('cases.account', '=', 'matrices.account')
          .onRef('cases.case_pk', '=', 'matrices.case_pk'),
      )
      .select(['matrices.profile_uid', 'matrices.profile_version'])
      .distinct()
      .where('matrices.account', '=', session.numberOf(account))
      .where(session.inList('cases.project_id', projects))
      .execute(),
    await db
      .selectFrom('cases')
      .select(['profile_uid', 'profile_version'])
      .distinct()
      .where('account', '=', session.numberOf(account))
      .where(session.inList('project_id', projects))
      .where('profile_uid', 'is not', null)
      .execute(),
    await db
      .selectFrom('runs')
      .select(['profile_uid', 'profile_version'])
      .distinct()
      .where('account', '=', session.numberOf(account))
      .where('project_id', 'in', list(projects))
      .execute(),
  ];
  return [
    ...new Set(
      used
        .flat()
        .flatMap(({ profile_uid, profile_version }) => [
          ...['profile', 'version'].map((kind) => `${kind}/${profile_uid}@${profile_version}`),
          `retired/${profile_uid}`,
        ]),
    ),
  ];
}

/** The documents that cases of these projects name and that are not here. */
export async function missingDocuments(
  ctx: ReadContext,
  account: AccountId,
  projects: readonly ProjectId[],
): Promise<{ profile_uid: ProfileUid; version: string; digest: string }[]> {
  if (projects.length === 0) return [];
  const rows = await ctx.session.db
    .selectFrom('matrices')
    .innerJoin('cases', (join) =>
      join
        .onRef('cases.account', '=', 'matrices.account')
        .onRef('cases.case_pk', '=', 'matrices.case_pk'),
    )
    .select(['matrices.profile_uid', 'matrices.profile_version as version', 'matrices.digest'])
    .distinct()
    .where('matrices.account', '=', ctx.session.numberOf(account))
    .where(ctx.session.inList('cases.project_id', projects))
    .where('matrices.named', '=', 1)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('profiles')
            .select('profile_pk')
            .whereRef('profiles.digest', '=', 'matrices.digest')
            .whereRef('profiles.profile_uid', '=', 'matrices.profile_uid')
            .where(({ or, eb }) =>
              or([
                eb('profiles.account_id', '=', account),
                eb('profiles.account_id', 'is', null),
                eb('profiles.published', '=', 1),
              ]),
            ),
        ),
      ),
    )
    .execute();
  return rows.map(({ profile_uid, version, digest }) => ({
    profile_uid,
    version,
    digest: digest ?? '',
  }));
}
