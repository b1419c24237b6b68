import * as suggestions from '../../shared/contract/v1/suggestions.ts';
import * as toJudge from '../../shared/contract/v1/to-judge.ts';
import { toPage } from '../http/page.ts';
import { readRoute, type Route, writeRoute } from '../http/route.ts';
import { seesKeys } from './shown-keys.ts';

export const suggestionRoutes: readonly Route[] = [
  readRoute(suggestions.listSuggestions, async ({ actor, role, params, query, reader }) => {
    const { profile_uid, profile_version, state, limit: _, cursor: __, ...filter } = query;
    return {
      status: 200,
      value: await reader.suggestions.list(
        actor.account_id,
        { case_uid: params.caseUid, profile_uid, profile_version, filter, state },
        toPage(query),
        seesKeys(role),
      ),
      counted: { resource: params.caseUid },
    };
  }),

  readRoute(toJudge.listToJudge, async ({ actor, role, params, query, reader }) => {
    const { profile_uid, profile_version, after } = query;
    const value = await reader.suggestions.toJudge(
      actor,
      {
        case_uid: params.caseUid,
        profile_uid,
        profile_version,
        after: after === undefined ? undefined : Number(after),
      },
      toPage(query),
      seesKeys(role),
    );
    const { cells, stale, decided } = value;
    return {
      status: 200,
      value,
      watched: { after: value.after, isEmpty: cells.length + stale.length + decided.length === 0 },
      counted: { resource: params.caseUid },
    };
  }),

  writeRoute(
    suggestions.suggestOutcomes,
    async ({ actor, params, body, prefersMinimal: minimal, writer }) => {
      const receipt = await writer.suggestionWrites.suggest(actor, params.caseUid, body);
      const skipped = receipt.suggestions.filter(({ status }) => status === 'skipped');
      return {
        status: 200,
        value: minimal ? { ...receipt, suggestions: skipped } : receipt,
        minimal,
        counted: { resource: params.caseUid },
      };
    },
  ),

  writeRoute(suggestions.decideSuggestions, async ({ actor, params, body, writer }) => {
    const value = await writer.suggestionWrites.decide(actor, params.caseUid, body);
    const accepted = value.decisions.filter(
      ({ status, state }) => status === 'decided' && state === 'accepted',
    ).length;
    return {
      status: 200,
      value,
      counted: { resource: params.caseUid, cells_written: accepted },
    };
  }),

  writeRoute(suggestions.setCasePolicy, async ({ actor, params, body, writer }) => {
    const { requires_source, reason = null } = body;
    if (await writer.suggestionWrites.setPolicy(actor, params.caseUid, body))
      writer.audit.add({
        action: 'case.policy_set',
        object: params.caseUid,
        detail: { requires_source, reason },
      });
    return {
      status: 200,
      value: { case_uid: params.caseUid, requires_source },
      counted: { resource: params.caseUid },
    };
  }),
];
