import type {
  AccountId,
  CaseUid,
  ProjectId,
  ProfileUid,
  StreamName,
} from '../../../shared/contract/ids.ts';
import { ACTIVE_WITHIN_MS, type Case, type CaseSort } from '../../../shared/contract/v1/cases.ts';
import type { CaseStage } from '../../../shared/domain/sign-off.ts';
import type { RecordState } from '../../../shared/contract/v1/housekeeping.ts';
import type { Insertable, Selectable } from 'kysely';
import { compiledOnce } from '../db/compiled-once.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import type { Listed, Page } from '../db/cursor.ts';
import { cursorAfter, holds, isAfter, type Keyset, orderOf } from '../db/keyset.ts';
import { limitOf, reach } from '../db/permit.ts';
import { UNSORTED_PROJECT } from './projects.ts';
import { LISTED } from '../db/listed.ts';
import { noteMore } from '../db/quotas.ts';
import type { CaseTable } from '../db/schema/schema.ts';
import type { Stream } from '../log/change-log.ts';
import { ABSENT, StoreError } from '../db/errors.ts';
import type { Placeholders } from '../db/placeholder.ts';
import { isCaseStream } from '../../../sync/register.ts';

const COLUMNS = [
  'case_pk',
  'case_uid',
  'stream_pk',
  'project_id',
  'title',
  'description',
  'case_type',
  'metadata',
  'profile_uid',
  'profile_version',
  'item_rows',
  'item_count',
  'deleted',
  'archived',
  'requires_source',
  'stage',
  'version',
  'created_at',
  'updated_at',
  'active_at',
] as const;

/** A case with what the store alone knows of it. */
export interface StoredCase {
  pk: number;
  streamPk: number;
  itemRows: number;
  itemCount: number;
  deleted: boolean;
  archived: boolean;
  requiresSource: boolean;
  stage: CaseStage;
  /** When something was last recorded in it, to the minute. */
  activeAt: string;
  record: Case;
}

type CaseRow = Pick<Selectable<CaseTable>, (typeof COLUMNS)[number]>;

function toStored(row: CaseRow): StoredCase {
  const {
    case_uid,
    project_id,
    title,
    description,
    case_type,
    profile_uid,
    profile_version,
    created_at,
    updated_at,
    version,
  } = row;
  const metadata = JSON.parse(row.metadata) as Case['metadata'];
  return {
    pk: row.case_pk,
    streamPk: row.stream_pk,
    itemRows: row.item_rows,
    itemCount: row.item_count,
    deleted: row.deleted === 1,
    archived: row.archived === 1,
    requiresSource: row.requires_source === 1,
    stage: row.stage,
    activeAt: row.active_at,
    record: {
      case_uid,
      project_id,
      title,
      description,
      case_type,
      metadata,
      profile_uid,
      profile_version,
      ...(row.archived === 1 && { archived: true }),
      ...(row.requires_source === 1 && { requires_source: true }),
      ...(row.stage !== 'in_progress' && { stage: row.stage }),
      created_at,
      updated_at,
      version,
    },
  };
}

/** Which cases a list holds, and in which order. */
export interface CaseFilter {
  project_id: ProjectId | undefined;
  profile_uid?: ProfileUid | undefined;
  profile_version?: string | undefined;
  search?: string | undefined;
  sort?: CaseSort | undefined;
  order?: 'asc' | 'desc' | undefined;
  state?: RecordState | undefined;
  /** At least those in which something was recorded from then on. */
  since?: string | undefined;
}

const SORTED_BY = {
  created: undefined,
  title: 'title_key',
  changed: 'updated_at',
  active: 'active_at',
} as const;

export async function listCases(
  ctx: ReadContext,
  account: AccountId,
  filter: CaseFilter,
  page: Page,
): Promise<Listed<Case>> {
  const { data, next_cursor } = await casesPage(ctx, account, filter, page);
  return { data: data.map(({ record }) => record), next_cursor };
}

export async function casesPage(
  ctx: ReadContext,
  account: AccountId,
  filter: CaseFilter,
  page: Page,
): Promise<Listed<StoredCase>> {
  const { sort = 'created', order, search, state = 'active' } = filter;
  const keyset: Keyset = {
    list: 'cases',
    key: 'case_pk',
    column: SORTED_BY[sort],
    descending: order === 'desc',
  };
  let query = ctx.session.db
    .selectFrom('cases')
    .select([...COLUMNS, 'title_key'])
    .where('account', '=', ctx.session.numberOf(account))
    .where('listed', '=', LISTED[state])
    .orderBy(orderOf(keyset))
    .limit(page.limit + 1);
  for (const column of ['project_id', 'profile_uid', 'profile_version'] as const) {
    const wanted = filter[column];
    if (wanted !== undefined) query = query.where(column, '=', wanted);
  }
  if (search !== undefined) query = query.where(holds(['title', 'case_uid'], search));
  if (filter.since !== undefined) {
    const earlier = new Date(Date.parse(filter.since) - ACTIVE_WITHIN_MS).toISOString();
    query = query.where('active_at', '>=', earlier);
  }
  if (filter.project_id === undefined && state === 'active')
    query = query.where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('projects')
            .select('project_pk')
            .where('projects.account', '=', ctx.session.numberOf(account))
            .whereRef('projects.project_id', '=', 'cases.project_id')
            .where('projects.listed', '>', 0),
        ),
      ),
    );
  const limit = limitOf(ctx);
  if (limit !== undefined) query = query.where(ctx.session.inList('project_id', limit));
  if (page.cursor !== undefined) query = query.where(isAfter(keyset, page.cursor));
  const rows = await query.execute();
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  return {
    data: shown.map(toStored),
    next_cursor:
      rows.length > page.limit && last !== undefined
        ? cursorAfter(keyset, last.case_pk, last[SORTED_BY[sort] ?? 'updated_at'])
        : null,
  };
}

const caseQuery = compiledOnce(
  ({ db }, { account, caseUid }: Placeholders<{ account: number; caseUid: CaseUid }>) =>
    db
      .selectFrom('cases')
      .select(COLUMNS)
      .where('account', '=', account)
      .where('case_uid', '=', caseUid),
);

/** Also a deleted one. The transaction is about it from here on. */
export async function findAnyCase(
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
): Promise<StoredCase | undefined> {
  const asked = { account: ctx.session.numberOf(account), caseUid };
  const row = await caseQuery(ctx.session, asked).executeTakeFirst();
  if (row === undefined) return undefined;
  reach(ctx, row.project_id, ABSENT.case_uid);
  return toStored(row);
}

export async function findCase(
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
): Promise<StoredCase | undefined> {
  const found = await findAnyCase(ctx, account, caseUid);
  return found?.deleted === true ? undefined : found;
}

export async function getCase(
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
): Promise<Case | undefined> {
  return (await findCase(ctx, account, caseUid))?.record;
}

/** Throws not_found, in the same words for an absent case and for another account's. */
export async function needCase(
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
): Promise<StoredCase> {
  const found = await findAnyCase(ctx, account, caseUid);
  if (found?.deleted === true)
    throw new StoreError(
      'not_found',
      'The case was deleted. It can be read; creating it again brings it back with all that stands in it.',
      [
        {
          path: '/case_uid',
          code: 'case_deleted',
          message: 'POST it to /api/v1/cases to bring it back.',
        },
      ],
    );
  if (found === undefined) throw new StoreError('not_found', ABSENT.case_uid);
  return found;
}

/** For what only reads (V7): also a deleted one. */
export async function needAnyCase(
  ctx: ReadContext,
  account: AccountId,
  name: StreamName,
): Promise<StoredCase> {
  const found = isCaseStream(name) ? await findAnyCase(ctx, account, name) : undefined;
  if (found === undefined) throw new StoreError('not_found', ABSENT.case_uid);
  return found;
}

/**
 * Creates a case for a log that has none, with placeholders for the fields that nobody has written.
 */
export async function makeCase(
  ctx: WriteContext,
  { account, pk }: Stream,
  caseUid: CaseUid,
): Promise<StoredCase> {
  const row = {
    case_uid: caseUid,
    stream_pk: pk,
    project_id: UNSORTED_PROJECT,
    title: '',
    description: '',
    case_type: 'case',
    metadata: '{}',
    profile_uid: null,
    profile_version: null,
    item_rows: 0,
    item_count: 0,
    deleted: 0,
    version: 1,
    created_at: ctx.at,
    updated_at: ctx.at,
    active_at: ctx.at,
  };
  const case_pk = await insertCase(ctx, account, row);
  // The first fields create the case, so they do not count as a change of it.
  const unset = { archived: 0, requires_source: 0, stage: 'in_progress' } as const;
  return toStored({ ...row, case_pk, ...unset, version: 0 });
}

/** The number of the new row. */
export async function insertCase(
  ctx: WriteContext,
  account: AccountId,
  row: Omit<Insertable<CaseTable>, 'account' | 'case_pk'>,
): Promise<number> {
  const { session } = ctx;
  const number = session.numberOf(account);
  const { case_pk } = await session.db
    .insertInto('cases')
    .values({ ...row, account: number, case_pk: session.nextNumber('cases', number) })
    .returning('case_pk')
    .executeTakeFirstOrThrow();
  noteMore(ctx, account, 'cases');
  return case_pk;
}
