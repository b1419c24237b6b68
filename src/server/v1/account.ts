import { createHmac } from 'node:crypto';
import type { z } from 'zod';
import * as account from '../../shared/contract/v1/account.ts';
import type {
  CreatedKey,
  Role,
  Scope,
  Session,
  StudioKeyInput,
} from '../../shared/contract/v1/account.ts';
import { requireConfirmed } from '../auth/confirmed.ts';
import { keyMac, mintKey } from '../auth/keys.ts';
import { shardOf } from '../auth/shard.ts';
import { provideSample } from '../content/sample.ts';
import { ApiError } from '../context/errors.ts';
import {
  type Route,
  type HandlerDeps,
  readRoute,
  type Result,
  type WriteCall,
  writeRoute,
} from '../http/route.ts';
import type { Actor } from '../storage/db/actor.ts';
import type { Reader } from '../storage/repositories.ts';
import type { ProjectId } from '../../shared/contract/ids.ts';

const DAY = 86_400_000;

/**
 * Makes a key of the caller's. Throws password_needed where the person has not given theirs lately.
 */
export async function makeKey(
  {
    actor,
    session,
    deps,
    now,
    writer,
  }: Pick<WriteCall, 'actor' | 'session' | 'now' | 'writer'> & {
    deps: Pick<HandlerDeps, 'random' | 'hmacSecret'>;
  },
  input: z.output<typeof StudioKeyInput>,
  scopes: readonly Scope[],
  limit: readonly ProjectId[] | null,
  detail: { pairing?: string } = {},
): Promise<CreatedKey> {
  await requireConfirmed(writer, { session, now }, actor.user_id);
  const { key, key_id, prefix } = mintKey(deps.random, shardOf(deps.hmacSecret, actor.account_id));
  const days = input.expires_days ?? null;
  const stored = await writer.keyWrites.create({
    key_id,
    prefix,
    account_id: actor.account_id,
    user_id: actor.user_id,
    name: input.name,
    scopes: [...new Set(scopes)],
    projects: limit,
    expires_at: days === null ? null : new Date(now + days * DAY).toISOString(),
    mac: keyMac(key, deps.hmacSecret),
  });
  const { name, projects, expires_at } = stored;
  writer.audit.add({
    action: 'key.created',
    object: key_id,
    detail: {
      name,
      scopes: stored.scopes,
      expires_at,
      ...(projects !== null && { projects }),
      ...detail,
    },
  });
  return { ...stored, key };
}

/** A viewer's key changes nothing either. */
export function requireScopesOfRole(role: Role, scopes: readonly Scope[]): void {
  if (role === 'viewer' && scopes.some((scope) => scope === 'write' || scope === 'delete'))
    throw new ApiError('read_only_role');
}

export async function newKey(
  ...asked: Parameters<typeof makeKey>
): Promise<Result<z.output<typeof CreatedKey>>> {
  const value = await makeKey(...asked);
  return {
    status: 201,
    value,
    location: `/api/v1/keys/${value.key_id}`,
    unrepeatable: true,
    counted: { resource: value.key_id },
  };
}

/** Fewer wrong passwords than these may be somebody's own mistakes in another browser. */
const WORTH_A_NOTICE = 5;

/** Who is signed in where. The account is the actor's, or another one of theirs. */
export async function sessionValue(
  reader: Reader,
  deps: HandlerDeps,
  actor: Actor,
  account_id = actor.account_id,
): Promise<z.output<typeof Session>> {
  const accounts = await reader.team.accountsOf(actor.user_id);
  const account = accounts.find((candidate) => candidate.account_id === account_id);
  const member = await reader.team.member(account_id, actor.user_id);
  if (account === undefined || member === undefined) throw new ApiError('not_found');
  const isOwned = await reader.team.hasOwner(account_id);
  const tried =
    deps.home === 'hosted' ? await reader.team.triedPasswords(actor.user_id) : undefined;
  const { read_only } = deps.store.health();
  const formerly =
    deps.home === 'hosted'
      ? []
      : (await reader.uplink.earlierUsers()).filter((user) => user !== actor.user_id);
  return {
    account: { account_id, name: account.name, ...(!isOwned && { without_owner: true as const }) },
    user: {
      user_id: actor.user_id,
      name: actor.user_name,
      email: member.email,
      role: isOwned ? member.role : 'viewer',
      ...(formerly.length > 0 && { formerly }),
    },
    accounts: accounts.map(({ account_id: id, name, role }) => ({ account_id: id, name, role })),
    ...(tried !== undefined &&
      tried.wrong + tried.refused >= WORTH_A_NOTICE && { tried_passwords: tried }),
    sign_in: deps.home === 'hosted' ? 'password' : deps.home === 'local' ? 'link' : 'none',
    home: deps.home,
    server: {
      operator_only: deps.operatorOnly,
      version: deps.version,
      url: deps.url,
      instance_id: deps.instanceId,
      store: deps.store.storeId,
      read_only: read_only !== null,
      read_only_reason: read_only,
      backups: read_only === null ? [] : deps.backups(),
    },
  };
}

/** What of a key's limits a person has changed, in the audit trail. */
function noteLimits(
  audit: Pick<WriteCall['writer']['audit'], 'add'>,
  before: account.ApiKey,
  { key_id: object, name, paused_at, limits }: account.ApiKey,
  reason: string | undefined,
): void {
  const why = { name, reason: reason ?? null };
  if ((before.paused_at === null) !== (paused_at === null))
    audit.add({
      action: paused_at === null ? 'key.resumed' : 'key.paused',
      object,
      detail: why,
    });
  const { suggestions_a_day, open_suggestions } = limits;
  if (
    before.limits.suggestions_a_day !== suggestions_a_day ||
    before.limits.open_suggestions !== open_suggestions
  )
    audit.add({
      action: 'key.limited',
      object,
      detail: { ...why, suggestions_a_day, open_suggestions },
    });
}

export const accountRoutes: readonly Route[] = [
  writeRoute(
    account.createKey,
    async (call) => {
      const { role, body } = call;
      requireScopesOfRole(role, body.scopes);
      return newKey(call, body, body.scopes, body.projects ?? null);
    },
    { changesMembers: true },
  ),

  writeRoute(account.createSample, async ({ actor, writer, query }) => {
    const { created, ...value } = await provideSample(writer, actor, query.reset === 'true');
    return {
      status: created ? 201 : 200,
      value,
      ...(created && { location: `/api/v1/cases/${encodeURIComponent(value.case_uid)}` }),
      counted: { resource: value.case_uid },
    };
  }),

  writeRoute(account.createStudioKey, (call) => newKey(call, call.body, ['sync'], null), {
    changesMembers: true,
  }),

  /**
   * Derived, not stored: whoever signs in again as the same person in the same browser opens the
   * same copies, and unsent work with them. Nobody else is given it, and without it what lies in
   * the browser cannot be read.
   */
  readRoute(
    account.getCopyKey,
    async ({ actor, query, deps }) => {
      const { keep, offlineMs } = deps.copies;
      const secret = createHmac(
        'sha256',
        createHmac('sha256', deps.hmacSecret).update('copies in a browser').digest(),
      )
        .update(JSON.stringify([actor.user_id, query.browser]))
        .digest('base64url');
      return {
        status: 200,
        value: {
          user_id: actor.user_id,
          secret: keep === 'unknown' ? null : secret,
          keep: keep === 'yes',
          offline_seconds: keep === 'yes' ? Math.floor(offlineMs / 1_000) : 0,
        },
      };
    },
    { acrossAccounts: true },
  ),

  readRoute(
    account.getSession,
    async ({ actor, deps, reader }) => ({
      status: 200,
      value: await sessionValue(reader, deps, actor),
    }),
    { acrossAccounts: true },
  ),

  readRoute(
    account.getUsage,
    async ({ actor, role, reader }) => ({
      status: 200,
      value: await reader.usage.summary(
        actor.account_id,
        role === 'owner' ? undefined : actor.user_id,
      ),
    }),
    { flushesUsage: true },
  ),

  /** An explicit act of a person: from then on the key brings what others wrote in its studio. */
  writeRoute(
    account.letKeySync,
    async ({ actor, role, session, now, params, writer }) => {
      const stored = await writer.keys.byId(params.keyId);
      if (
        stored?.account_id !== actor.account_id ||
        (role !== 'owner' && stored.user_id !== actor.user_id)
      )
        throw new ApiError('not_found');
      if (stored.revoked_at !== null)
        throw new ApiError('conflict', { message: 'This key has been revoked.' });
      if (stored.projects !== null)
        throw new ApiError('conflict', {
          message: 'This key is limited to projects, and a studio exchanges more than those.',
        });
      await requireConfirmed(writer, { session, now }, actor.user_id);
      const value = await writer.keyWrites.letSync(actor.account_id, params.keyId);
      if (!stored.scopes.includes('sync'))
        writer.audit.add({
          action: 'key.let_sync',
          object: value.key_id,
          detail: { name: value.name, user_id: stored.user_id },
        });
      return { status: 200, value, counted: { resource: params.keyId } };
    },
    { changesMembers: true },
  ),

  writeRoute(account.limitKey, async ({ actor, role, params, body, writer }) => {
    const stored = await writer.keys.byId(params.keyId);
    if (
      stored?.account_id !== actor.account_id ||
      (role !== 'owner' && stored.user_id !== actor.user_id)
    )
      throw new ApiError('not_found');
    if (stored.scopes.includes('sync'))
      throw new ApiError('conflict', { message: 'A studio’s key has no limits: revoke it.' });
    const value = await writer.keyWrites.limit(actor.account_id, params.keyId, body);
    if (value === undefined) throw new ApiError('not_found');
    noteLimits(writer.audit, stored, value, body.reason);
    return { status: 200, value, counted: { resource: params.keyId } };
  }),

  writeRoute(account.revokeKey, async ({ actor, role, params, writer }) => {
    const stored = await writer.keys.byId(params.keyId);
    // To whoever is not its owner, another member's key is as absent as another account's.
    if (role !== 'owner' && stored?.user_id !== actor.user_id) throw new ApiError('not_found');
    const value = await writer.keyWrites.revoke(actor.account_id, params.keyId);
    if (value === undefined) throw new ApiError('not_found');
    if (stored?.revoked_at === null)
      writer.audit.add({
        action: 'key.revoked',
        object: value.key_id,
        detail: { name: value.name },
      });
    return { status: 200, value, counted: { resource: params.keyId } };
  }),
];
