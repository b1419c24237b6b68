import { type AccountId, StreamName } from '../../../shared/contract/ids.ts';
import { isCaseStream, layerOf, projectOf } from '../../../sync/register.ts';
import { CaseApplier } from './case-applier.ts';
import { CaseView } from './case-view.ts';
import { findAnyCase, makeCase, type StoredCase } from './cases.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import type { Stream } from '../log/change-log.ts';
import type { LogView } from '../log/log-view.ts';
import { ProfileView } from './profile-view.ts';
import { ProjectView } from './project-view.ts';
import { LayerView } from '../rounds/layer-view.ts';
import { StoreError } from '../db/errors.ts';

/** The case of this log, also where it is deleted. Logs of projects and profiles have none. */
export async function caseOf(
  ctx: ReadContext,
  account: AccountId,
  name: StreamName,
): Promise<StoredCase | undefined> {
  return isCaseStream(name) ? findAnyCase(ctx, account, name) : undefined;
}

/**
 * Opens the tables behind a log, and creates the record where there is none: its names and titles
 * come with the changes, in whatever order those arrive.
 */
export async function openView(
  ctx: WriteContext,
  stream: Stream,
  found: StoredCase | undefined,
): Promise<LogView> {
  if (!StreamName.safeParse(stream.name).success)
    throw new StoreError('validation_failed', 'No log has such a name.');
  const { name } = stream;
  if (isCaseStream(name)) {
    const stored = found ?? (await makeCase(ctx, stream, name));
    return new CaseApplier(ctx, new CaseView(ctx, stream, stored));
  }
  if (layerOf(name) !== undefined) return new LayerView(ctx, stream);
  const project = projectOf(name);
  return project === undefined
    ? new ProfileView(ctx, stream)
    : new ProjectView(ctx, stream, project);
}
