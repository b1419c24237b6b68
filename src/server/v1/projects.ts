import * as projects from '../../shared/contract/v1/projects.ts';
import { ApiError } from '../context/errors.ts';
import { toPage } from '../http/page.ts';
import { versionTag } from '../http/preconditions.ts';
import { type Route, readRoute, writeRoute } from '../http/route.ts';
import { shownTo } from './shown-keys.ts';

export const projectsRoutes: readonly Route[] = [
  readRoute(projects.listContestedProjectFields, async ({ actor, role, params, reader }) => ({
    status: 200,
    value: {
      fields: (await reader.projects.contestedFields(actor.account_id, params.projectId)).map(
        (field) => ({ ...field, heads: field.heads.map((head) => shownTo(role, head)) }),
      ),
    },
    counted: { resource: params.projectId },
  })),

  readRoute(projects.listProjects, async ({ actor, query, reader }) => ({
    status: 200,
    value: await reader.projects.list(actor.account_id, toPage(query), query),
  })),

  readRoute(projects.getProject, async ({ actor, params, reader }) => {
    const found = await reader.projects.get(actor.account_id, params.projectId);
    if (found === undefined)
      throw new ApiError('not_found', { message: 'There is no such project.' });
    return {
      status: 200,
      value: found,
      etag: versionTag(found.version),
      counted: { resource: found.project_id },
    };
  }),

  writeRoute(projects.settleProjectField, async ({ actor, params, body, writer }) => ({
    status: 200,
    value: await writer.projectWrites.settle(actor, params.projectId, body),
    counted: { resource: params.projectId },
  })),

  writeRoute(projects.upsertProject, async ({ actor, body, precondition, writer }) => {
    const { record, created, renamed } = await writer.projectWrites.upsert(
      actor,
      body,
      precondition,
    );
    if (renamed === true)
      writer.audit.add({
        action: 'project.renamed',
        object: record.project_id,
        detail: { reason: body.reason ?? null },
      });
    return {
      status: created ? 201 : 200,
      value: record,
      etag: versionTag(record.version),
      ...(created && { location: `/api/v1/projects/${record.project_id}` }),
      counted: { resource: record.project_id },
    };
  }),
];
