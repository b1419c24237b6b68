import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { expect } from 'vitest';
import { keyMac, mintKey } from '../../../src/server/auth/keys.ts';
import { type Composed, composeServer } from '../../../src/server/compose.ts';
import { readConfig } from '../../../src/server/config.ts';
import { createEvidenceServer, type EvidenceServer } from '../../../src/server/server.ts';
import type { Role } from '../../../src/shared/contract/v1/account.ts';
import type { UplinkStatus } from '../../../src/shared/contract/v1/uplink.ts';
import { callInProcess } from '../../support/in-process.ts';
import type { Json } from '../../support/json.ts';

export const TRIO = 'trio_rare_disease';
export const RULE = 'parent_gt_unavailable';
const PATIENCE = 20_000;

/** Where hosted servers of this file keep their data; undefined: in SQLite. */
let postgres: string | undefined;
export function hostOn(url: string | undefined): void {
  postgres = url;
}

async function runOn(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** A studio as `serve` puts it together: a data folder, a store, a server on a socket, and its person at the window. */
export class Studio implements AsyncDisposable {
  readonly folder: string;
  /** Its name among the databases of the tests' PostgreSQL. */
  readonly #database: string | undefined;
  readonly #kept: string[] = [];
  composed!: Composed;
  server!: EvidenceServer;
  log = '';
  /** As a hosted server limits each key. */
  rateLimit: Composed['deps']['rateLimit'];

  private constructor(folder: string, database?: string) {
    this.folder = folder;
    this.#database = database;
  }

  static async open(name: string): Promise<Studio> {
    const studio = new Studio(mkdtempSync(path.join(tmpdir(), `evidence-${name}-`)));
    await studio.start();
    return studio;
  }
  /** What the studios are connected to: the same server, on the engine of `hostOn`. */
  static async hosted(): Promise<Studio> {
    if (postgres === undefined) return Studio.open('hosted');
    const studio = new Studio(mkdtempSync(path.join(tmpdir(), 'evidence-hosted-')), `hosted_${randomBytes(6).toString('hex')}`);
    await runOn(postgres, `CREATE DATABASE ${studio.#database}`);
    await studio.start();
    return studio;
  }

  #databaseUrl(): string {
    const url = new URL(postgres ?? '');
    url.pathname = `/${this.#database}`;
    return url.href;
  }

  /** One statement beside the running server. */
  async sql(statement: string): Promise<void> {
    if (this.#database !== undefined) return runOn(this.#databaseUrl(), statement);
    const file = new DatabaseSync(path.join(this.folder, 'evidence.sqlite'), { timeout: 5_000 });
    file.exec(statement);
    file.close();
  }

  async start(port = 0): Promise<void> {
    const config = readConfig({ EVIDENCE_STUDIO_PORT: String(port), LOG_LEVEL: 'debug', ...(this.#database !== undefined && { DATABASE_URL: this.#databaseUrl() }) });
    this.composed = await composeServer({ dataDir: this.folder, home: 'local', rendererRoot: undefined, config, log: { write: (line: string) => void (this.log += line) } });
    this.server = await createEvidenceServer({ ...this.composed.deps, rateLimit: this.rateLimit }, { ...this.composed.listen, validateAnswers: true });
    this.composed.announce(this.server.url);
  }

  async stop(): Promise<void> {
    await this.server.close();
    await this.composed.close();
  }

  /** At the same port, as behind one address. */
  async restart(between: () => void | Promise<void> = () => {}): Promise<void> {
    const { port } = this.server;
    await this.stop();
    await between();
    await this.start(port);
  }

  /** A copy of the data as it is now, for `restore`. The studio is stopped for a moment. */
  async backUp(): Promise<string> {
    const copy = mkdtempSync(path.join(tmpdir(), 'evidence-copy-'));
    this.#kept.push(copy);
    await this.restart(async () => {
      cpSync(this.folder, copy, { recursive: true });
      if (this.#database !== undefined) await runOn(postgres ?? '', `CREATE DATABASE ${this.#database}_copy TEMPLATE ${this.#database}`);
    });
    return copy;
  }

  async restore(copy: string, between: () => void | Promise<void> = () => {}): Promise<void> {
    await this.restart(async () => {
      rmSync(this.folder, { recursive: true });
      cpSync(copy, this.folder, { recursive: true });
      if (this.#database !== undefined) {
        await runOn(postgres ?? '', `DROP DATABASE ${this.#database}`);
        await runOn(postgres ?? '', `CREATE DATABASE ${this.#database} TEMPLATE ${this.#database}_copy`);
      }
      await between();
    });
  }

  async call(method: string, path: string, body?: unknown): Promise<{ status: number; body: Json }> {
    return callInProcess(this.server, method, path, body === undefined ? {} : { body });
  }

  async ok(method: string, path: string, body?: unknown): Promise<Json> {
    const answer = await this.call(method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  }

  /** A key of a user who is made for it. */
  async makeKey(user?: string, role?: Role): Promise<{ key: string; key_id: string; user_id: string }> {
    const { store, pepper } = this.composed.deps;
    const { account_id, user_id: own } = store.local;
    const { key, key_id, prefix } = mintKey({ bytes: (length) => new Uint8Array(randomBytes(length)) });
    return store.transact(async (writer) => {
      const user_id = user === undefined ? own : (await writer.userWrites.ensure(account_id, user, role)).user_id;
      await writer.keyWrites.create({ key_id, prefix, account_id, user_id, name: 'uplink', scopes: ['read', 'write'], expires_at: null, mac: keyMac(key, pepper) });
      return { key, key_id, user_id };
    });
  }

  async connect(url: string, key: string): Promise<UplinkStatus> {
    return (await this.ok('PUT', '/api/v1/uplink', { url, key })) as UplinkStatus;
  }
  async share(project: string, shared = true): Promise<UplinkStatus> {
    return (await this.ok('PUT', `/api/v1/uplink/projects/${project}`, { shared })) as UplinkStatus;
  }
  async status(): Promise<UplinkStatus> {
    return (await this.ok('GET', '/api/v1/uplink')) as UplinkStatus;
  }

  async makeProject(name: string): Promise<string> {
    return ((await this.ok('POST', '/api/v1/projects', { name })) as { project_id: string }).project_id;
  }
  async makeCase(project_id: string, case_uid: string): Promise<void> {
    await this.ok('POST', '/api/v1/cases', { project_id, case_uid, title: `Case ${case_uid}`, profile_uid: TRIO });
  }
  record(case_uid: string, item_uid: string, raw_outcome: string, rule_uid = RULE): Promise<Json> {
    return this.ok('POST', '/api/v1/evidence', { case_uid, profile_uid: TRIO, items: [{ item_uid, evidence: [{ rule_uid, raw_outcome }] }] });
  }

  /** What a case's log holds: its digest, which is equal where the sets are. */
  async digest(stream: string): Promise<string> {
    const { store } = this.composed;
    const position = await store.read((reader) => reader.log.position(store.local.account_id, stream));
    return position === undefined ? 'none' : `${position.count} ${position.sum}`;
  }

  /** Displayed outcomes of a case, as `item/rule=OUTCOME`. */
  async cells(case_uid: string): Promise<string[]> {
    const page = await this.ok('GET', `/api/v1/cases/${case_uid}/evidence?profile_uid=${TRIO}&limit=200`);
    return (page.items as Json[]).flatMap((item) => (item.evidence as Json[]).filter((cell) => cell.raw_outcome !== null).map((cell) => `${item.item_uid}/${cell.rule_uid}=${cell.raw_outcome}${cell.contested === true ? '!' : ''}`));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop().catch(() => undefined);
    for (const folder of [this.folder, ...this.#kept]) rmSync(folder, { recursive: true, force: true });
  }
}

/** Looks until it holds; no waiting by the clock alone. */
export async function eventually(check: () => unknown, patience = PATIENCE): Promise<void> {
  await expect.poll(async () => {
    try {
      await check();
      return 'holds';
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }, { timeout: patience, interval: 50 }).toBe('holds');
}

/** The logs hold equal sets on all of them, and each hub says that nothing waits. */
export async function converge(streams: readonly string[], hosted: Studio, ...hubs: Studio[]): Promise<void> {
  await eventually(async () => {
    for (const stream of streams) {
      const there = await hosted.digest(stream);
      expect(there, stream).not.toBe('none');
      for (const hub of hubs) expect(await hub.digest(stream), stream).toBe(there);
    }
    for (const hub of hubs) expect((await hub.status()).totals.waiting).toBe(0);
  });
}
