import * as contested from '../../shared/contract/v1/contested.ts';
import { toPage } from '../http/page.ts';
import { type Route, readRoute, writeRoute } from '../http/route.ts';
import { shownTo } from './shown-keys.ts';

export const contestedRoutes: readonly Route[] = [
  readRoute(contested.listContested, async ({ actor, role, params, query, reader }) => {
    const { profile_uid, profile_version } = query;
    const { data, next_cursor } = await reader.evidence.contested(
      actor.account_id,
      { case_uid: params.caseUid, profile_uid, profile_version },
      toPage(query),
    );
    return {
      status: 200,
      value: {
        data: data.map((one) => ({ ...one, heads: one.heads.map((head) => shownTo(role, head)) })),
        next_cursor,
      },
      counted: { resource: params.caseUid },
    };
  }),

  readRoute(contested.listWriters, async ({ actor, role, params, body, reader }) => ({
    status: 200,
    value: {
      writers: (await reader.evidence.writers(actor.account_id, params.caseUid, body.entries)).map(
        (writer) => shownTo(role, writer),
      ),
    },
    counted: { resource: params.caseUid },
  })),

  readRoute(contested.listContestedFields, async ({ actor, role, params, reader }) => ({
    status: 200,
    value: {
      fields: (await reader.cases.contestedFields(actor.account_id, params.caseUid)).map(
        (field) => ({ ...field, heads: field.heads.map((head) => shownTo(role, head)) }),
      ),
    },
    counted: { resource: params.caseUid },
  })),

  writeRoute(contested.settleField, async ({ actor, params, body, writer }) => ({
    status: 200,
    value: await writer.caseWrites.settle(actor, params.caseUid, body),
    counted: { resource: params.caseUid },
  })),
];
