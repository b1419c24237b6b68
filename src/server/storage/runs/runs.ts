import type {
  AccountId,
  CaseUid,
  ProjectId,
  RunUid,
  ProfileUid,
} from '../../../shared/contract/ids.ts';
import type { RunEntry } from '../../../shared/contract/v1/runs.ts';
import type { RunRecorders } from '../../../shared/domain/run-recorders.ts';
import type { RunRecord } from '../../../shared/domain/run.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import type { Listed, Page } from '../db/cursor.ts';
import { cursorAfter, isAfter, type Keyset, orderOf } from '../db/keyset.ts';
import { noteChanged } from '../log/change-log.ts';
import { yieldToEventLoop } from '../db/event-loop.ts';
import { limitOf } from '../db/permit.ts';
import { noteMore } from '../db/quotas.ts';
import { readContent, type StoredEntry, toRecord } from './run-content.ts';
import { countRun } from './run-counts.ts';
import { readRecorders } from './run-recorders.ts';

export async function listRuns(
  ctx: ReadContext,
  account: AccountId,
  filter: {
    case_uid: CaseUid | undefined;
    project_id: ProjectId | undefined;
    profile_uid: ProfileUid | undefined;
    order?: 'asc' | 'desc' | undefined;
    state?: 'shown' | 'hidden' | undefined;
  },
  page: Page,
): Promise<Listed<RunEntry>> {
  const isHidden = filter.state === 'hidden';
  const keyset: Keyset = { list: 'runs', key: 'run_pk', descending: filter.order !== 'asc' };
  let query = ctx.session.db
    .selectFrom('runs')
    .leftJoin('run_contents', (join) =>
      join
        .onRef('run_contents.account', '=', 'runs.account')
        .onRef('run_contents.content_hash', '=', 'runs.content_hash'),
    )
    .select(['run_pk', 'entry', 'reproduced'])
    .where('runs.account', '=', ctx.session.numberOf(account))
    .where(({ exists, not, selectFrom }) => {
      const hidden = exists(
        selectFrom('hidden_runs')
          .select('hidden_runs.run_uid')
          .where('hidden_runs.account', '=', ctx.session.numberOf(account))
          .whereRef('hidden_runs.run_uid', '=', 'runs.run_uid')
          .whereRef('hidden_runs.case_uid', '=', 'runs.case_uid'),
      );
      return isHidden ? hidden : not(hidden);
    })
    .orderBy(orderOf(keyset))
    .limit(page.limit + 1);
  for (const column of ['case_uid', 'project_id', 'profile_uid'] as const) {
    const wanted = filter[column];
    if (wanted !== undefined) query = query.where(`runs.${column}`, '=', wanted);
  }
  const limit = limitOf(ctx);
  if (limit !== undefined) query = query.where('runs.project_id', 'in', ctx.session.list(limit));
  if (page.cursor !== undefined) query = query.where(isAfter(keyset, page.cursor));
  const rows = await query.execute();
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  const data = shown.map((row): RunEntry => ({
    ...(JSON.parse(row.entry) as StoredEntry),
    reproduced: row.reproduced === 1,
    ...(isHidden && { hidden: true }),
  }));
  return {
    data,
    next_cursor:
      rows.length > page.limit && last !== undefined ? cursorAfter(keyset, last.run_pk, '') : null,
  };
}

/**
 * The run with this run_uid. If two servers gave the same one to two contents, both are kept and
 * the older is meant.
 */
export async function entriesOf(
  ctx: ReadContext,
  account: AccountId,
  runUid: RunUid,
): Promise<StoredEntry[]> {
  const rows = await ctx.session.db
    .selectFrom('runs')
    .select(['entry', 'project_id'])
    .where('account', '=', ctx.session.numberOf(account))
    .where('run_uid', '=', runUid)
    .orderBy('created_at')
    .orderBy('content_hash')
    .execute();
  const limit = limitOf(ctx);
  return rows.flatMap((row) =>
    limit?.includes(row.project_id) === false ? [] : [JSON.parse(row.entry) as StoredEntry],
  );
}

/** `keys`: whether the identifiers of keys are shown. */
export async function readRun(
  ctx: ReadContext,
  account: AccountId,
  entry: StoredEntry,
  keys = true,
): Promise<{ json: string; record: RunRecord }> {
  const { sent_by, received_at } = entry;
  const content = await readContent(ctx, account, entry.content_hash);
  const record = {
    ...toRecord(entry, content, entry.content_hash),
    ...(sent_by !== undefined && { sent_by: keys ? sent_by : { ...sent_by, key_id: null } }),
    ...(received_at !== undefined && { received_at }),
  };
  await yieldToEventLoop();
  return { json: JSON.stringify(record), record };
}

/**
 * JSON text of the run record. `keys`: whether the identifiers of keys are shown. Throws
 * integrity_error if it no longer hashes to its content_hash.
 */
export async function getRun(
  ctx: ReadContext,
  account: AccountId,
  runUid: RunUid,
  hash?: string,
  keys?: boolean,
): Promise<{ json: string; record: RunRecord } | undefined> {
  const entry = (await entriesOf(ctx, account, runUid)).find(
    ({ content_hash }) => hash === undefined || content_hash === hash,
  );
  return entry && readRun(ctx, account, entry, keys);
}

/**
 * Who recorded the run's outcomes, as the server that froze it says: null where that is not known,
 * undefined where there is no such run. Throws integrity_error.
 */
export async function getRecorders(
  ctx: ReadContext,
  account: AccountId,
  runUid: RunUid,
  hash?: string,
  keys?: boolean,
): Promise<{ run_uid: RunUid; content_hash: string; recorders: RunRecorders | null } | undefined> {
  const entry = (await entriesOf(ctx, account, runUid)).find(
    ({ content_hash }) => hash === undefined || content_hash === hash,
  );
  return (
    entry && {
      run_uid: entry.run_uid,
      content_hash: entry.content_hash,
      recorders: await readRecorders(ctx, account, entry.run_uid, entry.content_hash, keys),
    }
  );
}

/** Adds a run to a stored content; false where it was there already. */
export async function insertRun(
  ctx: WriteContext,
  account: AccountId,
  entry: StoredEntry,
): Promise<boolean> {
  const { run_uid, case_uid, project_id, profile_uid, profile_version, content_hash, created_at } =
    entry;
  const number = ctx.session.numberOf(account);
  const row = {
    account: number,
    run_pk: ctx.session.nextNumber('runs', number),
    run_uid,
    case_uid,
    project_id,
    profile_uid,
    profile_version,
    content_hash,
    created_at,
    entry: JSON.stringify(entry),
  };
  const inserted = await ctx.session.db
    .insertInto('runs')
    .values(row)
    .onConflict((oc) => oc.columns(['account', 'run_uid', 'content_hash']).doNothing())
    .returning('run_pk')
    .execute();
  if (inserted.length === 0) return false;
  noteChanged(ctx, account, content_hash);
  noteMore(ctx, account, 'runs');
  await countRun(ctx, account, case_uid);
  return true;
}

export function entryOf({
  frozen: _,
  result: { items: __, ...result },
  ...rest
}: RunRecord): StoredEntry {
  return { ...rest, result };
}
