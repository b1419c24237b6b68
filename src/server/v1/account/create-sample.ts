import { z } from 'zod';
import { createSample } from '../../../shared/contract/v1/account.ts';
import { CaseInput } from '../../../shared/contract/v1/cases.ts';
import { ItemWithEvidenceInput } from '../../../shared/contract/v1/evidence.ts';
import { ProjectInput } from '../../../shared/contract/v1/projects.ts';
import { ProfileUid } from '../../../shared/domain/uid.ts';
import document from '../../content/sample.json' with { type: 'json' };
import { writeRoute } from '../../route.ts';
import type { Actor, Writer } from '../../storage/port.ts';

const Sample = z.strictObject({ project: ProjectInput, case: CaseInput.omit({ project_id: true }), profile_uid: ProfileUid, items: z.array(ItemWithEvidenceInput) });

async function write(writer: Writer, actor: Actor, sample: z.infer<typeof Sample>) {
  const { record: project } = await writer.projectWrites.upsert(actor, sample.project, undefined);
  const { record } = await writer.caseWrites.upsert(actor, { ...sample.case, project_id: project.project_id, profile_uid: sample.profile_uid }, undefined);
  await writer.evidenceWrites.record(
    actor,
    {
      case_uid: record.case_uid,
      profile_uid: sample.profile_uid,
      profile_version: undefined,
      items: sample.items.map(({ evidence: _, ...item }) => item),
      outcomes: sample.items.flatMap(({ item_uid, evidence = [] }) => evidence.map((cell) => ({ item_uid, ...cell }))),
      reason: 'Sample data',
      itemPath: (index) => `/items/${index}`,
      outcomePath: () => '/items',
    },
    undefined,
  );
  return project;
}

export const createSampleRoute = writeRoute(createSample, async ({ actor, writer }) => {
  const sample = Sample.parse(document);
  const { case_uid } = sample.case;
  const stored = await writer.cases.get(actor.account_id, case_uid);
  const former = stored && (await writer.projects.get(actor.account_id, stored.project_id));
  const project = former ?? (await write(writer, actor, sample));
  const value = { project, case_uid, profile_uid: sample.profile_uid };
  return { status: former === undefined ? 201 : 200, value, ...(former === undefined && { location: `/studio/cases/${encodeURIComponent(case_uid)}` }), counted: { resource: case_uid } };
});
