import type { ProfileDocument } from '../../shared/domain/profile.ts';
import { Contexts } from './db/contexts.ts';
import { flushAudit } from './audit/audit.ts';
import type { StorePorts, WriteContext } from './db/context.ts';
import { StoreOpenError } from './db/errors.ts';
import {
  allAccounts,
  type Identity,
  type LocalPerson,
  makeIdentity,
  readIdentity,
} from './db/identity.ts';
import type { GrownLog } from './db/grown-log.ts';
import { revalidate } from './replication/revalidate.ts';
import { advanceChangeTokens, type Commit } from './log/change-log.ts';
import { adoptDocuments } from './records/adopt-documents.ts';
import { addShipped } from './records/profiles.ts';
import { adoptFirstRuns } from './runs/first-runs.ts';
import { checkQuotas } from './db/quotas.ts';
import {
  type AccountScope,
  type StorageEngine,
  type DatabaseSession,
  type Patience,
  pipelined,
  EVERY_ACCOUNT,
  type PoolState,
} from './db/session.ts';
import type { Credential } from '../../shared/contract/rights.ts';
import { createReader, createWriter, type Reader, type Writer } from './repositories.ts';

export interface StoreHealth {
  ok: boolean;
  /** Why no write is taken, or null. */
  read_only: string | null;
}

/**
 * The store behind a port: SQLite or PostgreSQL. Readers see committed data only and cannot write.
 */
export interface Store {
  engine: 'sqlite' | 'postgres';
  /**
   * True where PostgreSQL's row-level security has no effect, because the database role is a
   * superuser or bypasses it.
   */
  unguarded: boolean;
  /** This store's own identity, and the epoch of its logs. */
  storeId: string;
  epoch: string;
  /**
   * The account and user of a single-user studio, made at its first start. The user changes when
   * the studio is connected to a hosted server.
   */
  readonly local: LocalPerson;
  /**
   * Runs `fn` in a read transaction for an account: PostgreSQL shows it no row of another account.
   * Without an account it sees only what signing in looks up (keys, sessions, users, members). The
   * server's own upkeep names EVERY_ACCOUNT. With a caller's credentials it shows what they reach.
   */
  read<T>(
    fn: (reader: Reader) => Promise<T>,
    account?: AccountScope,
    credential?: Credential,
    patience?: Patience,
  ): Promise<T>;
  /**
   * A read of a single statement, without a transaction and without an account, such as looking up
   * a key.
   */
  ask<T>(fn: (reader: Reader) => Promise<T>): Promise<T>;
  /**
   * `fn` may run again after a serialisation failure (PostgreSQL), so it must be safe to repeat
   * what it does outside the store. Must not be nested.
   */
  transact<T>(
    fn: (writer: Writer) => Promise<T>,
    account?: AccountScope,
    patience?: Patience,
  ): Promise<T>;
  /** Called after each commit that grew a log. */
  onCommit(listener: (event: Commit) => void): () => void;
  health(): StoreHealth;
  /** Whether the database answers at present. */
  answers(): Promise<boolean>;
  /** Tells the state of the connection pool, where there is one. */
  pool: (() => PoolState) | undefined;
  /** Writes a consistent copy (SQLite only): checked, fsynced, then renamed into place. */
  backup(file: string): Promise<void>;
  close(): Promise<void>;
}

/** The identity of the store, which is made and brought up to date where it takes writes. */
async function openIdentity(
  engine: StorageEngine,
  contexts: Contexts,
  ports: StorePorts,
  shippedProfiles: readonly ProfileDocument[],
): Promise<Identity> {
  const found = await engine.read(readIdentity, EVERY_ACCOUNT);
  if (engine.readOnlyReason() !== null) {
    if (found === undefined)
      throw new StoreOpenError('not_a_database', 'The database holds no store.');
    return found;
  }
  const identity = await engine.write(async (session) => {
    const named = (await readIdentity(session)) ?? (await makeIdentity(session, ports));
    const ctx = contexts.write(session, named);
    await addShipped(ctx, shippedProfiles);
    return named;
  }, EVERY_ACCOUNT);
  const write: WriteAs = (fn, account = EVERY_ACCOUNT) =>
    engine.write((session) => fn(contexts.write(session, identity)), account);
  await adoptPrevious(write);
  await revalidate(contexts.schema, write);
  return identity;
}

type WriteAs = <T>(fn: (ctx: WriteContext) => Promise<T>, account?: AccountScope) => Promise<T>;
/** The row of `meta` that says that no account has anything in a format of before. */
const ADOPTED = 'adopted';

/** Takes over what earlier versions stored in other forms, once, one account after the other. */
async function adoptPrevious(write: WriteAs): Promise<void> {
  const isDone = await write(({ session }) =>
    session.db.selectFrom('meta').select('key').where('key', '=', ADOPTED).executeTakeFirst(),
  );
  if (isDone !== undefined) return;
  for (const account of await write(allAccounts))
    await write(async (ctx) => {
      await adoptFirstRuns(ctx, account);
      await adoptDocuments(ctx, account);
    }, account);
  await write(({ session }) =>
    session.db
      .insertInto('meta')
      .values({ key: ADOPTED, value: '1' })
      .onConflict((oc) => oc.doNothing())
      .execute(),
  );
}

/** What listeners are told of a log that has grown. A sealed layer moves nothing for others. */
const commitOf = (
  event: GrownLog,
  tokens: Awaited<ReturnType<typeof advanceChangeTokens>>,
): Commit => ({
  ...event,
  token: event.sealedFor === undefined ? tokens.get(event.account_id) : undefined,
});

/** Takes back all that a dry run has done. */
class DryRunEnd extends Error {
  override name = 'DryRunEnd';
}

/** One transaction, and what it stored: nothing, where it was a dry run. */
async function writeOnce<T>(
  engine: StorageEngine,
  begin: (session: DatabaseSession) => WriteContext,
  fn: (writer: Writer) => Promise<T>,
  { account, patience }: { account: AccountScope | undefined; patience: Patience | undefined },
): Promise<{
  value: T;
  stored?: { ctx: WriteContext; tokens: Awaited<ReturnType<typeof advanceChangeTokens>> };
}> {
  let ctx: WriteContext | undefined;
  let tokens: Awaited<ReturnType<typeof advanceChangeTokens>> | undefined;
  let tried: { value: T } | undefined;
  try {
    const value = await engine.write(
      async (session) => {
        tried = undefined;
        ctx = begin(session);
        const answer = await fn(createWriter(ctx));
        await pipelined(...ctx.beforeCommit.map((check) => check()), checkQuotas(ctx));
        await flushAudit(ctx);
        if (!ctx.isDryRun) return answer;
        tried = { value: answer };
        throw new DryRunEnd();
      },
      account,
      async () => void (tokens = await advanceChangeTokens(ctx!)),
      patience,
    );
    return { value, stored: { ctx: ctx!, tokens: tokens! } };
  } catch (error) {
    if (tried === undefined) throw error;
    return tried;
  }
}

/** The store on an engine whose schema is up to date. */
export async function createStore(
  engine: StorageEngine,
  ports: StorePorts,
  shippedProfiles: readonly ProfileDocument[],
): Promise<Store> {
  const contexts = new Contexts(engine, ports);
  const identity = await openIdentity(engine, contexts, ports, shippedProfiles);
  const listeners = new Set<(event: Commit) => void>();
  let { local } = identity;

  return {
    engine: engine.kind,
    unguarded: engine.unguarded ?? false,
    storeId: identity.storeId,
    epoch: identity.epoch,
    get local() {
      return local;
    },
    ask: (fn) =>
      engine.ask((session) => fn(createReader(contexts.read(session, identity, undefined)))),
    read: (fn, account, credential, patience) =>
      engine.read(
        (session) => fn(createReader(contexts.read(session, identity, credential))),
        account,
        patience,
      ),
    async transact(fn, account, patience) {
      const { value, stored } = await writeOnce(
        engine,
        (session) => contexts.write(session, identity),
        fn,
        { account, patience },
      );
      if (stored === undefined) return value;
      const { ctx, tokens } = stored;
      if (ctx.person !== undefined) local = { ...local, ...ctx.person };
      for (const event of ctx.grown.values())
        for (const listener of listeners) listener(commitOf(event, tokens));
      return value;
    },
    onCommit(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    health() {
      const reason = engine.readOnlyReason();
      return { ok: reason === null, read_only: reason };
    },
    answers: async () => (await engine.answers?.()) ?? true,
    pool: engine.pool?.bind(engine),
    backup: (file) => engine.backup(file),
    close: () => engine.close(),
  };
}
