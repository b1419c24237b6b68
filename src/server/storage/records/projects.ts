import type { Selectable } from 'kysely';
import { type AccountId, ProjectId } from '../../../shared/contract/ids.ts';
import type { RecordState } from '../../../shared/contract/v1/housekeeping.ts';
import type { Project, ProjectInput, ProjectSort } from '../../../shared/contract/v1/projects.ts';
import { projectStream } from '../../../sync/register.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import type { Listed, Page } from '../db/cursor.ts';
import { cursorAfter, holds, isAfter, type Keyset, orderOf } from '../db/keyset.ts';
import { sortableId } from '../db/ids.ts';
import { checkPrecondition, type Precondition, type Upserted } from '../db/precondition.ts';
import type { Actor } from '../db/actor.ts';
import { limitOf, reach } from '../db/permit.ts';
import { authorFields, type FieldDraft } from './record-author.ts';
import { flushStream, openStream } from '../log/change-log.ts';
import { ABSENT, StoreError } from '../db/errors.ts';
import { LISTED } from '../db/listed.ts';
import type { ProjectTable } from '../db/schema/schema.ts';

const COLUMNS = [
  'project_id',
  'name',
  'description',
  'domain',
  'archived',
  'created_at',
  'updated_at',
  'version',
] as const;

/** Normalises a name, so that names that look the same are the same. */
export function nameKey(name: string): string {
  return name.normalize('NFC').trim();
}

/** Which projects a list holds, and in which order. */
interface ProjectFilter {
  search?: string | undefined;
  sort?: ProjectSort | undefined;
  order?: 'asc' | 'desc' | undefined;
  state?: RecordState | undefined;
}

const SORTED_BY = { created: undefined, name: 'list_key', changed: 'updated_at' } as const;

export async function listProjects(
  ctx: ReadContext,
  account: AccountId,
  page: Page,
  { sort = 'created', order, search, state = 'active' }: ProjectFilter = {},
): Promise<Listed<Project>> {
  const keyset: Keyset = {
    list: 'projects',
    key: 'project_pk',
    column: SORTED_BY[sort],
    descending: order === 'desc',
  };
  let query = ctx.session.db
    .selectFrom('projects')
    .select([...COLUMNS, 'project_pk', 'list_key'])
    .where('account', '=', ctx.session.numberOf(account))
    .where('listed', '=', LISTED[state])
    .orderBy(orderOf(keyset))
    .limit(page.limit + 1);
  if (search !== undefined) query = query.where(holds(['name'], search));
  const limit = limitOf(ctx);
  if (limit !== undefined) query = query.where(ctx.session.inList('project_id', limit));
  if (page.cursor !== undefined) query = query.where(isAfter(keyset, page.cursor));
  const rows = await query.execute();
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  return {
    data: shown.map(toProject),
    next_cursor:
      rows.length > page.limit && last !== undefined
        ? cursorAfter(keyset, last.project_pk, sort === 'name' ? last.list_key : last.updated_at)
        : null,
  };
}

export async function getProject(
  ctx: ReadContext,
  account: AccountId,
  projectId: ProjectId,
): Promise<Project | undefined> {
  const found = await findAnyProject(ctx, account, projectId);
  return found?.deleted === false ? found.record : undefined;
}

/** Also a deleted one. */
export async function findAnyProject(
  ctx: ReadContext,
  account: AccountId,
  projectId: ProjectId,
): Promise<{ record: Project; deleted: boolean } | undefined> {
  if (limitOf(ctx)?.includes(projectId) === false) return undefined;
  const row = await ctx.session.db
    .selectFrom('projects')
    .select([...COLUMNS, 'deleted'])
    .where('account', '=', ctx.session.numberOf(account))
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  return row && { record: toProject(row), deleted: row.deleted === 1 };
}

function toProject(row: Pick<Selectable<ProjectTable>, (typeof COLUMNS)[number]>): Project {
  const { project_id, name, description, created_at, updated_at, version } = row;
  const domain = row.domain as Project['domain'];
  const archived = row.archived === 1 && ({ archived: true } as const);
  return { project_id, name, description, domain, ...archived, created_at, updated_at, version };
}

async function findByName(
  ctx: ReadContext,
  account: AccountId,
  key: string,
): Promise<Project | undefined> {
  const row = await ctx.session.db
    .selectFrom('projects')
    .select(COLUMNS)
    .where('account', '=', ctx.session.numberOf(account))
    .where('name_key', '=', key)
    .where('deleted', '=', 0)
    .orderBy('project_pk')
    .limit(1)
    .executeTakeFirst();
  return row && toProject(row);
}

/** The project of cases that do not name one yet. */
export const UNSORTED_PROJECT = ProjectId.parse('prj_unsorted000000000000000000');

/**
 * Makes a row for a project of which nothing is known yet, so that its cases can be found; true
 * where it was made.
 */
export async function placeholderProject(
  ctx: WriteContext,
  account: AccountId,
  projectId: ProjectId,
): Promise<boolean> {
  const name = projectId === UNSORTED_PROJECT ? 'Unsorted' : projectId;
  const { session } = ctx;
  const number = session.numberOf(account);
  const row = {
    account: number,
    project_pk: session.nextNumber('projects', number),
    project_id: projectId,
    name,
    name_key: nameKey(name),
    description: '',
    domain: 'general',
    created_at: ctx.at,
    updated_at: ctx.at,
    version: 1,
    deleted: 0,
  };
  const made = await session.db
    .insertInto('projects')
    .values(row)
    .onConflict((oc) => oc.columns(['account', 'project_id']).doNothing())
    .returning('project_pk')
    .executeTakeFirst();
  return made !== undefined;
}

type NextProjectFields = Pick<Project, 'name' | 'description' | 'domain'>;

/** The fields of a project as a request leaves them. */
function nextFields(input: ProjectInput, stored: Project | undefined): NextProjectFields {
  // If two names differ only in their form, the stored one is kept.
  const name =
    stored !== undefined && nameKey(stored.name) === nameKey(input.name)
      ? stored.name
      : nameKey(input.name);
  return {
    name,
    description: input.description ?? stored?.description ?? '',
    domain: input.domain ?? stored?.domain ?? 'general',
  };
}

/** The fields that differ from what is stored; all of them where nothing is. */
function changedFields(stored: Project | undefined, next: NextProjectFields): FieldDraft[] {
  const fields = (['name', 'description', 'domain'] as const)
    .filter((field) => stored?.[field] !== next[field])
    .map((field) => ({ reg: `project/${field}`, value: next[field] }));
  return stored === undefined
    ? [{ reg: 'project/x', value: { deleted: false } }, ...fields]
    : fields;
}

/** The project that a request means, and the one that has its name. Throws not_found. */
async function findMeant(
  ctx: WriteContext,
  account: AccountId,
  input: ProjectInput,
): Promise<{ stored: Project | undefined; namesake: Project | undefined }> {
  const { db, lock } = ctx.session;
  // Two requests with one new name must not both create it.
  await db
    .selectFrom('accounts')
    .select('account_id')
    .where('account_id', '=', account)
    .modifyEnd(lock)
    .execute();
  const namesake = await findByName(ctx, account, nameKey(input.name));
  const stored =
    input.project_id === undefined ? namesake : await getProject(ctx, account, input.project_id);
  if (input.project_id !== undefined && stored === undefined)
    throw new StoreError('not_found', ABSENT.project_id);
  // To a key that is limited to projects, a name of another project is like one that nobody uses:
  // such a key creates no projects.
  reach(ctx, stored?.project_id ?? null, ABSENT.project_id);
  return { stored, namesake };
}

export async function upsertProject(
  ctx: WriteContext,
  actor: Actor,
  input: ProjectInput,
  precondition: Precondition,
): Promise<Upserted<Project>> {
  const { db } = ctx.session;
  const { account_id } = actor;
  const { stored, namesake } = await findMeant(ctx, account_id, input);
  checkPrecondition(precondition, stored?.version);
  if (stored !== undefined && namesake !== undefined && namesake.project_id !== stored.project_id) {
    throw new StoreError('conflict', 'Another project of the account has this name.', [
      { path: '/name', code: 'name_taken', message: 'Choose a name that no other project has.' },
    ]);
  }
  const project_id = stored?.project_id ?? sortableId('prj_', ctx.ports);
  const next = nextFields(input, stored);
  const drafts = changedFields(stored, next);
  if (stored !== undefined && drafts.length === 0) return { record: stored, created: false };
  const stream = await openStream(ctx, account_id, projectStream(project_id));
  Object.assign(next, (await authorFields(ctx, stream, actor, drafts, input.reason)).shown);
  await flushStream(ctx, stream);
  const times = { created_at: stored?.created_at ?? ctx.at, updated_at: ctx.at };
  const archived = stored?.archived === true && ({ archived: true } as const);
  const version = (stored?.version ?? 0) + 1;
  const record: Project = { project_id, ...next, ...archived, ...times, version };
  const account = ctx.session.numberOf(account_id);
  if (stored === undefined)
    await db
      .insertInto('projects')
      .values({
        project_id,
        ...next,
        ...times,
        version,
        account,
        project_pk: ctx.session.nextNumber('projects', account),
        name_key: nameKey(input.name),
        deleted: 0,
      })
      .execute();
  else
    await db
      .updateTable('projects')
      .set({
        ...next,
        name_key: nameKey(next.name),
        updated_at: ctx.at,
        version,
      })
      .where('account', '=', account)
      .where('project_id', '=', project_id)
      .execute();
  const renamed = stored !== undefined && stored.name !== record.name;
  return { record, created: stored === undefined, renamed };
}
