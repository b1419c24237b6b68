import type { AuditEvent } from '../../../shared/contract/v1/audit.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { Hasher } from '../../../shared/lib/hash.ts';
import type { AuditTable, TrailOwner } from '../db/schema/account-tables.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { readCursor, writeCursor, type Listed, type Page } from '../db/cursor.ts';
import type { AuditEntry, AuditOrigin } from '../db/audit-entry.ts';

/** The hash before the first event. */
export const AUDIT_START: AuditHead = { seq: 0, hash: '0'.repeat(64) };
/** Owner of the trail for what belongs to no account. */
export const SERVER_TRAIL = '' as const;

/** Hash of an event. It covers the event and, through the previous hash, all events before it. */
export function auditHash(
  previous: string,
  event: Omit<AuditEvent, 'hash'>,
  hasher: Hasher,
): string {
  return hasher.sha256Hex(previous + canonicalJson(event));
}

function toEvent({
  account_id,
  seq,
  at,
  action,
  object,
  detail,
  kind,
  user_id,
  name,
  key_id,
  session,
  address,
  request_id,
  hash,
}: AuditTable): AuditEvent {
  return {
    account_id,
    seq,
    at,
    action: action as AuditEvent['action'],
    object,
    detail: JSON.parse(detail) as AuditEvent['detail'],
    by: { kind: kind as AuditEvent['by']['kind'], user_id, name, key_id, session, address },
    request_id,
    hash,
  };
}

/** Sets who acts: the actor of every event that this transaction adds from here on. */
export function auditBy(ctx: WriteContext, origin: AuditOrigin): void {
  ctx.auditOrigin = origin;
}

/** Adds an event. It is written with the transaction, or not at all if that fails. */
export function auditAdd(ctx: WriteContext, entry: AuditEntry): void {
  const origin = ctx.auditOrigin;
  if (origin === undefined) throw new TypeError(`Nobody is named who did ${entry.action}.`);
  ctx.audited.push({ origin, entry });
}

const COLUMNS = [
  'account_id',
  'seq',
  'at',
  'action',
  'object',
  'detail',
  'kind',
  'user_id',
  'name',
  'key_id',
  'session',
  'address',
  'request_id',
  'hash',
] as const;

async function lockHead(ctx: WriteContext, account_id: TrailOwner): Promise<AuditHead> {
  const { db, lock } = ctx.session;
  const find = () =>
    db
      .selectFrom('audit_heads')
      .select(['seq', 'hash'])
      .where('account_id', '=', account_id)
      .modifyEnd(lock)
      .executeTakeFirst();
  const found = await find();
  if (found !== undefined) return found;
  await db
    .insertInto('audit_heads')
    .values({ account_id, ...AUDIT_START })
    .onConflict((oc) => oc.doNothing())
    .execute();
  return (await find()) ?? AUDIT_START;
}

/**
 * Writes the events, as one of the last steps of a transaction, since the trail's head is locked
 * from here on. Trails are locked in the same order everywhere, so that two writers cannot
 * deadlock.
 */
export async function flushAudit(ctx: WriteContext): Promise<void> {
  const byAccount = Map.groupBy(
    ctx.audited,
    ({ origin, entry }) => entry.account_id ?? origin.account_id,
  );
  for (const account_id of [...byAccount.keys()].sort()) {
    let { seq, hash } = await lockHead(ctx, account_id);
    const rows: unknown[][] = [];
    for (const { origin, entry } of byAccount.get(account_id) ?? []) {
      const { kind, user_id, name, key_id, session, address, request_id } = origin;
      const { action, object, detail = {} } = entry;
      seq += 1;
      hash = auditHash(
        hash,
        {
          account_id,
          seq,
          at: ctx.at,
          action,
          object,
          detail,
          by: { kind, user_id, name, key_id, session, address },
          request_id,
        },
        ctx.ports.hasher,
      );
      rows.push([
        account_id,
        seq,
        ctx.at,
        action,
        object,
        canonicalJson(detail),
        kind,
        user_id,
        name,
        key_id,
        session,
        address,
        request_id,
        hash,
      ]);
    }
    await ctx.session.insert('audit_events', COLUMNS, rows);
    await ctx.session.change(
      ctx.session.db
        .updateTable('audit_heads')
        .set({ seq, hash })
        .where('account_id', '=', account_id),
    );
  }
}

export async function auditHead(ctx: ReadContext, account: TrailOwner): Promise<AuditHead> {
  return (
    (await ctx.session.db
      .selectFrom('audit_heads')
      .select(['seq', 'hash'])
      .where('account_id', '=', account)
      .executeTakeFirst()) ?? AUDIT_START
  );
}

/** Events after a position, oldest first. */
export async function auditAfter(
  ctx: ReadContext,
  account: TrailOwner,
  seq: number,
  limit: number,
): Promise<AuditEvent[]> {
  const rows = await ctx.session.db
    .selectFrom('audit_events')
    .select(COLUMNS)
    .where('account_id', '=', account)
    .where('seq', '>', seq)
    .orderBy('seq')
    .limit(limit)
    .execute();
  return rows.map(toEvent);
}

/** Newest first. */
export async function auditPage(
  ctx: ReadContext,
  account: TrailOwner,
  page: Page,
): Promise<Listed<AuditEvent>> {
  let query = ctx.session.db
    .selectFrom('audit_events')
    .select(COLUMNS)
    .where('account_id', '=', account)
    .orderBy('seq', 'desc')
    .limit(page.limit + 1);
  if (page.cursor !== undefined)
    query = query.where('seq', '<', readCursor('audit', ['whole'], page.cursor)[0] as number);
  const rows = await query.execute();
  const data = rows.slice(0, page.limit).map(toEvent);
  const last = data.at(-1);
  return {
    data,
    next_cursor:
      rows.length > page.limit && last !== undefined ? writeCursor('audit', [last.seq]) : null,
  };
}

/** Number and hash of the last event of a trail. */
export interface AuditHead {
  seq: number;
  hash: string;
}
