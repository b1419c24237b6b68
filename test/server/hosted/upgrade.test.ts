import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../../src/server/storage/db/schema/migrations.ts';
import {
  POSTGRES_WORDS,
  SQLITE_WORDS,
  type SqlWords,
} from '../../../src/server/storage/db/schema/sql-words.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../../support/plain-database.ts';
import { freePort } from '../../support/postgres.ts';
import { ROOT } from '../../support/served.ts';
import { type Answers, answersOf, sameOnBothSides } from '../../support/upgrade/answers.ts';
import { KeptStores } from '../../support/upgrade/kept.ts';
import { inSync, Party } from '../../support/upgrade/party.ts';
import * as past from '../../support/upgrade/past.ts';
import { type Exchanged, read } from '../../support/upgrade/recorder.ts';
import { makeTables, schemaOf } from '../../support/upgrade/rows.ts';

const OLD = new KeptStores('0.1');
/** A studio of 0.1 looks for the names that it knows. */
const LATER_FEATURES = new Set<unknown>(['batch', 'since', 'layers']);

let folder: string;
let database: PlainDatabase;
let studio: Party;
let server: Party;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'evidence-upgrade-'));
  database = await makePlainDatabase(SHARED_POSTGRES, 'empty');
  await OLD.unpackDatabase(database);
  await database.keep();
  writeFileSync(path.join(folder, 'secret'), OLD.secrets.secret, { mode: 0o600 });
  OLD.unpackFolder(path.join(folder, 'studio'));
  studio = new Party(ROOT, path.join(folder, 'studio'));
  server = await serverOf('server');
});
afterAll(async () => {
  await studio.stop('SIGKILL');
  await server.stop('SIGKILL');
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

async function serverOf(name: string): Promise<Party> {
  const port = await freePort();
  const env = {
    DATABASE_URL: database.url,
    EVIDENCE_STUDIO_PUBLIC_URL: `http://127.0.0.1:${port}`,
    EVIDENCE_STUDIO_SECRET_FILE: path.join(folder, 'secret'),
    EVIDENCE_STUDIO_RATE_LIMIT: 'off',
  };
  return new Party(ROOT, path.join(folder, name), env, port);
}

/** Everything that was there at the version before is still there, hash by hash. */
async function chainsHold(party: Party, { chains }: Answers): Promise<void> {
  const file = path.join(folder, 'earlier.json');
  writeFileSync(file, JSON.stringify(chains));
  expect(await party.command('verify-audit', '--earlier', file)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('all whole'),
  });
}

/** The profiles of before may stand among those that a later version brings along. */
function amongOthers(asked: Answers['asked']): Answers['asked'] {
  const address = 'profiles?limit=200';
  const { data, ...page } = asked[address] as { data: unknown[] };
  const among = data.map((profile) => expect.objectContaining(profile as object));
  return { ...asked, [address]: { ...page, data: expect.arrayContaining(among) } };
}

/** `verify stored` says every line of before; it may say more. */
function stillSaid(answers: Answers, before: Answers): void {
  expect(Object.keys(answers.stored)).toEqual(Object.keys(before.stored));
  for (const [run, said] of Object.entries(before.stored))
    expect(answers.stored[run]?.split('\n')).toEqual(expect.arrayContaining(said.split('\n')));
}

describe('stores of version 0.1', () => {
  it('were made by the migrations that are here still', () => {
    expect(OLD.migrations.postgres).toHaveLength(OLD.rows.version);
    for (const [words, kept] of [
      [SQLITE_WORDS, OLD.migrations.sqlite],
      [POSTGRES_WORDS, OLD.migrations.postgres],
    ] as const)
      expect(statements(words).slice(0, kept.length)).toEqual(kept);
  });

  it('a recorded exchange of a studio of 0.1 is answered as by its own server', async () => {
    await server.start();
    const answers: Exchanged[] = [];
    for (const asked of OLD.exchange) answers.push(await answered(asked));
    await server.stop();
    await database.putBack();
    expect(answers.map(steady)).toMatchObject(OLD.exchange.map(steady));
    const { length } = answers.filter(({ status }) => status === 200);
    expect(length).toBeGreaterThan(10);
  });

  it('a data folder opens with all that was in it', async () => {
    await studio.start();
    await studio.openStudio();
    const answers = await answersOf(studio);
    expect(answers.asked).toMatchObject(amongOthers(OLD.answers.studio.asked));
    stillSaid(answers, OLD.answers.studio);
    await chainsHold(studio, OLD.answers.studio);
  });

  it('a PostgreSQL opens with all that was in it', async () => {
    await server.start();
    server.person = await server.signIn(past.ADA);
    server.key = OLD.secrets.program;
    const answers = await answersOf(server);
    expect(answers.asked).toMatchObject(amongOthers(OLD.answers.server.asked));
    stillSaid(answers, OLD.answers.server);
    await chainsHold(server, OLD.answers.server);
  });

  it('exchange what each had to send, and what is written from then on', async () => {
    await studio.human('PUT', 'uplink', { url: server.url, key: OLD.studioKey });
    await inSync(studio, server);
    await past.freezeContested(studio, 'run-after');
    await server.agent('POST', 'evidence', {
      case_uid: 'shared',
      profile_uid: past.PROFILE,
      items: [{ item_uid: 'after', label: 'After the upgrade' }],
    });
    await inSync(studio, server);
    const [here, there] = [await answersOf(studio), await answersOf(server)];
    expect(Object.keys(there.stored)).toContain('run-after');
    expect(sameOnBothSides(here, there)).toBeGreaterThan(10);
    await chainsHold(studio, OLD.answers.studio);
    await chainsHold(server, OLD.answers.server);
  });

  it('have the tables of a new store afterwards', async () => {
    const fresh = await makePlainDatabase(SHARED_POSTGRES, 'empty');
    await makeTables(fresh.url, statements(POSTGRES_WORDS));
    expect(await schemaOf(database)).toEqual(await schemaOf(fresh));
    await fresh.drop();
    await studio.stop();
    using opened = new DatabaseSync(path.join(studio.data, 'evidence.sqlite'), { readOnly: true });
    using made = new DatabaseSync(':memory:');
    for (const statement of statements(SQLITE_WORDS).flat()) made.exec(statement);
    expect(sqliteSchema(opened)).toEqual(sqliteSchema(made));
  });
});

/** White space is not part of a statement. */
const reduced = (sql: string): string => sql.replaceAll(/\s+/g, ' ');
const statements = (words: SqlWords): string[][] =>
  MIGRATIONS.map((migration) => migration(words).map(reduced));

/** What SQLite itself makes left out. */
function sqliteSchema(file: DatabaseSync): string[] {
  return file
    .prepare("SELECT sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite%' ORDER BY type, name")
    .all()
    .map(({ sql }) => reduced(String(sql)));
}

async function answered({ method, path: address, headers, body }: Exchanged): Promise<Exchanged> {
  const response = await fetch(server.url + address, {
    method,
    headers,
    ...(body !== '' && { body: Buffer.from(body, 'base64') }),
  });
  const type = response.headers.get('content-type') ?? undefined;
  const answer = read(type, Buffer.from(await response.arrayBuffer()));
  return { method, path: address, headers, body, status: response.status, answer };
}

/** Without what depends on when it was asked, and of which version. */
function steady<T>(value: T): T {
  const text = JSON.stringify(value, (name, member: unknown) =>
    ['received_at', 'time', 'version', 'schema', 'request_id'].includes(name)
      ? undefined
      : name === 'features' && Array.isArray(member)
        ? member.filter((feature) => !LATER_FEATURES.has(feature))
        : member,
  );
  return JSON.parse(text) as T;
}
