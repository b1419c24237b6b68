import type { AccountId, ProjectId, StreamName } from '../../../shared/contract/ids.ts';
import { type Act, denialOf } from '../../../shared/contract/rights.ts';
import type { ErrorDetail } from '../../../shared/contract/errors.ts';
import { isCaseStream, layerOf, PROFILE_STREAM, projectOf } from '../../../sync/register.ts';
import { isGiven } from '../rounds/layer-access.ts';
import type { ReadContext } from './context.ts';
import { StoreError } from './errors.ts';

/**
 * Throws where the caller's credentials do not allow it. What the server does by itself has no
 * caller.
 */
export function permit(
  { credential }: Pick<ReadContext, 'credential'>,
  act: Act,
  details: readonly ErrorDetail[] = [],
  message = '',
): void {
  const denial = credential === undefined ? undefined : denialOf(credential, act);
  if (denial === undefined) return;
  throw new StoreError(
    denial,
    act.do === 'remove'
      ? 'Removing, and bringing back what was removed, needs a key with the scope "delete". Nothing was stored.'
      : message,
    details,
  );
}

/** The projects that a read is limited to; undefined for all. */
export const limitOf = ({
  credential,
}: Pick<ReadContext, 'credential'>): readonly ProjectId[] | undefined =>
  credential?.projects ?? undefined;

/**
 * Throws not_found, as for what does not exist, where the caller's key is limited to other projects
 * than this one.
 */
export const reach = (
  ctx: Pick<ReadContext, 'credential'>,
  project: ProjectId | null,
  message: string,
): void => permit(ctx, { do: 'reach', project }, [], message);

export const NO_LOG = 'There is no such log.';

/**
 * Whether a log is given to the caller, and in the reach of their key. Profiles are everybody's; a
 * case that does not exist yet is judged when it does.
 */
export async function isInReach(
  ctx: ReadContext,
  account: AccountId,
  name: StreamName,
): Promise<boolean> {
  const layer = layerOf(name);
  if (layer !== undefined)
    return (await isInReach(ctx, account, layer.case)) && (await isGiven(ctx, account, layer));
  const limit = limitOf(ctx);
  if (limit === undefined || name === PROFILE_STREAM) return true;
  const project = projectOf(name);
  if (project !== undefined) return limit.includes(project);
  if (!isCaseStream(name)) return true;
  const row = await ctx.session.db
    .selectFrom('cases')
    .select('project_id')
    .where('account', '=', ctx.session.numberOf(account))
    .where('case_uid', '=', name)
    .executeTakeFirst();
  return row === undefined || limit.includes(row.project_id);
}

/** Throws not_found where it does not. */
export async function reachLog(
  ctx: ReadContext,
  account: AccountId,
  name: StreamName,
): Promise<void> {
  if (!(await isInReach(ctx, account, name))) throw new StoreError('not_found', NO_LOG);
}
