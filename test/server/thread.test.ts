import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/server/config/config.ts';
import { composeServer, type Composed } from '../../src/server/compose.ts';
import { ApiError } from '../../src/server/context/errors.ts';
import { serverOrigin } from '../../src/server/audit/entries.ts';
import { createEvidenceServer, type EvidenceServer } from '../../src/server/server.ts';
import { SHIPPED_PROFILES } from '../../src/server/instance/shipped-profiles.ts';
import { StoreOpenError, StoreError } from '../../src/server/storage/db/errors.ts';
import { packError, unpackError } from '../../src/server/thread/messages.ts';
import { openStoreThread, type StoreThread } from '../../src/server/thread/open.ts';
import { startAhead, type StartedThread, startThread } from '../../src/server/thread/start.ts';
import { asStream } from '../support/ids.ts';
import { lengthOf } from '../support/length.ts';
import { keyMac, mintKey } from '../../src/server/auth/keys.ts';
import type { Reader } from '../../src/server/storage/repositories.ts';
import type { Commit } from '../../src/server/storage/log/change-log.ts';

/** A thread of a runtime without SQLite: all is then done on the first thread, by the same code. */
const WITHOUT_SQLITE = new URL(
  'data:text/javascript,import{parentPort}from"node:worker_threads";parentPort.postMessage({kind:"no sqlite"})',
);
const ENDING: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ENDING.splice(0).reverse()) await end();
});

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'evidence-thread-'));
  ENDING.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Of each thread of this process, as the operating system has it. */
const niceOfThreads = (): number[] =>
  readdirSync('/proc/self/task').map((thread) =>
    Number(readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ')[1]?.split(' ')[16]),
  );

async function openThread(folder: string, file?: URL): Promise<StoreThread> {
  const thread = await openStoreThread(
    {
      kind: 'sqlite',
      file: path.join(folder, 'evidence.sqlite'),
      shippedProfiles: SHIPPED_PROFILES,
    },
    { version: '0.0.0-test', quotas: undefined },
    file,
  );
  ENDING.push(() => thread.store.close().catch(() => undefined));
  return thread;
}

interface Served {
  composed: Composed;
  server: EvidenceServer;
  ask(
    method: string,
    where: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; headers: Headers; body: any }>;
}

/** A server on a thread, as `serve` composes it, and a key of its own. */
async function serve(folder: string, threadFile?: URL): Promise<Served> {
  const log: string[] = [];
  const composed = await composeServer({
    dataDir: folder,
    home: 'local',
    rendererRoot: undefined,
    config: readConfig({}),
    log: { write: (line) => void log.push(line) },
    ...(threadFile && { threadFile }),
  });
  const server = await createEvidenceServer(composed.deps, { port: 0, validateAnswers: true });
  ENDING.push(async () => {
    await server.close();
    await composed.close();
  });
  const { key, key_id, prefix } = mintKey(composed.deps.random);
  const { account_id, user_id } = composed.store.local;
  await composed.store.transact(async (writer) => {
    writer.audit.by(serverOrigin(account_id));
    await writer.keyWrites.create({
      key_id,
      account_id,
      user_id,
      name: 'test',
      prefix,
      scopes: ['read', 'write'],
      expires_at: null,
      mac: keyMac(key, composed.deps.hmacSecret),
    });
  }, account_id);
  return {
    composed,
    server,
    async ask(method, where, body, headers = {}) {
      const answer = await fetch(`${server.url}/api/v1/${where}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, headers: answer.headers, body: await answer.json() };
    },
  };
}

const PROFILE = SHIPPED_PROFILES[0]!;
const RULES = PROFILE.rules.map(({ ruleUid }) => ruleUid);

describe('a thread that is started ahead', () => {
  const started = (file: URL): StartedThread => {
    const thread = startThread(file);
    ENDING.push(() => thread.worker.terminate());
    return thread;
  };

  it('is the one that the store is opened on, and the next has one of its own', () => {
    const before = started(WITHOUT_SQLITE).worker.threadId;
    startAhead(WITHOUT_SQLITE);
    const ids = [1, 2].map(() => started(WITHOUT_SQLITE).worker.threadId);
    expect(ids).toEqual([before + 1, before + 2]);
  });

  it('opens the store', async () => {
    startAhead();
    const { store } = await openThread(newFolder());
    expect(store.health().read_only).toBeNull();
  });

  it('is not used where it has failed since it was there', async () => {
    const failing = new URL(`${WITHOUT_SQLITE.href};setTimeout(()=>{throw new Error("gone")})`);
    const { worker, greeting } = started(failing);
    await new Promise((resolve) => void worker.once('exit', resolve));
    await expect(greeting()).rejects.toThrow('gone');
  });

  it('does not keep a process that opens no store', () => {
    const { status } = spawnSync(
      process.execPath,
      ['bin/evidence-studio.js', 'serve', '--port', 'none'],
      { timeout: 60_000 },
    );
    expect(status).toBe(2);
  });
});

it.runIf(process.platform === 'linux')(
  'lets the window go first: the thread has a lower priority than the others',
  async () => {
    const before = niceOfThreads();
    await openThread(newFolder());
    const lower = getPriority() + 10;
    const added = niceOfThreads().filter((nice) => nice === lower).length;
    expect(added - before.filter((nice) => nice === lower).length).toBe(1);
    expect(niceOfThreads().filter((nice) => nice === getPriority()).length).toBeGreaterThan(1);
  },
);

/** In CI `server/uplink` has the other one. */
const THREADS: [where: string, file: URL | undefined][] = [
  ['on a thread of its own', undefined],
  ...lengthOf<[string, URL][]>([], [['on the only thread that has SQLite', WITHOUT_SQLITE]]),
];
describe.each(THREADS)('a server whose store is %s', (_, file) => {
  it('takes a case from its project to its run, and answers what was written', async () => {
    const { ask } = await serve(newFolder(), file);
    const project = await ask('POST', 'projects', { name: 'Project' });
    expect(project.status).toBe(201);
    expect(
      await ask('POST', 'cases', { project_id: project.body.project_id, case_uid: 'case_1' }),
    ).toMatchObject({ status: 201 });
    // More than fits a short message, so that the body and the answer travel as bytes.
    const items = Array.from({ length: 200 }, (__, i) => ({
      item_uid: `item_${i}`,
      evidence: RULES.map((rule_uid) => ({
        rule_uid,
        raw_outcome: i % 2 === 0 ? 'FALSE' : 'TRUE',
        source_value: 'é'.repeat(20),
      })),
    }));
    const posted = await ask(
      'POST',
      'evidence',
      { case_uid: 'case_1', profile_uid: PROFILE.profileUid, items },
      { 'idempotency-key': 'once' },
    );
    expect(posted).toMatchObject({ status: 200, body: { outcomes_written: 200 * RULES.length } });
    expect(
      await ask(
        'POST',
        'evidence',
        { case_uid: 'case_1', profile_uid: PROFILE.profileUid, items },
        { 'idempotency-key': 'once' },
      ),
    ).toMatchObject({ status: 200, body: posted.body });
    const read = await ask(
      'GET',
      `cases/case_1/evidence?profile_uid=${PROFILE.profileUid}&limit=200`,
    );
    expect(read.body.items).toHaveLength(200);
    expect(JSON.stringify(read.body)).toContain('é'.repeat(20));
    const run = await ask('POST', 'runs', { case_uid: 'case_1', profile_uid: PROFILE.profileUid });
    expect(run.status).toBe(201);
    expect(await ask('GET', `runs/${run.body.run_uid}`)).toMatchObject({
      status: 200,
      body: run.body,
    });
  });

  it('refuses with the same codes, details and headers as in one thread', async () => {
    const { ask } = await serve(newFolder(), file);
    const project = await ask('POST', 'projects', { name: 'Project' });
    await ask('POST', 'cases', { project_id: project.body.project_id, case_uid: 'case_1' });
    expect(await ask('POST', 'evidence', { case_uid: 'case_1' })).toMatchObject({
      status: 422,
      body: { error: 'validation_failed', details: [{ path: '/profile_uid' }, { path: '/items' }] },
    });
    const unknown = {
      case_uid: 'case_1',
      profile_uid: PROFILE.profileUid,
      items: [{ item_uid: 'a', evidence: [{ rule_uid: 'no_such_rule', raw_outcome: 'TRUE' }] }],
    };
    expect(await ask('POST', 'evidence', unknown)).toMatchObject({
      status: 422,
      body: { error: 'validation_failed', details: [{ path: '/items/0/evidence/0/rule_uid' }] },
    });
    expect(
      await ask('GET', `cases/no_such_case/evidence?profile_uid=${PROFILE.profileUid}`),
    ).toMatchObject({ status: 404, body: { error: 'not_found' } });
  });

  it('answers a write only after whoever watches the log has heard of it', async () => {
    const { ask, composed } = await serve(newFolder(), file);
    const heard: Commit[] = [];
    composed.store.onCommit((event) => heard.push(event));
    const project = await ask('POST', 'projects', { name: 'Project' });
    await ask('POST', 'cases', { project_id: project.body.project_id, case_uid: 'case_1' });
    expect(heard.map(({ case_uid }) => case_uid)).toContain('case_1');
  });

  it('stores nothing of a transaction whose function fails on this side, nor one whose last check fails', async () => {
    const { store } = await openThread(newFolder(), file);
    const { account_id, user_id } = store.local;
    const actor = {
      account_id,
      user_id,
      user_name: 'Local user',
      kind: 'human',
      key_id: null,
      key_name: null,
    } as const;
    const names = (): Promise<string[]> =>
      store.read(
        async (reader) =>
          (await reader.projects.list(account_id, { limit: 10, cursor: undefined })).data.map(
            ({ name }) => name,
          ),
        account_id,
      );
    const write = (
      name: string,
      then: () => void | Promise<void>,
      last = async (): Promise<void> => undefined,
    ): Promise<void> =>
      store.transact(async (writer) => {
        writer.audit.by(serverOrigin(account_id));
        await writer.projectWrites.upsert(actor, { name }, undefined);
        writer.beforeCommit(last);
        await then();
      }, account_id);
    const mine = new Error('mine');
    await expect(write('left', () => Promise.reject(mine))).rejects.toBe(mine);
    await expect(
      write(
        'checked',
        () => undefined,
        () => Promise.reject(new ApiError('key_revoked')),
      ),
    ).rejects.toMatchObject({ code: 'key_revoked' });
    // Both wait for each other, and both are there.
    await Promise.all([write('one', () => undefined), write('two', () => undefined)]);
    expect((await names()).toSorted()).toEqual(['one', 'two']);
    await expect(
      store.read(
        (reader) => reader.log.changes(account_id, asStream('no_such_case'), 0, 1, undefined),
        account_id,
      ),
    ).rejects.toBeInstanceOf(StoreError);
  });

  it('answers what is asked of a transaction that has ended, or could not begin', async () => {
    const folder = newFolder();
    const { store } = await openThread(folder, file);
    const { account_id } = store.local;
    const list = (reader: Reader): Promise<unknown> =>
      reader.projects.list(account_id, { limit: 10, cursor: undefined });
    const ended = await store.read(async (reader) => ({ reader }), account_id);
    await expect(list(ended.reader)).rejects.toThrow();
    using other = new DatabaseSync(path.join(folder, 'evidence.sqlite'));
    other.exec('BEGIN IMMEDIATE');
    await expect(store.transact((writer) => list(writer), account_id)).rejects.toMatchObject({
      code: 'unavailable',
    });
    other.exec('ROLLBACK');
    await expect(store.transact((writer) => list(writer), account_id)).resolves.toBeDefined();
  });

  it('closes, leaves no log behind, and can be opened again', async () => {
    const folder = newFolder();
    const { store } = await openThread(folder, file);
    const { storeId } = store;
    await store.backup(path.join(folder, 'copy.sqlite'));
    await store.close();
    expect(statSync(path.join(folder, 'copy.sqlite')).size).toBeGreaterThan(0);
    expect((await openThread(folder, file)).store.storeId).toBe(storeId);
  });

  it('says why a file cannot be opened, and leaves it as it is', async () => {
    const folder = newFolder();
    const name = path.join(folder, 'evidence.sqlite');
    writeFileSync(name, 'no database '.repeat(1_000));
    const before = readFileSync(name);
    await expect(openThread(folder, file)).rejects.toSatisfy(
      (error) => error instanceof StoreOpenError && error.code === 'not_a_database',
    );
    expect(readFileSync(name)).toEqual(before);
  });
});

it('gives files that only their owner can read', async () => {
  const folder = newFolder();
  const before = process.umask(0o022);
  try {
    await openThread(folder);
    for (const name of ['evidence.sqlite', 'evidence.sqlite-wal', 'evidence.sqlite-shm'])
      expect(statSync(path.join(folder, name)).mode & 0o777, name).toBe(0o600);
  } finally {
    process.umask(before);
  }
});

it('fails to open where the thread fails, instead of waiting', async () => {
  await expect(
    openThread(newFolder(), new URL('data:text/javascript,throw new Error("broken")')),
  ).rejects.toThrow('broken');
});

it('carries every kind of error across', () => {
  const across = (error: unknown): Error => unpackError(structuredClone(packError(error)));
  const refusal = across(
    new ApiError('rate_limited', { message: 'Wait.', headers: { 'Retry-After': '3' } }),
  );
  expect(refusal).toBeInstanceOf(ApiError);
  expect(refusal).toMatchObject({
    code: 'rate_limited',
    message: 'Wait.',
    headers: { 'Retry-After': '3' },
  });
  expect(
    across(new StoreError('conflict', 'No.', [{ path: '/a', code: 'b', message: 'c' }])),
  ).toMatchObject({
    name: 'StoreError',
    code: 'conflict',
    details: [{ path: '/a', code: 'b', message: 'c' }],
  });
  expect(across(Object.assign(new TypeError('x'), { errcode: 13 }))).toMatchObject({
    name: 'TypeError',
    message: 'x',
    errcode: 13,
  });
});
