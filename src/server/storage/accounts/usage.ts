import type { AccountId, UserId, KeyId } from '../../../shared/contract/ids.ts';
import type { Usage } from '../../../shared/contract/v1/account.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { listKeys } from './keys.ts';
import { StoreError } from '../db/errors.ts';

const RECENT = 50;
/**
 * Recent events kept for each account (a few more may be stored); the monthly totals contain the
 * rest.
 */
const KEPT = 2_000;
/** Older events are deleted each time this many were added, since looking for them is not free. */
const TRIM_EVERY = 500;

interface AddedUsage extends MonthTotal {
  cells_written: number;
  runs: number;
}

/** What these events add to each month of each account. */
function addedByMonth(events: readonly UsageEvent[]): AddedUsage[] {
  const months = new Map<string, AddedUsage>();
  for (const { account_id, at, cells_written, runs } of events) {
    const month = at.slice(0, 7);
    const key = `${account_id}/${month}`;
    const total = months.get(key) ?? {
      account_id,
      month,
      requests: 0,
      cells_written: 0,
      runs: 0,
    };
    total.requests += 1;
    total.cells_written += cells_written;
    total.runs += runs;
    months.set(key, total);
  }
  // In the same order everywhere, so that two writers cannot deadlock.
  return [...months].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, total]) => total);
}

export async function addUsage(
  ctx: WriteContext,
  events: readonly UsageEvent[],
): Promise<MonthTotal[]> {
  const { session } = ctx;
  await session.insert(
    'usage_events',
    ['account_id', 'at', 'action', 'resource', 'key_id', 'status'],
    events.map((event) => [
      event.account_id,
      event.at,
      event.action,
      event.resource,
      event.key_id,
      event.status,
    ]),
  );
  const added = addedByMonth(events);
  const counts = ['requests', 'cells_written', 'runs'] as const;
  await session.insert(
    'usage_months',
    ['account_id', 'month', ...counts],
    added.map((total) => [total.account_id, total.month, ...counts.map((count) => total[count])]),
    { target: ['account_id', 'month'], update: [], add: counts },
  );
  const totals = await session.db
    .selectFrom('usage_months')
    .select(['account_id', 'month', 'requests'])
    .where(
      'account_id',
      'in',
      session.list([...new Set(added.map(({ account_id }) => account_id))]),
    )
    .where('month', 'in', session.list([...new Set(added.map(({ month }) => month))]))
    .orderBy('month')
    .execute();
  const mine = new Map(
    added.map(({ account_id, month, requests }) => [`${account_id}/${month}`, requests]),
  );
  for (const { account_id, month, requests } of totals) {
    const more = mine.get(`${account_id}/${month}`) ?? 0;
    if (Math.floor(requests / TRIM_EVERY) > Math.floor((requests - more) / TRIM_EVERY))
      await trim(ctx, account_id);
  }
  return totals;
}

async function trim(ctx: WriteContext, account: AccountId): Promise<void> {
  const { db } = ctx.session;
  const oldest = await db
    .selectFrom('usage_events')
    .select('event_pk')
    .where('account_id', '=', account)
    .orderBy('event_pk', 'desc')
    .offset(KEPT)
    .limit(1)
    .executeTakeFirst();
  if (oldest !== undefined)
    await db
      .deleteFrom('usage_events')
      .where('account_id', '=', account)
      .where('event_pk', '<=', oldest.event_pk)
      .execute();
}

/** Usage of the account, with the keys of everybody or of one user. */
export async function usageSummary(
  ctx: ReadContext,
  account: AccountId,
  userId?: UserId,
): Promise<Usage> {
  const { db } = ctx.session;
  const owner = await db
    .selectFrom('accounts')
    .select(['account_id', 'name'])
    .where('account_id', '=', account)
    .executeTakeFirst();
  if (owner === undefined) throw new StoreError('not_found', 'There is no such account.');
  const months = await db
    .selectFrom('usage_months')
    .select(['month', 'requests', 'cells_written', 'runs'])
    .where('account_id', '=', account)
    .orderBy('month', 'desc')
    .limit(120)
    .execute();
  const events = await db
    .selectFrom('usage_events')
    .select(['event_pk', 'at', 'action', 'resource', 'key_id', 'status'])
    .where('account_id', '=', account)
    .orderBy('event_pk', 'desc')
    .limit(RECENT)
    .execute();
  const keys = await listKeys(ctx, account, userId);
  // Whoever is not shown everybody's keys is not shown which of them did what.
  const shown = new Set(keys.map(({ key_id }) => key_id));
  return {
    account: { account_id: owner.account_id, name: owner.name },
    api_keys: keys,
    monthly_totals: months.map(({ month, requests, cells_written, runs }) => ({
      month,
      requests,
      cells_written,
      runs,
    })),
    recent_events: events.map(({ event_pk, at, action, resource, key_id, status }) => ({
      event_id: `evt_${event_pk}`,
      at,
      action,
      resource,
      key_id: key_id !== null && shown.has(key_id) ? key_id : null,
      status,
    })),
  };
}

export interface UsageEvent {
  account_id: AccountId;
  at: string;
  action: string;
  resource: string | null;
  key_id: KeyId | null;
  status: number;
  cells_written: number;
  runs: number;
}

/** Requests of an account in a month so far, over all instances. */
export interface MonthTotal {
  account_id: AccountId;
  month: string;
  requests: number;
}
