import * as housekeeping from '../../shared/contract/v1/housekeeping.ts';
import type { AuditAction } from '../../shared/contract/v1/audit.ts';
import type { AuditEntry } from '../storage/db/audit-entry.ts';
import { versionTag } from '../http/preconditions.ts';
import { type Route, writeRoute } from '../http/route.ts';

/** What the audit trail calls the way from one state to another. */
function actionOf(
  kind: 'project' | 'case',
  before: housekeeping.RecordState,
  state: housekeeping.RecordState,
): AuditAction {
  if (state === 'deleted') return `${kind}.deleted`;
  if (before === 'deleted') return `${kind}.restored`;
  return state === 'archived' ? `${kind}.archived` : `${kind}.unarchived`;
}

const because = (reason: string | undefined): { reason: string | null } => ({
  reason: reason ?? null,
});

interface Changed {
  before: housekeeping.RecordState;
  state: housekeeping.RecordState;
  version: number;
}

/** Notes in the audit trail that a record has come into another state, and answers it. */
function answerState<T extends Changed>(
  audit: { add(entry: AuditEntry): void },
  kind: 'project' | 'case',
  object: string,
  value: T,
  reason: string | undefined,
) {
  if (value.before !== value.state)
    audit.add({
      action: actionOf(kind, value.before, value.state),
      object,
      detail: because(reason),
    });
  return {
    status: 200 as const,
    value,
    etag: versionTag(value.version),
    counted: { resource: object },
  };
}

export const housekeepingRoutes: readonly Route[] = [
  writeRoute(
    housekeeping.setProjectState,
    async ({ actor, params, body, precondition, writer }) => {
      const value = await writer.projectWrites.setState(
        actor,
        params.projectId,
        body,
        precondition,
      );
      return answerState(writer.audit, 'project', params.projectId, value, body.reason);
    },
  ),

  writeRoute(housekeeping.setCaseState, async ({ actor, params, body, precondition, writer }) => {
    const value = await writer.caseWrites.setState(actor, params.caseUid, body, precondition);
    return answerState(writer.audit, 'case', params.caseUid, value, body.reason);
  }),

  writeRoute(housekeeping.duplicateCase, async ({ actor, params, body, writer }) => {
    const value = await writer.evidenceWrites.duplicate(actor, params.caseUid, body);
    const { case: made, items, outcomes, recorded_by } = value;
    writer.audit.add({
      action: 'case.duplicated',
      object: made.case_uid,
      detail: {
        from: params.caseUid,
        copied: body.copy,
        items,
        outcomes,
        recorded_by: recorded_by.map(({ name }) => name),
        ...because(body.reason),
      },
    });
    return {
      status: 201,
      value,
      location: `/api/v1/cases/${encodeURIComponent(made.case_uid)}`,
      counted: { resource: made.case_uid, cells_written: outcomes },
    };
  }),

  writeRoute(housekeeping.setItemsState, async ({ actor, params, body, writer }) => {
    const value = await writer.evidenceWrites.setItemsState(actor, params.caseUid, body);
    if (value.changed > 0)
      writer.audit.add({
        action: body.state === 'deleted' ? 'items.deleted' : 'items.restored',
        object: params.caseUid,
        detail: { items: value.changed, ...because(body.reason) },
      });
    return { status: 200, value, counted: { resource: params.caseUid } };
  }),

  writeRoute(housekeeping.setRunState, async ({ actor, params, body, writer }) => {
    if (await writer.runWrites.setState(actor, params.runUid, body))
      writer.audit.add({
        action: body.state === 'hidden' ? 'run.hidden' : 'run.shown',
        object: params.runUid,
        detail: because(body.reason),
      });
    return {
      status: 200,
      value: { run_uid: params.runUid, state: body.state },
      counted: { resource: params.runUid },
    };
  }),

  writeRoute(housekeeping.setProfileState, async ({ actor, params, body, writer }) => {
    if (await writer.profileWrites.setState(actor, params.profileUid, body))
      writer.audit.add({
        action: body.state === 'retired' ? 'profile.retired' : 'profile.reinstated',
        object: params.profileUid,
        detail: because(body.reason),
      });
    return {
      status: 200,
      value: { profile_uid: params.profileUid, state: body.state },
      counted: { resource: params.profileUid },
    };
  }),
];
