import * as housekeeping from '../../shared/contract/v1/housekeeping.ts';
import type { AuditAction } from '../../shared/contract/v1/audit.ts';
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
      if (value.before !== value.state)
        writer.audit.add({
          action: actionOf('project', value.before, value.state),
          object: params.projectId,
          detail: because(body.reason),
        });
      return {
        status: 200,
        value,
        etag: versionTag(value.version),
        counted: { resource: params.projectId },
      };
    },
  ),

  writeRoute(housekeeping.setCaseState, async ({ actor, params, body, precondition, writer }) => {
    const value = await writer.caseWrites.setState(actor, params.caseUid, body, precondition);
    if (value.before !== value.state)
      writer.audit.add({
        action: actionOf('case', value.before, value.state),
        object: params.caseUid,
        detail: because(body.reason),
      });
    return {
      status: 200,
      value,
      etag: versionTag(value.version),
      counted: { resource: params.caseUid },
    };
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
