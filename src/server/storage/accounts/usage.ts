import type { AccountId, UserId, KeyId } from '../../../shared/contract/ids.ts';
import type { Usage } from '../../../shared/contract/v1/account.ts';
import { recordInRound } from '../../../shared/contract/v1/rounds.ts';
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

/** What these events of one account add to each month. */
function addedByMonth(events: readonly UsageEvent[]): AddedUsage[] {
  const months = new Map<string, AddedUsage>();
  for (const { account_id, at, cells_written, runs } of events) {
    const month = at.slice(0, 7);
    const total = months.get(month) ?? {
      account_id,
      month,
      requests: 0,
      cells_written: 0,
      runs: 0,
    };
    total.requests += 1;
    total.cells_written += cells_written;
    total.runs += runs;
    months.set(month, total);
  }
  // In the same order everywhere, so that two writers cannot deadlock.
  return [...months].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, total]) => total);
}

/** Adds events of one account after another, in the same order everywhere as well. */
export async function addUsage(
  ctx: WriteContext,
  events: readonly UsageEvent[],
): Promise<MonthTotal[]> {
  const totals: MonthTotal[] = [];
  const byAccount = [...Map.groupBy(events, ({ account_id }) => account_id)];
  for (const [account, some] of byAccount.sort(([a], [b]) => (a < b ? -1 : 1)))
    totals.push(...(await addOfAccount(ctx, account, some)));
  return totals;
}

async function addOfAccount(
  ctx: WriteContext,
  account: AccountId,
  events: readonly UsageEvent[],
): Promise<MonthTotal[]> {
  const { session } = ctx;
  session.turnTo(account);
  const pks = await session.allocate('usage_events', events.length);
  await session.insert(
    'usage_events',
    ['event_pk', 'at', 'action', 'resource', 'key_id', 'status'],
    events.map(({ at, action, resource, key_id, status }, index) => [
      pks[index],
      at,
      action,
      resource,
      key_id,
      status,
    ]),
  );
  const added = addedByMonth(events);
  const counts = ['requests', 'cells_written', 'runs'] as const;
  await session.insert(
    'usage_months',
    ['month', ...counts],
    added.map((total) => [total.month, ...counts.map((count) => total[count])]),
    { target: ['month'], update: [], add: counts },
  );
  const totals = await session.db
    .selectFrom('usage_months')
    .select(['month', 'requests'])
    .where('account', '=', session.account)
    .where(session.inList('month', [...new Set(added.map(({ month }) => month))]))
    .orderBy('month')
    .execute();
  const more = new Map(added.map(({ month, requests }) => [month, requests]));
  const isDue = totals.some(
    ({ month, requests }) =>
      Math.floor(requests / TRIM_EVERY) >
      Math.floor((requests - (more.get(month) ?? 0)) / TRIM_EVERY),
  );
  if (isDue) await trim(ctx, account);
  return totals.map((total) => ({ account_id: account, ...total }));
}

async function trim(ctx: WriteContext, account: AccountId): Promise<void> {
  const { db } = ctx.session;
  const oldest = await db
    .selectFrom('usage_events')
    .select('event_pk')
    .where('account', '=', ctx.session.numberOf(account))
    .orderBy('event_pk', 'desc')
    .offset(KEPT)
    .limit(1)
    .executeTakeFirst();
  if (oldest !== undefined)
    await db
      .deleteFrom('usage_events')
      .where('account', '=', ctx.session.numberOf(account))
      .where('event_pk', '<=', oldest.event_pk)
      .execute();
}

/**
 * Usage of the account, with the keys of everybody or of one user; without who records in rounds,
 * which nobody is told meanwhile.
 */
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
    .where('account', '=', ctx.session.numberOf(account))
    .orderBy('month', 'desc')
    .limit(120)
    .execute();
  const events = await db
    .selectFrom('usage_events')
    .select(['event_pk', 'at', 'action', 'resource', 'key_id', 'status'])
    .where('account', '=', ctx.session.numberOf(account))
    .where('action', '!=', recordInRound.id)
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
