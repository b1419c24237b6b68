import { getHistory } from '../../../shared/contract/v1/evidence.ts';
import { toPage } from '../../http/page.ts';
import { readRoute } from '../../route.ts';
import { shownTo } from './key-ids.ts';

export const getHistoryRoute = readRoute(
  getHistory,
  async ({ actor, role, params, query, reader }) => {
    const { profile_uid, profile_version, item_uid, rule_uid } = query;
    const { data, next_cursor } = await reader.evidence.history(
      actor.account_id,
      { case_uid: params.caseUid, profile_uid, profile_version, item_uid, rule_uid },
      toPage(query),
    );
    return {
      status: 200,
      value: { data: data.map((step) => shownTo(role, step)), next_cursor },
      counted: { resource: params.caseUid },
    };
  },
);
