import { snapshot } from '../../../shared/contract/sync.ts';
import { readRoute } from '../../route.ts';

export const snapshotRoute = readRoute(snapshot, async ({ actor, params, query, witness, reader }) => {
  const { profile_uid, profile_version, after } = query;
  return { status: 200, json: await reader.log.snapshot(actor.account_id, { case_uid: params.caseUid, profile_uid, profile_version, after }, witness), counted: { resource: params.caseUid } };
});
