import { upsertProject } from '../../../shared/contract/v1/projects.ts';
import { versionTag } from '../../http/preconditions.ts';
import { writeRoute } from '../../route.ts';

export const upsertProjectRoute = writeRoute(
  upsertProject,
  async ({ actor, body, precondition, writer }) => {
    const { record, created } = await writer.projectWrites.upsert(actor, body, precondition);
    return {
      status: created ? 201 : 200,
      value: record,
      etag: versionTag(record.version),
      ...(created && { location: `/studio/projects/${record.project_id}` }),
      counted: { resource: record.project_id },
    };
  },
);
