import type { AccountId, CaseUid, ProjectId } from '../../../shared/contract/ids.ts';
import type { ContestedField, FieldSettling } from '../../../shared/contract/v1/contested.ts';
import type {
  ContestedProjectField,
  ProjectFieldSettling,
} from '../../../shared/contract/v1/projects.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { contentKey } from '../../../sync/assertion.ts';
import {
  CASE_FIELDS,
  type CaseField,
  formatRegister,
  PROJECT_FIELDS,
  type ProjectField,
  projectStream,
  type Register,
} from '../../../sync/register.ts';
import { author } from '../log/author.ts';
import { entryText, jsonString } from '../../../sync/change-writer.ts';
import { CaseView } from './case-view.ts';
import { needAnyCase } from './cases.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { openStream, type Stream } from '../log/change-log.ts';
import type { Actor } from '../db/actor.ts';
import { permit } from '../db/permit.ts';
import { ProjectView } from './project-view.ts';
import { getProject } from './projects.ts';
import { Changes, headOf } from './authorship.ts';
import { ABSENT, StoreError } from '../db/errors.ts';

type FieldHeads = ContestedField['heads'];
type RegisterOf<F> = (field: F) => Register;
const ofCase: RegisterOf<CaseField> = (field) => ({ kind: 'case', field });
const ofProject: RegisterOf<ProjectField> = (field) => ({ kind: 'project', field });

async function contestedIn<F>(
  ctx: ReadContext,
  streamPk: number,
  fields: readonly F[],
  registerOf: RegisterOf<F>,
): Promise<{ field: F; heads: FieldHeads }[]> {
  const { db, list } = ctx.session;
  const regOf = (field: F): string => formatRegister(registerOf(field));
  const regs = list(fields.map(regOf));
  const conflicting = await db
    .selectFrom('extra_heads')
    .select(['reg', 'seq', 'idx'])
    .where('account', '=', ctx.session.account)
    .where('stream_pk', '=', streamPk)
    .where('reg', 'in', regs)
    .execute();
  if (conflicting.length === 0) return [];
  const shown = await db
    .selectFrom('registers')
    .select(['reg', 'head_seq', 'head_index'])
    .where('account', '=', ctx.session.account)
    .where('stream_pk', '=', streamPk)
    .where('reg', 'in', regs)
    .execute();
  const changes = new Changes(ctx, streamPk);
  const contested: { field: F; heads: FieldHeads }[] = [];
  for (const field of fields) {
    const displayed = shown.find(({ reg }) => reg === regOf(field));
    const others = conflicting.filter(({ reg }) => reg === regOf(field));
    if (displayed === undefined || others.length === 0) continue;
    await changes.load([displayed.head_seq, ...others.map(({ seq }) => seq)]);
    const heads = [
      await headOf(changes, { seq: displayed.head_seq, index: displayed.head_index }, true),
    ];
    for (const { seq, idx } of others)
      heads.push(await headOf(changes, { seq, index: idx }, false));
    if (new Set(heads.map(({ value }) => contentKey(registerOf(field), value))).size > 1)
      contested.push({ field, heads });
  }
  return contested;
}

/** Fields of the case itself that nobody has settled. */
export async function contestedFields(
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
): Promise<ContestedField[]> {
  return contestedIn(ctx, (await needAnyCase(ctx, account, caseUid)).streamPk, CASE_FIELDS, ofCase);
}

async function needProject(
  ctx: ReadContext,
  account: AccountId,
  projectId: ProjectId,
): Promise<void> {
  if ((await getProject(ctx, account, projectId)) === undefined)
    throw new StoreError('not_found', ABSENT.project_id);
}

/** Contested fields of the project itself. */
export async function contestedProjectFields(
  ctx: ReadContext,
  account: AccountId,
  projectId: ProjectId,
): Promise<ContestedProjectField[]> {
  await needProject(ctx, account, projectId);
  const stream = await ctx.session.db
    .selectFrom('streams')
    .select('stream_pk')
    .where('account', '=', ctx.session.numberOf(account))
    .where('name', '=', projectStream(projectId))
    .executeTakeFirst();
  return stream === undefined ? [] : contestedIn(ctx, stream.stream_pk, PROJECT_FIELDS, ofProject);
}

type SettledField<F> = { field: F; value: FieldHeads[number]['value'] };
type FieldView<F> = Pick<CaseView, 'registers' | 'heads' | 'flush'> & {
  showField(field: F, value: unknown): void;
};

/**
 * Settles a contested field by one `resolve` that names every head (H7). Throws conflict if the
 * heads are no longer those that the person was shown.
 */
async function settle<F>(
  ctx: WriteContext,
  actor: Actor,
  stream: Stream,
  view: FieldView<F>,
  registerOf: RegisterOf<F>,
  { field, heads, take, reason }: Omit<FieldSettling, 'field'> & { field: F },
): Promise<SettledField<F>> {
  if (field === 'x') permit(ctx, { do: 'remove' });
  const [contested] = await contestedIn(ctx, stream.pk, [field], registerOf);
  const shown = new Set(heads);
  if (
    contested === undefined ||
    contested.heads.length !== shown.size ||
    !contested.heads.every(({ entry }) => shown.has(entry))
  ) {
    throw new StoreError(
      'conflict',
      'Other values have come since, or it is settled. Nothing was changed.',
      [{ path: '/heads', code: 'other_heads', message: 'Read what is contested again.' }],
    );
  }
  const taken = contested.heads.find(({ entry }) => entry === take);
  if (taken === undefined)
    throw new StoreError('validation_failed', 'What is to hold is none of the values.', [
      { path: '/take', code: 'not_a_head', message: 'Must be one of heads.' },
    ]);
  const reg = formatRegister(registerOf(field));
  const parents = [...shown].sort();
  await view.registers.load([reg]);
  await view.heads.load([reg]);
  await stream.changes.loadSeqs(view.registers.seqs());
  const [span] = await author(
    ctx,
    stream,
    actor,
    [entryText(canonicalJson(parents), jsonString(reg), canonicalJson(taken.value), 'resolve')],
    reason,
  );
  await view.heads.apply(
    view.registers.binding(reg, (value) => view.showField(field, value)),
    { seq: span!.seq, index: 0, parents, value: taken.value },
  );
  await view.flush();
  return { field, value: taken.value };
}

export async function settleContestedField(
  ctx: WriteContext,
  actor: Actor,
  caseUid: CaseUid,
  settling: FieldSettling,
): Promise<SettledField<CaseField>> {
  const stream = await openStream(ctx, actor.account_id, caseUid);
  const stored = await needAnyCase(ctx, actor.account_id, caseUid);
  return settle(ctx, actor, stream, new CaseView(ctx, stream, stored), ofCase, settling);
}

export async function settleContestedProjectField(
  ctx: WriteContext,
  actor: Actor,
  projectId: ProjectId,
  settling: ProjectFieldSettling,
): Promise<SettledField<ProjectField>> {
  await needProject(ctx, actor.account_id, projectId);
  const stream = await openStream(ctx, actor.account_id, projectStream(projectId));
  return settle(ctx, actor, stream, new ProjectView(ctx, stream, projectId), ofProject, settling);
}
