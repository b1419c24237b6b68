import { EMPTY_CHAIN } from '../../../sync/log.ts';
import { PROFILE_STREAM, projectStream } from '../../../sync/register.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { listLinks, originOf } from './links.ts';
import type { LinkRow } from '../log/log-port.ts';
import type {
  KeptRow,
  Left,
  OwedRun,
  SetAside,
  SharedStream,
  StoredUplink,
} from './uplink-port.ts';

/**
 * Waiting changes are examined one by one up to this number; if there are more, all of the rest
 * count as waiting.
 */
const MAX_COUNTED = 5_000;

export async function readUplink(ctx: ReadContext): Promise<StoredUplink | undefined> {
  const row = await ctx.session.db.selectFrom('uplink').selectAll().executeTakeFirst();
  if (row === undefined) return undefined;
  const { one: _, connected, role, key_kept, ...rest } = row;
  return {
    ...rest,
    connected: connected === 1,
    role: role as StoredUplink['role'],
    key_kept: key_kept as StoredUplink['key_kept'],
  };
}

export async function writeUplink(ctx: WriteContext, uplink: StoredUplink): Promise<void> {
  const row = { ...uplink, connected: uplink.connected ? 1 : 0 };
  await ctx.session.db
    .insertInto('uplink')
    .values({ one: 1, ...row })
    .onConflict((oc) => oc.column('one').doUpdateSet(row))
    .execute();
}

export async function sharedProjects(ctx: ReadContext, account: string): Promise<string[]> {
  const rows = await ctx.session.db
    .selectFrom('shared_projects')
    .select('project_id')
    .where('account_id', '=', account)
    .where('shared', '=', 1)
    .orderBy('project_id')
    .execute();
  return rows.map((row) => row.project_id);
}

/**
 * By project: what it had not sent to a former server when another took its place. It holds until a
 * person says whether it is shared with that one.
 */
export const LEFT = 'left:';

export async function setShared(
  ctx: WriteContext,
  account: string,
  projectId: string,
  shared: boolean,
): Promise<void> {
  const row = { account_id: account, project_id: projectId, shared: shared ? 1 : 0 };
  await ctx.session.db.deleteFrom('meta').where('key', '=', `${LEFT}${projectId}`).execute();
  await ctx.session.db
    .insertInto('shared_projects')
    .values(row)
    .onConflict((oc) =>
      oc.columns(['account_id', 'project_id']).doUpdateSet({ shared: row.shared }),
    )
    .execute();
}

/** All projects of the account by id, with their names. */
export async function projectNames(
  ctx: ReadContext,
  account: string,
): Promise<{ project_id: string; name: string }[]> {
  return ctx.session.db
    .selectFrom('projects')
    .select(['project_id', 'name'])
    .where('account_id', '=', account)
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

/**
 * Every stream that is exchanged while these projects are shared, as far as it exists here: those
 * of the projects, of their cases, and of the profiles.
 */
export async function sharedStreams(
  ctx: ReadContext,
  account: string,
  projects: readonly string[],
): Promise<SharedStream[]> {
  if (projects.length === 0) return [];
  const { db, list } = ctx.session;
  const names = new Map(
    (await projectNames(ctx, account)).map(({ project_id, name }) => [
      projectStream(project_id),
      { title: name, project_id },
    ]),
  );
  const cases = await db
    .selectFrom('cases')
    .innerJoin('streams', 'streams.stream_pk', 'cases.stream_pk')
    .select([
      'streams.stream_pk',
      'streams.name',
      'streams.seq',
      'streams.sum',
      'title',
      'project_id',
    ])
    .where('cases.account_id', '=', account)
    .where('project_id', 'in', list(projects))
    .orderBy('case_pk')
    .execute();
  const own = await db
    .selectFrom('streams')
    .select(['stream_pk', 'name', 'seq', 'sum'])
    .where('account_id', '=', account)
    .where('name', 'in', list([PROFILE_STREAM, ...projects.map(projectStream)]))
    .orderBy('name')
    .execute();
  const rows = [
    ...own.map((row) =>
      row.name === PROFILE_STREAM
        ? { ...row, kind: 'profiles' as const, title: 'Profiles', project_id: null }
        : {
            ...row,
            kind: 'project' as const,
            title: names.get(row.name)?.title ?? '',
            project_id: names.get(row.name)?.project_id ?? null,
          },
    ),
    ...cases.map((row) => ({ ...row, kind: 'case' as const })),
  ];
  const links = new Map((await listLinks(ctx, account)).map(({ stream, link }) => [stream, link]));
  const pks = list(rows.map((row) => row.stream_pk));
  const quarantined = counts(
    await db
      .selectFrom('changes')
      .select(['stream_pk', ({ fn }) => fn.countAll<number>().as('count')])
      .where('quarantined', 'is not', null)
      .where('stream_pk', 'in', pks)
      .groupBy('stream_pk')
      .execute(),
  );
  const refused = counts(
    await db
      .selectFrom('unsendable')
      .select(['stream_pk', ({ fn }) => fn.countAll<number>().as('count')])
      .where('stream_pk', 'in', pks)
      .groupBy('stream_pk')
      .execute(),
  );
  const streams: SharedStream[] = [];
  for (const { stream_pk, name, seq, sum, kind, title, project_id } of rows) {
    const link = links.get(name);
    // Only the profiles that are needed are sent, so the send position does not tell what waits in
    // their stream.
    const waits =
      kind === 'profiles'
        ? { waiting: 0, oldest: null }
        : await waitingIn(ctx, stream_pk, seq, link);
    streams.push({
      stream: name,
      kind,
      title,
      project_id,
      seq,
      sum,
      link,
      ...waits,
      quarantined: quarantined.get(stream_pk) ?? 0,
      refused: refused.get(stream_pk) ?? 0,
    });
  }
  return streams;
}

const counts = (rows: readonly { stream_pk: number; count: number }[]): Map<number, number> =>
  new Map(rows.map((row) => [row.stream_pk, Number(row.count)]));

/**
 * The registers of the profiles that the cases of these projects and their runs need: every
 * document of each version, and which of them it is.
 */
export async function neededProfiles(
  ctx: ReadContext,
  account: string,
  projects: readonly string[],
): Promise<string[]> {
  if (projects.length === 0) return [];
  const { db, list } = ctx.session;
  const used = [
    await db
      .selectFrom('matrices')
      .innerJoin('cases', 'cases.case_pk', 'matrices.case_pk')
      .select(['matrices.profile_uid', 'matrices.profile_version'])
      .distinct()
      .where('account_id', '=', account)
      .where('project_id', 'in', list(projects))
      .execute(),
    await db
      .selectFrom('cases')
      .select(['profile_uid', 'profile_version'])
      .distinct()
      .where('account_id', '=', account)
      .where('project_id', 'in', list(projects))
      .where('profile_uid', 'is not', null)
      .execute(),
    await db
      .selectFrom('runs')
      .select(['profile_uid', 'profile_version'])
      .distinct()
      .where('account_id', '=', account)
      .where('project_id', 'in', list(projects))
      .execute(),
  ];
  return [
    ...new Set(
      used
        .flat()
        .flatMap(({ profile_uid, profile_version }) =>
          ['profile', 'version'].map((kind) => `${kind}/${profile_uid}@${profile_version}`),
        ),
    ),
  ];
}

/** The documents that cases of these projects name and that are not here. */
export async function missingDocuments(
  ctx: ReadContext,
  account: string,
  projects: readonly string[],
): Promise<{ profile_uid: string; version: string; digest: string }[]> {
  if (projects.length === 0) return [];
  const rows = await ctx.session.db
    .selectFrom('matrices')
    .innerJoin('cases', 'cases.case_pk', 'matrices.case_pk')
    .select(['matrices.profile_uid', 'matrices.profile_version as version', 'matrices.digest'])
    .distinct()
    .where('cases.account_id', '=', account)
    .where('cases.project_id', 'in', ctx.session.list(projects))
    .where('matrices.named', '=', 1)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('profiles')
            .select('profile_pk')
            .whereRef('profiles.digest', '=', 'matrices.digest')
            .whereRef('profiles.profile_uid', '=', 'matrices.profile_uid')
            .where(({ or, eb }) =>
              or([
                eb('profiles.account_id', '=', account),
                eb('profiles.account_id', 'is', null),
                eb('profiles.published', '=', 1),
              ]),
            ),
        ),
      ),
    )
    .execute();
  return rows.map(({ profile_uid, version, digest }) => ({
    profile_uid,
    version,
    digest: digest ?? '',
  }));
}

const pkOf = (ctx: ReadContext, account: string, stream: string): Promise<{ stream_pk: number }> =>
  ctx.session.db
    .selectFrom('streams')
    .select('stream_pk')
    .where('account_id', '=', account)
    .where('name', '=', stream)
    .executeTakeFirstOrThrow();

/**
 * Marks a change that the other server refuses, or fails on: it stays here and is not sent with the
 * others.
 */
export async function markUnsendable(
  ctx: WriteContext,
  account: string,
  stream: string,
  seq: number,
  code: string,
  aside?: Pick<SetAside, 'at' | 'versions'>,
): Promise<void> {
  const { stream_pk } = await pkOf(ctx, account, stream);
  const row = { code, at: aside?.at ?? ctx.at, versions: aside?.versions ?? null };
  await ctx.session.db
    .insertInto('unsendable')
    .values({ stream_pk, seq, ...row })
    .onConflict((oc) => oc.columns(['stream_pk', 'seq']).doUpdateSet(row))
    .execute();
}

export async function acceptUnsendable(
  ctx: WriteContext,
  account: string,
  stream: string,
  seq: number,
): Promise<void> {
  const { stream_pk } = await pkOf(ctx, account, stream);
  await ctx.session.db
    .deleteFrom('unsendable')
    .where('stream_pk', '=', stream_pk)
    .where('seq', '=', seq)
    .execute();
}

const MOST_ASIDE = 1_000;

/** The changes that the other server failed on, as opposed to those whose bytes it refused. */
export async function setAside(ctx: ReadContext, account: string): Promise<SetAside[]> {
  const rows = await ctx.session.db
    .selectFrom('unsendable')
    .innerJoin('streams', 'streams.stream_pk', 'unsendable.stream_pk')
    .select(['name', 'unsendable.seq', 'at', 'versions'])
    .where('account_id', '=', account)
    .where('versions', 'is not', null)
    .orderBy('at')
    .limit(MOST_ASIDE)
    .execute();
  return rows.flatMap(({ name, versions, ...row }) =>
    versions === null ? [] : [{ stream: name, versions, ...row }],
  );
}

/**
 * The changes of these streams that stay here because the other server refuses or fails on them,
 * the first that were found.
 */
export async function keptChanges(
  ctx: ReadContext,
  account: string,
  streams: readonly string[],
  limit: number,
): Promise<KeptRow[]> {
  const { db, list } = ctx.session;
  const rows = await db
    .selectFrom('unsendable')
    .innerJoin('streams', 'streams.stream_pk', 'unsendable.stream_pk')
    .innerJoin('changes', (join) =>
      join
        .onRef('changes.stream_pk', '=', 'unsendable.stream_pk')
        .onRef('changes.seq', '=', 'unsendable.seq'),
    )
    .select(['name', 'change_id', 'author', 'received_at', 'code', 'at'])
    .where('account_id', '=', account)
    .where('name', 'in', list(streams))
    .orderBy('at')
    .orderBy('change_id')
    .limit(limit)
    .execute();
  return rows.map(({ name, ...row }) => ({ stream: name, ...row }));
}

export async function refusedIn(
  ctx: ReadContext,
  account: string,
  stream: string,
): Promise<number> {
  const row = await ctx.session.db
    .selectFrom('unsendable')
    .innerJoin('streams', 'streams.stream_pk', 'unsendable.stream_pk')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', account)
    .where('name', '=', stream)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Notes a run that the other server has not accepted; null: it was accepted. */
export async function oweRun(
  ctx: WriteContext,
  account: string,
  run_uid: string,
  code: string | null,
): Promise<void> {
  const { db } = ctx.session;
  if (code === null)
    await db
      .deleteFrom('owed_runs')
      .where('account_id', '=', account)
      .where('run_uid', '=', run_uid)
      .execute();
  else
    await ctx.session.insert(
      'owed_runs',
      ['account_id', 'run_uid', 'code', 'at'],
      [[account, run_uid, code, ctx.at]],
      { target: ['account_id', 'run_uid'], update: ['code'] },
    );
}

/** Those of projects that are shared now. */
export async function owedRuns(ctx: ReadContext, account: string): Promise<OwedRun[]> {
  const projects = await sharedProjects(ctx, account);
  if (projects.length === 0) return [];
  return ctx.session.db
    .selectFrom('owed_runs')
    .innerJoin('runs', (join) =>
      join
        .onRef('runs.account_id', '=', 'owed_runs.account_id')
        .onRef('runs.run_uid', '=', 'owed_runs.run_uid'),
    )
    .innerJoin('cases', (join) =>
      join
        .onRef('cases.account_id', '=', 'runs.account_id')
        .onRef('cases.case_uid', '=', 'runs.case_uid'),
    )
    .select(['owed_runs.run_uid', 'runs.case_uid', 'owed_runs.code', 'owed_runs.at'])
    .distinct()
    .where('owed_runs.account_id', '=', account)
    .where('cases.project_id', 'in', ctx.session.list(projects))
    .orderBy('owed_runs.run_uid')
    .execute();
}

async function metaOf(ctx: ReadContext, key: string): Promise<string | undefined> {
  return (
    await ctx.session.db
      .selectFrom('meta')
      .select('value')
      .where('key', '=', key)
      .executeTakeFirst()
  )?.value;
}

/**
 * Whose work may be sent to this hosted store: that of the connected user, of the person before any
 * connection, and of the users that the studio's person was on other servers. Another user of this
 * same server has to send their own work.
 */
export async function sentFor(
  ctx: ReadContext,
  uplink: Pick<StoredUplink, 'store' | 'user_id'>,
): Promise<string[]> {
  const persons = await ctx.session.db
    .selectFrom('meta')
    .select(['key', 'value'])
    .where('key', 'like', 'person:%')
    .execute();
  const local = (await metaOf(ctx, 'local_user')) as string;
  const former = persons
    .filter((row) => row.value !== uplink.store)
    .map((row) => row.key.slice('person:'.length));
  return [...new Set([uplink.user_id, ...(persons.length === 0 ? [local] : former)])];
}

/** Whom the studio called its person before any connection: remembered without a store. */
export async function formerly(ctx: ReadContext): Promise<string[]> {
  const rows = await ctx.session.db
    .selectFrom('meta')
    .select('key')
    .where('key', 'like', 'person:%')
    .where('value', '=', '')
    .execute();
  return rows.map(({ key }) => key.slice('person:'.length));
}

/**
 * Makes the studio's person a user that the hosted server knows. What is recorded from now on
 * carries that id and name, and keys and sessions of the former person become theirs. The former
 * user is remembered, since such work may still wait.
 */
export async function becomeUser(
  ctx: WriteContext,
  { user_id, user_name: name, store }: Pick<StoredUplink, 'user_id' | 'user_name' | 'store'>,
): Promise<void> {
  const { db } = ctx.session;
  const [account_id, former] = [
    (await metaOf(ctx, 'local_account')) as string,
    (await metaOf(ctx, 'local_user')) as string,
  ];
  await db
    .insertInto('users')
    .values({ user_id, name, created_at: ctx.at })
    .onConflict((oc) => oc.column('user_id').doUpdateSet({ name }))
    .execute();
  await db
    .insertInto('members')
    .values({ account_id, user_id, role: 'owner', joined_at: ctx.at })
    .onConflict((oc) => oc.columns(['account_id', 'user_id']).doUpdateSet({ role: 'owner' }))
    .execute();
  await db
    .updateTable('api_keys')
    .set({ user_id })
    .where('account_id', '=', account_id)
    .where('user_id', '=', former)
    .execute();
  await db
    .updateTable('sessions')
    .set({ user_id })
    .where('account_id', '=', account_id)
    .where('user_id', '=', former)
    .execute();
  await db
    .updateTable('sign_in_links')
    .set({ user_id })
    .where('account_id', '=', account_id)
    .where('user_id', '=', former)
    .execute();
  const persons = [
    { key: `person:${former}`, value: '' },
    { key: `person:${user_id}`, value: store },
  ];
  for (const person of persons)
    await db
      .insertInto('meta')
      .values(person)
      .onConflict((oc) => oc.column('key').doNothing())
      .execute();
  await db.updateTable('meta').set({ value: user_id }).where('key', '=', 'local_user').execute();
  ctx.person = { user_id, user_name: name };
}

/**
 * Begins with another server: nothing is shared with it yet, and what the links have seen was not
 * its log. Generations continue to count, so that no change is taken for one of its own.
 */
export async function beginAnew(ctx: WriteContext, account: string): Promise<void> {
  const { db } = ctx.session;
  for (const project of await sharedProjects(ctx, account)) {
    const streams = (await sharedStreams(ctx, account, [project])).filter(
      ({ project_id, waiting }) => project_id === project && waiting > 0,
    );
    if (streams.length === 0) continue;
    const left: Left = {
      changes: streams.reduce((sum, { waiting }) => sum + waiting, 0),
      oldest:
        streams
          .map(({ oldest }) => oldest)
          .filter((at) => at !== null)
          .sort()[0] ?? null,
    };
    const row = { key: `${LEFT}${project}`, value: JSON.stringify(left) };
    await db
      .insertInto('meta')
      .values(row)
      .onConflict((oc) => oc.column('key').doUpdateSet({ value: row.value }))
      .execute();
  }
  await db
    .updateTable('shared_projects')
    .set({ shared: 0 })
    .where('account_id', '=', account)
    .execute();
  await db
    .updateTable('links')
    .set(({ ref, eb, selectFrom }) => ({
      gen: eb('gen', '+', 1),
      rev: eb('rev', '+', 1),
      epoch: '',
      push_pos: 0,
      pull_seq: 0,
      pull_chain: EMPTY_CHAIN,
      wit_seq: 0,
      wit_chain: EMPTY_CHAIN,
      points: '[]',
      verified_at: null,
      verified_seq: 0,
      last_ok: null,
      problem: null,
      state: 'open',
      again_to: selectFrom('streams')
        .select('seq')
        .whereRef('streams.stream_pk', '=', ref('links.stream_pk'))
        .$castTo<number>(),
    }))
    .execute();
  await db.deleteFrom('unsendable').execute();
  await db.deleteFrom('owed_runs').where('account_id', '=', account).execute();
}
