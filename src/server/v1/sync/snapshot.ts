import { snapshot } from '../../../shared/contract/sync.ts';
import { readRoute } from '../../route.ts';
import { seesKeys } from '../evidence/key-ids.ts';

export const snapshotRoute = readRoute(
  snapshot,
  async ({ actor, role, params, query, witness, reader, deps }) => {
    const { profile_uid, profile_version, after } = query;
    const { n, text } = await reader.log.snapshot(
      actor.account_id,
      { case_uid: params.caseUid, profile_uid, profile_version, after },
      witness,
      seesKeys(role),
    );
    return {
      status: 200,
      value: { n, sha256: deps.hasher.sha256Hex(text), chunk: text },
      counted: { resource: params.caseUid },
    };
  },
);
