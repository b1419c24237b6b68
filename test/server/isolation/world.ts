import { AccountId, type UserId } from '../../../src/shared/contract/ids.ts';
import { DatabaseSync } from 'node:sqlite';
import {
  createCookies,
  mintToken,
  SESSION_LIFE,
  tokenHash,
} from '../../../src/server/auth/session.ts';
import { keyMac, mintKey } from '../../../src/server/auth/keys.ts';
import type { Role, Scope } from '../../../src/shared/contract/v1/account.ts';
import { blobsOf } from '../../../src/shared/domain/run-manifest.ts';
import { TRIO } from '../../support/evidence.ts';
import { asKey } from '../../support/ids.ts';
import { makePlainDatabase } from '../../support/plain-database.ts';
import {
  bootServer,
  type CallOptions,
  type TestAnswer,
  type TestServer,
} from '../../support/server.ts';
import { unseenOutcome, wireChange } from '../../support/sync-change.ts';
import { EVERY_ACCOUNT } from '../../../src/server/storage/db/session.ts';
import { MARK_ACCOUNTS } from '../../support/mark-accounts.ts';

/** In every name and text of the first account; no answer to anybody else may hold it. */
export const CANARY = 'CANARY-7f3a';
export const CELL = {
  profile: TRIO,
  version: '1.1',
  rule: 'parents_genotype_missing',
  item: `${CANARY}-item`,
};

export interface Person {
  account_id: AccountId;
  user_id: UserId;
  role: Role;
}

/** Names of one account's objects. */
export interface Objects {
  account: AccountId;
  project: string;
  case: string;
  pushed: string;
  profile: string;
  run: string;
  hash: string;
  blob: string;
  key: string;
  user: string;
  session: string;
  invitation: string;
  /**
   * Rounds of the case, the one open and the other released, that nobody of the world records in.
   */
  round: string;
  released: string;
  /** A query on the cell's item. */
  thread: string;
}

/** Well-formed names that nobody has given anything. */
export const ABSENT: Objects = {
  account: AccountId.parse(`acc_${'zy'.repeat(13)}`),
  project: `prj_${'zy'.repeat(13)}`,
  case: 'nobody-has-this',
  pushed: 'nobody-pushed-this',
  profile: 'nobody_has_it',
  run: 'run_nobody_has',
  hash: `sha256:${'ab'.repeat(32)}`,
  blob: 'cd'.repeat(32),
  key: 'NobodyHas0',
  user: `usr_${'zy'.repeat(13)}`,
  session: `ses_${'zy'.repeat(12)}`,
  invitation: `inv_${'zy'.repeat(13)}`,
  round: `rnd_${'Zy'.repeat(13)}`,
  released: `rnd_${'Zz'.repeat(13)}`,
  thread: `thr_${'Zy'.repeat(13)}`,
};
/** Whom no row acts as. */
export const RECORDERS = [`usr_${'rec'.repeat(8)}`, `usr_${'ord'.repeat(8)}`];

/** What a request shows of who sends it. */
export type Credentials = Pick<CallOptions, 'key' | 'headers'>;

export interface World extends AsyncDisposable {
  server: TestServer;
  owner: Person;
  member: Person;
  viewer: Person;
  /** Owner of another account. */
  other: Person;
  /**
   * What somebody who was removed, and somebody whose access the operator has ended, still hold;
   * and what the owner holds no longer.
   */
  out: Record<
    | 'revoked'
    | 'expired'
    | 'ended'
    | 'removed'
    | 'removedStudio'
    | 'removedSession'
    | 'disabled'
    | 'disabledStudio'
    | 'disabledSession',
    Credentials
  >;
  objects: Objects;
  manifest: string;
  ticket: unknown;
  /** A change of `pushed`, by its member: of the others, only studios' keys may bring it. */
  change: { id: string; change: string };
  key(
    person: Person,
    options?: { scopes?: Scope[]; expires_at?: string | null; name?: string },
  ): Promise<{ key: string; key_id: string }>;
  /** The same one each time. */
  keyOf(person: Person): Promise<string>;
  /** A member of the first account who is nobody else's row. */
  newcomer(): Promise<string>;
  invitation(): Promise<string>;
  /** Of a browser that is signed in, and a name of the session. */
  session(
    person: Person,
  ): Promise<{ headers: Record<string, string>; hash: string; session_id: string }>;
  call(method: string, path: string, who: Credentials, body?: unknown): Promise<TestAnswer>;
}

async function accounts(server: TestServer, sql: (statement: string) => Promise<unknown>) {
  const { store } = server.deps;
  const { account_id, user_id } = store.local;
  const person = async (role: 'member' | 'viewer'): Promise<Person> => {
    const made = await store.transact(
      (writer) => writer.userWrites.ensure(account_id, `${CANARY} ${role}`, role),
      account_id,
    );
    return { account_id, user_id: made.user_id, role };
  };
  const people = {
    owner: { account_id, user_id, role: 'owner' as const },
    member: await person('member'),
    viewer: await person('viewer'),
  };
  await sql(
    `INSERT INTO accounts (account_id, name, created_at) VALUES ('acc_other', 'Other', '2026-01-01T00:00:00.000Z')`,
  );
  await sql(MARK_ACCOUNTS);
  const { user_id: stranger } = await store.transact(
    (writer) => writer.userWrites.ensure(AccountId.parse('acc_other'), 'Stranger', 'owner'),
    AccountId.parse('acc_other'),
  );
  return {
    ...people,
    other: { account_id: AccountId.parse('acc_other'), user_id: stranger, role: 'owner' as const },
  };
}

/** Two accounts on one server, the first with something of everything. */
export async function createWorld(postgres: string | undefined): Promise<World> {
  const database = postgres === undefined ? undefined : await makePlainDatabase(postgres);
  const server = await bootServer({
    deps: { home: 'hosted' },
    ...(database && { databaseUrl: database.url }),
  });
  const file = (statement: string): Promise<unknown> => {
    using db = new DatabaseSync(server.databaseFile);
    db.exec(statement);
    return Promise.resolve();
  };
  const people = await accounts(server, database?.sql ?? file);
  const { deps } = server;
  await (database?.sql ?? file)(
    `UPDATE accounts SET name = '${CANARY} team' WHERE account_id = '${people.owner.account_id}'`,
  );

  const key: World['key'] = async (
    { account_id, user_id },
    { scopes = ['read', 'write', 'sync'] as Scope[], expires_at = null, name = 'key' } = {},
  ) => {
    const minted = mintKey(deps.random);
    await deps.store.transact(
      (writer) =>
        writer.keyWrites.create({
          key_id: minted.key_id,
          prefix: minted.prefix,
          account_id,
          user_id,
          name,
          scopes,
          expires_at,
          mac: keyMac(minted.key, deps.hmacSecret),
        }),
      account_id,
    );
    return minted;
  };
  const keys = new Map<Person, Promise<{ key: string }>>();
  const keyOf: World['keyOf'] = async (person) => {
    const made = keys.get(person) ?? key(person);
    keys.set(person, made);
    return (await made).key;
  };
  const session: World['session'] = async ({ account_id, user_id }) => {
    const token = mintToken(deps.random);
    const hash = tokenHash(token)!;
    const session_id = await deps.store.transact((writer) =>
      writer.sessionWrites.create(hash, {
        account_id,
        user_id,
        method: 'link',
        expires_at: new Date(deps.clock.now() + SESSION_LIFE).toISOString(),
        address: '127.0.0.1',
        browser: account_id === people.owner.account_id ? `${CANARY} browser` : 'Browser',
      }),
    );
    return {
      headers: {
        cookie: createCookies('hosted').session.set(token, SESSION_LIFE).split(';')[0]!,
        origin: server.url,
      },
      hash,
      session_id,
    };
  };
  const call: World['call'] = (method, path, who, body) =>
    server.call(method, path, { key: null, ...who, ...(body !== undefined && { body }) });

  /** An owner of the first account, with what they hold: scopes and role would allow everything. */
  async function holder(name: string): Promise<{
    person: Person;
    held: [all: Credentials, studio: Credentials, session: Credentials];
  }> {
    const { account_id } = people.owner;
    const { user_id } = await deps.store.transact(
      (writer) => writer.userWrites.ensure(account_id, `${CANARY} ${name}`, 'owner'),
      account_id,
    );
    const person: Person = { account_id, user_id, role: 'owner' };
    return {
      person,
      held: [
        { key: (await key(person, { scopes: ['read', 'suggest', 'write', 'delete'] })).key },
        { key: (await key(person, { scopes: ['sync'] })).key },
        { headers: (await session(person)).headers },
      ],
    };
  }
  const [first, second] = [await holder('removed'), await holder('disabled')];
  await deps.store.transact(
    (writer) => writer.teamWrites.remove(first.person.account_id, first.person.user_id),
    first.person.account_id,
  );
  await deps.store.transact(
    (writer) => writer.teamWrites.disable(second.person.user_id),
    EVERY_ACCOUNT,
  );
  const { account_id } = people.owner;
  const revoked = await key(people.owner);
  await deps.store.transact(
    (writer) => writer.keyWrites.revoke(account_id, asKey(revoked.key_id)),
    account_id,
  );
  const expired = await key(people.owner, { expires_at: '2020-01-01T00:00:00.000Z' });
  const ended = await session(people.owner);
  await deps.store.transact((writer) => writer.sessionWrites.remove(ended.hash));
  const [removed, removedStudio, removedSession] = first.held;
  const [disabled, disabledStudio, disabledSession] = second.held;

  let people_made = 0;
  const own = { key: (await key(people.owner)).key };
  const post = async (path: string, body: unknown) => {
    const answer = await call('POST', path, own, body);
    if (answer.status > 201) throw new Error(`${path}: ${answer.text}`);
    return answer.body;
  };
  const project = (await post('/api/v1/projects', { name: `${CANARY} project` }))
    .project_id as string;
  for (const case_uid of [CANARY, `${CANARY}-pushed`])
    await post('/api/v1/cases', { project_id: project, case_uid });
  const { body: trio } = await call('GET', `/api/v1/profiles/${TRIO}`, own);
  await post('/api/v1/profiles', {
    ...trio,
    profileUid: 'canary_profile',
    name: `${CANARY} profile`,
    visibility: 'private',
  });
  await post('/api/v1/evidence', {
    case_uid: CANARY,
    profile_uid: TRIO,
    items: [
      {
        item_uid: CELL.item,
        evidence: [{ rule_uid: CELL.rule, raw_outcome: 'TRUE', notes: CANARY }],
      },
    ],
  });
  const run = await post('/api/v1/runs', { case_uid: CANARY, profile_uid: TRIO });
  const opener = { headers: (await session(people.owner)).headers };
  const openRound = async (title: string): Promise<string> => {
    const path = `/api/v1/cases/${CANARY}/rounds`;
    const body = { title, recorders: RECORDERS, profile_uid: TRIO };
    const answer = await call('POST', path, opener, body);
    if (answer.status !== 201) throw new Error(`${path}: ${answer.text}`);
    return answer.body.round_id as string;
  };
  const round = await openRound(`${CANARY} round`);
  const released = await openRound(`${CANARY} released`);
  const release = `/api/v1/cases/${CANARY}/rounds/${released}/release`;
  const { status } = await call('POST', release, opener, { reason: CANARY });
  if (status !== 200) throw new Error(`${release}: ${status}`);
  const { body: asked } = await call('POST', `/api/v1/cases/${CANARY}/threads`, opener, {
    place: { on: 'item', item_uid: CELL.item },
    kind: 'query',
    text: `${CANARY} asks`,
    assigned_to: people.member.user_id,
  });
  const kept = (await call('GET', `/api/v1/sync/runs/${encodeURIComponent(run.content_hash)}`, own))
    .body;
  const objects: Objects = {
    account: people.owner.account_id,
    project,
    case: CANARY,
    pushed: `${CANARY}-pushed`,
    profile: 'canary_profile',
    run: run.run_uid,
    hash: run.content_hash,
    blob: blobsOf(JSON.parse(kept.manifest)).at(-1)!,
    key: (await key(people.member, { name: `${CANARY} key` })).key_id,
    user: people.member.user_id,
    session: (await session(people.owner)).session_id,
    invitation: ABSENT.invitation,
    round,
    released,
    thread: asked.thread_id,
  };
  return {
    async newcomer() {
      people_made += 1;
      return (
        await deps.store.transact(
          (writer) =>
            writer.userWrites.ensure(
              people.owner.account_id,
              `${CANARY} newcomer ${people_made}`,
              'member',
            ),
          people.owner.account_id,
        )
      ).user_id;
    },
    async invitation() {
      const { account_id, user_id: created_by } = people.owner;
      const made = await deps.store.transact(
        (writer) =>
          writer.teamWrites.invite(tokenHash(mintToken(deps.random))!, {
            account_id,
            role: 'member',
            name: CANARY,
            user_id: null,
            created_by,
            expires_at: '2099-01-01T00:00:00.000Z',
          }),
        account_id,
      );
      return made.invitation_id;
    },
    server,
    ...people,
    out: {
      revoked: { key: revoked.key },
      expired: { key: expired.key },
      ended: { headers: ended.headers },
      removed,
      removedStudio,
      removedSession,
      disabled,
      disabledStudio,
      disabledSession,
    },
    objects,
    manifest: kept.manifest,
    ticket: kept.runs[0],
    key,
    keyOf,
    session,
    call,
    change: wireChange(objects.pushed, people.member.user_id, [unseenOutcome(CELL, 'NA')]),
    async [Symbol.asyncDispose]() {
      await server.close();
      await database?.drop();
    },
  };
}
