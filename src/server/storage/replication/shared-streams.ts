import type { AccountId, StreamName, ProjectId } from '../../../shared/contract/ids.ts';
import { type LinkRow, originOf, listLinks } from './links.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import {
  AFTER_LAYERS,
  FIRST_LAYER,
  layerOf,
  projectStream,
  PROFILE_STREAM,
} from '../../../sync/register.ts';

/** A stream that is exchanged, and how much of it waits. */
export interface SharedStream {
  stream: StreamName;
  kind: 'case' | 'project' | 'profiles' | 'layer';
  title: string;
  project_id: ProjectId | null;
  seq: number;
  sum: string;
  link: LinkRow | undefined;
  waiting: number;
  oldest: string | null;
  quarantined: number;
  /** Changes that the other server refuses. */
  refused: number;
}

/**
 * Waiting changes are examined one by one up to this number; if there are more, all of the rest
 * count as waiting.
 */
const MAX_COUNTED = 5_000;

export async function sharedProjects(ctx: ReadContext, account: AccountId): Promise<ProjectId[]> {
  const rows = await ctx.session.db
    .selectFrom('shared_projects')
    .select('project_id')
    .where('account', '=', ctx.session.numberOf(account))
    .where('shared', '=', 1)
    .orderBy('project_id')
    .execute();
  return rows.map((row) => row.project_id);
}

/**
 * By project: what it had not sent to a previous server when another took its place. It holds until
 * a person says whether it is shared with that one.
 */
export const LEFT = 'left:';

export async function setShared(
  ctx: WriteContext,
  account: AccountId,
  projectId: ProjectId,
  shared: boolean,
): Promise<void> {
  const number = ctx.session.numberOf(account);
  const row = { account: number, project_id: projectId, shared: shared ? 1 : 0 };
  await ctx.session.db.deleteFrom('meta').where('key', '=', `${LEFT}${projectId}`).execute();
  await ctx.session.db
    .insertInto('shared_projects')
    .values(row)
    .onConflict((oc) => oc.columns(['account', 'project_id']).doUpdateSet({ shared: row.shared }))
    .execute();
}

/** All projects of the account by id, with their names. */
export async function projectNames(
  ctx: ReadContext,
  account: AccountId,
): Promise<{ project_id: ProjectId; name: string }[]> {
  return ctx.session.db
    .selectFrom('projects')
    .select(['project_id', 'name'])
    .where('account', '=', ctx.session.numberOf(account))
    .where('deleted', '=', 0)
    .orderBy('project_pk')
    .execute();
}

/**
 * The changes of a stream that the other server has not acknowledged: how many, and when the oldest
 * was stored here.
 */
async function waitingIn(
  ctx: ReadContext,
  streamPk: number,
  seq: number,
  link: LinkRow | undefined,
): Promise<{ waiting: number; oldest: string | null }> {
  const { db } = ctx.session;
  const from = link?.push_pos ?? 0;
  if (from >= seq) return { waiting: 0, oldest: null };
  const rows = db
    .selectFrom('changes')
    .select('received_at')
    .where('account', '=', ctx.session.account)
    .where('stream_pk', '=', streamPk)
    .where('seq', '>', from)
    .where(({ eb, or }) =>
      or([eb('origin', 'is', null), eb('origin', '!=', link === undefined ? '' : originOf(link))]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('unsendable')
            .select('unsendable.seq')
            .where('unsendable.account', '=', ctx.session.account)
            .where('unsendable.stream_pk', '=', streamPk)
            .whereRef('unsendable.seq', '=', 'changes.seq'),
        ),
      ),
    )
    .orderBy('seq')
    .limit(MAX_COUNTED);
  const { count, oldest } = await db
    .selectFrom(rows.as('rows'))
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('received_at').as('oldest')])
    .executeTakeFirstOrThrow();
  return { waiting: Number(count) < MAX_COUNTED ? Number(count) : seq - from, oldest };
}

type StreamRow = Pick<SharedStream, 'kind' | 'title' | 'project_id' | 'seq' | 'sum'> & {
  stream_pk: number;
  name: StreamName;
};

/** The streams of these projects and of the profiles, as far as they exist here. */
async function ownStreams(
  ctx: ReadContext,
  account: AccountId,
  projects: readonly ProjectId[],
): Promise<StreamRow[]> {
  const { db, list } = ctx.session;
  const names = new Map(
    (await projectNames(ctx, account)).map(({ project_id, name }) => [
      projectStream(project_id),
      { title: name, project_id },
    ]),
  );
  const rows = await db
    .selectFrom('streams')
    .select(['stream_pk', 'name', 'seq', 'sum'])
    .where('account', '=', ctx.session.numberOf(account))
    .where('name', 'in', list([PROFILE_STREAM, ...projects.map(projectStream)]))
    .orderBy('name')
    .execute();
  return rows.map((row) =>
    row.name === PROFILE_STREAM
      ? { ...row, kind: 'profiles', title: 'Profiles', project_id: null }
      : {
          ...row,
          kind: 'project',
          title: names.get(row.name)?.title ?? '',
          project_id: names.get(row.name)?.project_id ?? null,
        },
  );
}

async function caseStreams(
  ctx: ReadContext,
  account: AccountId,
  projects: readonly ProjectId[],
): Promise<StreamRow[]> {
  const { db } = ctx.session;
  const rows = await db
    .selectFrom('cases')
    .innerJoin('streams', (join) =>
      join
        .onRef('streams.account', '=', 'cases.account')
        .onRef('streams.stream_pk', '=', 'cases.stream_pk'),
    )
    .select([
      'streams.stream_pk',
      'streams.name',
      'streams.seq',
      'streams.sum',
      'title',
      'project_id',
    ])
    .where('cases.account', '=', ctx.session.numberOf(account))
    .where(ctx.session.inList('project_id', projects))
    .orderBy('case_pk')
    .execute();
  return rows.map((row) => ({ ...row, kind: 'case' }));
}

/**
 * What was recorded here in rounds of these cases, and what of it has come; a log that holds
 * nothing is none.
 */
async function layerStreams(
  { session }: ReadContext,
  account: AccountId,
  cases: readonly StreamRow[],
): Promise<StreamRow[]> {
  const rows = await session.db
    .selectFrom('streams')
    .select(['stream_pk', 'name', 'seq', 'sum'])
    .where('account', '=', session.numberOf(account))
    .where('name', '>=', FIRST_LAYER)
    .where('name', '<', AFTER_LAYERS)
    .where('seq', '>', 0)
    .orderBy('name')
    .execute();
  if (rows.length === 0) return [];
  const of = new Map(cases.map((one) => [one.name as string, one]));
  return rows.flatMap((row) => {
    const stored = of.get(layerOf(row.name)?.case ?? '');
    const { title, project_id } = stored ?? { title: '', project_id: null };
    return stored === undefined ? [] : [{ ...row, kind: 'layer' as const, title, project_id }];
  });
}

/** By stream: how many of its changes hold quarantined entries, and how many are refused. */
async function countsOf(
  { session }: ReadContext,
  streams: readonly number[],
): Promise<Record<'quarantined' | 'refused', Map<number, number>>> {
  const { db, account } = session;
  const isOne = session.inList('stream_pk', streams);
  const quarantined = await db
    .selectFrom('changes')
    .select(['stream_pk', ({ fn }) => fn.countAll<number>().as('count')])
    .where('quarantined', 'is not', null)
    .where('account', '=', account)
    .where(isOne)
    .groupBy('stream_pk')
    .execute();
  const refused = await db
    .selectFrom('unsendable')
    .select(['stream_pk', ({ fn }) => fn.countAll<number>().as('count')])
    .where('account', '=', account)
    .where(isOne)
    .groupBy('stream_pk')
    .execute();
  return { quarantined: byStream(quarantined), refused: byStream(refused) };
}

const byStream = (rows: readonly { stream_pk: number; count: number }[]): Map<number, number> =>
  new Map(rows.map((row) => [row.stream_pk, Number(row.count)]));

/**
 * Every stream that is exchanged while these projects are shared, as far as it exists here: those
 * of the projects, of their cases and what was recorded in rounds of these, and of the profiles.
 */
export async function sharedStreams(
  ctx: ReadContext,
  account: AccountId,
  projects: readonly ProjectId[],
): Promise<SharedStream[]> {
  if (projects.length === 0) return [];
  const cases = await caseStreams(ctx, account, projects);
  const rows = [
    ...(await ownStreams(ctx, account, projects)),
    ...cases,
    ...(await layerStreams(ctx, account, cases)),
  ];
  const links = new Map((await listLinks(ctx, account)).map(({ stream, link }) => [stream, link]));
  const counts = await countsOf(
    ctx,
    rows.map(({ stream_pk }) => stream_pk),
  );
  const streams: SharedStream[] = [];
  for (const { stream_pk, name, ...row } of rows) {
    const link = links.get(name);
    // Only the profiles that are needed are sent, so the send position does not tell what waits in
    // their stream.
    const waits =
      row.kind === 'profiles'
        ? { waiting: 0, oldest: null }
        : await waitingIn(ctx, stream_pk, row.seq, link);
    streams.push({
      stream: name,
      ...row,
      link,
      ...waits,
      quarantined: counts.quarantined.get(stream_pk) ?? 0,
      refused: counts.refused.get(stream_pk) ?? 0,
    });
  }
  return streams;
}
