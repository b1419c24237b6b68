import { type AccountId, known, type UserId } from '../../../shared/contract/ids.ts';
import { EMPTY_CHAIN } from '../../../sync/log.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { sharedProjects, LEFT, sharedStreams } from './shared-streams.ts';
import type { Left } from './unsent.ts';

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

async function metaOf(ctx: ReadContext, key: string): Promise<string | undefined> {
  return (
    await ctx.session.db
      .selectFrom('meta')
      .select('value')
      .where('key', '=', key)
      .executeTakeFirst()
  )?.value;
}

const personOf = ({ key }: { key: string }): UserId =>
  known.userId.parse(key.slice('person:'.length));

/**
 * Whose work may be sent to this hosted store: that of the connected user, of the person before any
 * connection, and of the users that the studio's person was on other servers. Another user of this
 * same server has to send their own work.
 */
export async function sentFor(
  ctx: ReadContext,
  uplink: Pick<StoredUplink, 'store' | 'user_id'>,
): Promise<UserId[]> {
  const persons = await ctx.session.db
    .selectFrom('meta')
    .select(['key', 'value'])
    .where('key', 'like', 'person:%')
    .execute();
  const local = known.userId.parse(await metaOf(ctx, 'local_user'));
  const previous = persons.filter((row) => row.value !== uplink.store).map(personOf);
  return [...new Set([uplink.user_id, ...(persons.length === 0 ? [local] : previous)])];
}

/** Whom the studio called its person before any connection: remembered without a store. */
export async function earlierUsers(ctx: ReadContext): Promise<UserId[]> {
  const rows = await ctx.session.db
    .selectFrom('meta')
    .select('key')
    .where('key', 'like', 'person:%')
    .where('value', '=', '')
    .execute();
  return rows.map(personOf);
}

/**
 * Makes the studio's person a user that the hosted server knows. What is recorded from now on
 * carries that id and name, and keys and sessions of the previous person become theirs. The
 * previous user is remembered, since such work may still wait.
 */
export async function becomeUser(
  ctx: WriteContext,
  { user_id, user_name: name, store }: Pick<StoredUplink, 'user_id' | 'user_name' | 'store'>,
): Promise<void> {
  const { db } = ctx.session;
  const [account_id, previous] = [
    known.accountId.parse(await metaOf(ctx, 'local_account')),
    known.userId.parse(await metaOf(ctx, 'local_user')),
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
    .where('user_id', '=', previous)
    .execute();
  await db
    .updateTable('sessions')
    .set({ user_id })
    .where('account_id', '=', account_id)
    .where('user_id', '=', previous)
    .execute();
  await db
    .updateTable('sign_in_links')
    .set({ user_id })
    .where('account_id', '=', account_id)
    .where('user_id', '=', previous)
    .execute();
  const persons = [
    { key: `person:${previous}`, value: '' },
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
export async function restartLinks(ctx: WriteContext, account: AccountId): Promise<void> {
  const { db } = ctx.session;
  const number = ctx.session.numberOf(account);
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
    .where('account', '=', number)
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
        .where('streams.account', '=', number)
        .whereRef('streams.stream_pk', '=', ref('links.stream_pk'))
        .$castTo<number>(),
    }))
    .where('account', '=', number)
    .execute();
  await db.deleteFrom('unsendable').where('account', '=', number).execute();
  await db.deleteFrom('owed_runs').where('account', '=', number).execute();
}

/** The hosted server that this store exchanges with, or last did. */
export interface StoredUplink {
  /** Its origin; the identity and epoch of its store. */
  url: string;
  store: string;
  epoch: string;
  user_id: UserId;
  user_name: string;
  role: 'owner' | 'member' | 'viewer';
  connected_at: string;
  sealed_key: Uint8Array | null;
  key_kept: 'sealed' | 'file' | 'memory';
  connected: boolean;
}
