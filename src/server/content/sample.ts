import { z } from 'zod';
import { CaseInput } from '../../shared/contract/v1/cases.ts';
import { ItemWithEvidenceInput } from '../../shared/contract/v1/evidence.ts';
import { ProjectInput } from '../../shared/contract/v1/projects.ts';
import { ProfileUid } from '../../shared/domain/uid.ts';
import type { Actor } from '../storage/db/actor.ts';
import type { Writer } from '../storage/repositories.ts';
import document from './sample.json' with { type: 'json' };

const Sample = z.strictObject({
  project: ProjectInput,
  case: CaseInput.omit({ project_id: true }),
  profile_uid: ProfileUid,
  items: z.array(ItemWithEvidenceInput),
});

type Sample = z.infer<typeof Sample>;

const TOUCHED = {
  profile_version: undefined,
  itemPath: (index: number) => `/items/${index}`,
  outcomePath: () => '/items',
};
const rowsOf = ({ items }: Sample) => items.map(({ evidence: _, ...item }) => item);

async function create(writer: Writer, actor: Actor, sample: Sample) {
  const { record: project } = await writer.projectWrites.upsert(actor, sample.project, undefined);
  const { record } = await writer.caseWrites.upsert(
    actor,
    { ...sample.case, project_id: project.project_id, profile_uid: sample.profile_uid },
    undefined,
  );
  const outcomes = sample.items.flatMap(({ item_uid, evidence = [] }) =>
    evidence.map((cell) => ({ item_uid, ...cell })),
  );
  await writer.evidenceWrites.record(
    actor,
    {
      ...TOUCHED,
      case_uid: record.case_uid,
      profile_uid: sample.profile_uid,
      items: rowsOf(sample),
      outcomes,
      reason: 'Sample data',
    },
    undefined,
  );
  await writer.runWrites.create(actor, {
    case_uid: record.case_uid,
    profile_uid: sample.profile_uid,
  });
  return project;
}

/**
 * Every cell of the sample's own items as it came, as one more change: the history keeps what was
 * recorded, and items that were added stay.
 */
async function reset(writer: Writer, actor: Actor, sample: Sample) {
  const rules = [
    ...new Set(
      sample.items.flatMap(({ evidence = [] }) => evidence.map(({ rule_uid }) => rule_uid)),
    ),
  ];
  const empty = { raw_outcome: null, source_value: null, notes: null, provenance: null };
  const outcomes = sample.items.flatMap(({ item_uid, evidence = [] }) =>
    rules.map((rule_uid) => ({
      ...empty,
      ...evidence.find((cell) => cell.rule_uid === rule_uid),
      item_uid,
      rule_uid,
    })),
  );
  await writer.evidenceWrites.record(
    actor,
    {
      ...TOUCHED,
      case_uid: sample.case.case_uid,
      profile_uid: sample.profile_uid,
      items: rowsOf(sample),
      outcomes,
      reason: 'Sample reset',
    },
    undefined,
  );
}

const BACK = { state: 'active', reason: 'The sample is opened again.' } as const;

/**
 * The account's sample project: made where there is none. With `isReset` the cells of one that
 * stands are recorded again.
 */
export async function provideSample(writer: Writer, actor: Actor, isReset: boolean) {
  const sample = Sample.parse(document);
  const { case_uid } = sample.case;
  const stored = await writer.cases.get(actor.account_id, case_uid);
  const read = async () =>
    stored && (await writer.projects.get(actor.account_id, stored.project_id));
  let found = await read();
  if (stored !== undefined && found === undefined) {
    // It was deleted with its project, and comes back with it.
    await writer.projectWrites.setState(actor, stored.project_id, BACK, undefined);
    found = await read();
  }
  const project = found ?? (await create(writer, actor, sample));
  if (found !== undefined && isReset) await reset(writer, actor, sample);
  return { project, case_uid, profile_uid: sample.profile_uid, created: found === undefined };
}
