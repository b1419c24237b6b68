import * as discussion from '../../shared/contract/v1/discussion.ts';
import { toPage } from '../http/page.ts';
import { type Route, readRoute, writeRoute } from '../http/route.ts';
import { sentByShownTo } from './shown-keys.ts';

export const discussionRoutes: readonly Route[] = [
  readRoute(discussion.listThreads, async ({ actor, params, query, reader }) => {
    const { limit: _, cursor: __, ...filter } = query;
    return {
      status: 200,
      value: await reader.discussion.list(actor.account_id, params.caseUid, filter, toPage(query)),
    };
  }),

  readRoute(discussion.getThread, async ({ actor, role, params, query, reader }) => {
    const thread = await reader.discussion.get(
      actor.account_id,
      params.caseUid,
      params.threadId,
      toPage(query),
    );
    const entries = thread.entries.map((line) => sentByShownTo(role, line));
    return { status: 200, value: { ...thread, entries } };
  }),

  readRoute(discussion.listAssignments, async ({ actor, params, query, reader }) => ({
    status: 200,
    value: await reader.discussion.assignments(
      actor.account_id,
      params.caseUid,
      query.assigned_to,
      toPage(query),
    ),
  })),

  readRoute(discussion.listWaiting, async ({ actor, reader }) => ({
    status: 200,
    value: { data: await reader.discussion.waiting(actor.account_id) },
  })),

  writeRoute(discussion.openThread, async ({ actor, params, body, writer }) => {
    const value = await writer.discussionWrites.open(actor, params.caseUid, body);
    const location = `/api/v1/cases/${encodeURIComponent(params.caseUid)}/threads/${value.thread_id}`;
    return { status: 201, value, location, counted: { resource: params.caseUid } };
  }),

  writeRoute(discussion.addToThread, async ({ actor, params, body, writer }) => ({
    status: 200,
    value: await writer.discussionWrites.add(actor, params.caseUid, params.threadId, body),
    counted: { resource: params.caseUid },
  })),

  writeRoute(discussion.assignPlaces, async ({ actor, params, body, writer }) => ({
    status: 200,
    value: await writer.discussionWrites.assign(actor, params.caseUid, body),
    counted: { resource: params.caseUid },
  })),
];
