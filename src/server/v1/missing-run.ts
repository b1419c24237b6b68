import type { AccountId, RunUid } from '../../shared/contract/ids.ts';
import { ApiError } from '../context/errors.ts';
import type { Reader } from '../storage/repositories.ts';

/** Why a run cannot be read: there is none of that name, or its content is still on its way. */
export async function missingRun(
  reader: Reader,
  account: AccountId,
  run_uid: RunUid,
): Promise<ApiError> {
  const awaited = await reader.runs.awaited(account, { run_uid });
  return new ApiError(awaited.length > 0 ? 'not_here_yet' : 'not_found');
}
