import * as runs from '../../shared/contract/v1/runs.ts';
import type { RunRecord } from '../../shared/domain/run.ts';
import { ApiError } from '../context/errors.ts';
import { toPage } from '../http/page.ts';
import { type Route, readRoute, writeRoute } from '../http/route.ts';
import { missingRun } from './missing-run.ts';
import { seesKeys, senderShownTo } from './shown-keys.ts';

/** A run whose content was frozen or hashed just now, as lists show it. */
function entryOf({ frozen: _, recorders: __, result, ...record }: RunRecord): runs.RunEntry {
  const { items: ___, ...figures } = result;
  return { ...record, result: figures, reproduced: true };
}

export const runsRoutes: readonly Route[] = [
  /**
   * `If-Match` names the evidence that was reviewed, `If-None-Match: *` asks that the run is new.
   */
  writeRoute(runs.createRun, async ({ actor, body, precondition, prefersMinimal, writer }) => {
    const { json, record, created } = await writer.runWrites.create(actor, body, precondition);
    if (precondition === 'absent' && !created) throw new ApiError('precondition_failed');
    if (created)
      writer.audit.add({
        action: 'run.created',
        object: record.run_uid,
        detail: { case_uid: record.case_uid, content_hash: record.content_hash },
      });
    return {
      status: created ? 201 : 200,
      json: prefersMinimal ? JSON.stringify(entryOf(record)) : json,
      minimal: prefersMinimal,
      etag: `"${record.content_hash}"`,
      ...(created && { location: `/api/v1/runs/${encodeURIComponent(record.run_uid)}` }),
      counted: { resource: record.run_uid, runs: created ? 1 : 0 },
    };
  }),

  readRoute(runs.getRunRecorders, async ({ actor, role, params, query, reader }) => {
    const found = await reader.runs.recorders(
      actor.account_id,
      params.runUid,
      query.content_hash,
      seesKeys(role),
    );
    if (found === undefined) throw await missingRun(reader, actor.account_id, params.runUid);
    return { status: 200, value: found, counted: { resource: params.runUid } };
  }),

  readRoute(runs.getRun, async ({ actor, role, params, query, reader }) => {
    const found = await reader.runs.get(
      actor.account_id,
      params.runUid,
      query.content_hash,
      seesKeys(role),
    );
    if (found === undefined) throw await missingRun(reader, actor.account_id, params.runUid);
    return {
      status: 200,
      json: found.json,
      etag: `"${found.record.content_hash}"`,
      counted: { resource: params.runUid },
    };
  }),

  readRoute(runs.listRuns, async ({ actor, role, query, reader }) => {
    const { case_uid, project_id, profile_uid, order, state } = query;
    const { data, next_cursor } = await reader.runs.list(
      actor.account_id,
      { case_uid, project_id, profile_uid, order, state },
      toPage(query),
    );
    return {
      status: 200,
      value: {
        data: data.map(({ sent_by, ...run }) => ({
          ...run,
          ...(sent_by && { sent_by: senderShownTo(role, sent_by) }),
        })),
        next_cursor,
      },
    };
  }),
];
