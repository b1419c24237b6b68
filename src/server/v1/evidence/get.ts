import { getEvidence } from '../../../shared/contract/v1/evidence.ts';
import { toPage } from '../../http/page.ts';
import { readRoute } from '../../route.ts';
import { seesKeys } from './key-ids.ts';

export const getEvidenceRoute = readRoute(
  getEvidence,
  async ({ actor, role, params, query, reader }) => {
    const { profile_uid, profile_version, recorded_by_kind: kind, recorded_by_name: name } = query;
    const recorded_by =
      kind === undefined && name === undefined ? {} : { recorded_by: { kind, name } };
    const page = await reader.evidence.page(
      actor.account_id,
      { case_uid: params.caseUid, profile_uid, profile_version, ...recorded_by },
      toPage(query),
      seesKeys(role),
    );
    return {
      status: 200,
      json: page.json,
      etag: `"${page.etag}"`,
      counted: { resource: params.caseUid },
    };
  },
);
