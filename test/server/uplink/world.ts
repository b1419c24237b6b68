import { asStream } from '../../support/ids.ts';
import type { UserId } from '../../../src/shared/contract/ids.ts';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { keyMac, mintKey } from '../../../src/server/auth/keys.ts';
import { type Composed, composeServer } from '../../../src/server/compose.ts';
import { readConfig } from '../../../src/server/config/config.ts';
import { createEvidenceServer, type EvidenceServer } from '../../../src/server/server.ts';
import type { Role } from '../../../src/shared/contract/v1/account.ts';
import type { UplinkStatus } from '../../../src/shared/contract/v1/uplink.ts';
import { callInProcess } from '../../support/in-process.ts';
import { putMigrated } from '../../support/migrated-file.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../../support/plain-database.ts';
import { type RoundRobin, startRoundRobin } from '../../support/round-robin.ts';
import { INSTANCES } from '../../support/server.ts';
import { STORE_THREAD } from '../../support/store-thread.ts';
import type { Json } from '../../support/json.ts';
import { EVERY_ACCOUNT } from '../../../src/server/storage/db/session.ts';
import type { Writer } from '../../../src/server/storage/repositories.ts';

export const TRIO = 'trio_rare_disease';
export const RULE = 'parents_genotype_missing';
const PATIENCE = 60_000;

interface Instance {
  composed: Composed;
  server: EvidenceServer;
}
/** What two hosted instances share. */
interface Hosting {
  database: PlainDatabase;
  proxy: RoundRobin;
}

/**
 * A studio as `serve` puts it together: a data folder, a store, a server on a socket, and its
 * person at the window.
 */
export class Studio implements AsyncDisposable {
  readonly folder: string;
  readonly #hosting: Hosting | undefined;
  readonly #kept: string[] = [];
  #instances: Instance[] = [];
  log = '';
  /** Another than the home has. */
  rateLimit: Composed['deps']['rateLimit'];

  private constructor(folder: string, hosting?: Hosting) {
    this.folder = folder;
    this.#hosting = hosting;
  }

  static async open(name: string): Promise<Studio> {
    const studio = new Studio(mkdtempSync(path.join(tmpdir(), `evidence-${name}-`)));
    await putMigrated(path.join(studio.folder, 'evidence.sqlite'));
    await studio.start();
    return studio;
  }
  /**
   * What the studios are connected to: one more of them, or two hosted instances behind a proxy.
   */
  static async hosted(): Promise<Studio> {
    if (INSTANCES === 1) return Studio.open('hosted');
    const studio = new Studio(mkdtempSync(path.join(tmpdir(), 'evidence-hosted-')), {
      database: await makePlainDatabase(SHARED_POSTGRES),
      proxy: await startRoundRobin([]),
    });
    writeFileSync(path.join(studio.folder, 'secret'), randomBytes(32).toString('base64'));
    await studio.start();
    return studio;
  }

  /** The first instance, where there are several. */
  get composed(): Composed {
    return this.#instances[0]!.composed;
  }
  get server(): EvidenceServer {
    return this.#instances[0]!.server;
  }

  /**
   * One statement beside the running server. It is tried again while a transaction is open, whose
   * function may be waiting for this very thread.
   */
  async sql(statement: string): Promise<void> {
    if (this.#hosting !== undefined) return void (await this.#hosting.database.sql(statement));
    using file = new DatabaseSync(path.join(this.folder, 'evidence.sqlite'));
    await eventually(() => file.exec(statement));
  }

  async #startInstance(dataDir: string, settings: Record<string, string>): Promise<Instance> {
    const config = readConfig({ LOG_LEVEL: 'debug', ...settings });
    const composed = await composeServer({
      dataDir,
      home: config.publicUrl === undefined ? 'local' : 'hosted',
      rendererRoot: undefined,
      config,
      threadFile: STORE_THREAD,
      log: { write: (line: string) => void (this.log += line) },
    });
    const server = await createEvidenceServer(
      { ...composed.deps, rateLimit: this.rateLimit ?? composed.deps.rateLimit },
      {
        ...composed.listen,
        ...(config.publicUrl !== undefined && { publicUrl: config.publicUrl }),
        validateAnswers: true,
      },
    );
    composed.announce(server.url);
    return { composed, server };
  }

  async start(port = 0): Promise<void> {
    if (this.#hosting === undefined) {
      this.#instances = [
        await this.#startInstance(this.folder, { EVIDENCE_STUDIO_PORT: String(port) }),
      ];
      return;
    }
    const { database, proxy } = this.#hosting;
    const settings = {
      EVIDENCE_STUDIO_PORT: '0',
      EVIDENCE_STUDIO_PUBLIC_URL: proxy.url,
      EVIDENCE_STUDIO_SECRET_FILE: path.join(this.folder, 'secret'),
      DATABASE_URL: database.url,
    };
    this.#instances = await Promise.all(
      ['first', 'second'].map((name) =>
        this.#startInstance(path.join(this.folder, name), settings),
      ),
    );
    proxy.targets = this.#instances.map(({ server }) => `http://127.0.0.1:${server.port}`);
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#instances.map(async ({ server, composed }) => {
        await server.close();
        await composed.close();
      }),
    );
  }

  /** At the same address. */
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
      await this.#hosting?.database.keep();
    });
    return copy;
  }

  async restore(copy: string, between: () => void | Promise<void> = () => {}): Promise<void> {
    await this.restart(async () => {
      rmSync(this.folder, { recursive: true });
      cpSync(copy, this.folder, { recursive: true });
      await this.#hosting?.database.putBack();
      await between();
    });
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: Json }> {
    return callInProcess(this.server, method, path, body === undefined ? {} : { body });
  }

  async ok(method: string, path: string, body?: unknown): Promise<Json> {
    const answer = await this.call(method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  }

  /** A key of a user who is made for it. */
  async makeKey(
    user?: string,
    role?: Role,
  ): Promise<{ key: string; key_id: string; user_id: UserId }> {
    const { store, hmacSecret } = this.composed.deps;
    const { account_id, user_id: own } = store.local;
    const { key, key_id, prefix } = mintKey({
      bytes: (length) => new Uint8Array(randomBytes(length)),
    });
    const making = async (
      writer: Writer,
    ): Promise<{ key: string; key_id: string; user_id: UserId }> => {
      const user_id =
        user === undefined ? own : (await writer.userWrites.ensure(account_id, user, role)).user_id;
      await writer.keyWrites.create({
        key_id,
        prefix,
        account_id,
        user_id,
        name: 'uplink',
        scopes: ['sync'],
        expires_at: null,
        mac: keyMac(key, hmacSecret),
      });
      return { key, key_id, user_id };
    };
    return store.transact(making, EVERY_ACCOUNT);
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
    return ((await this.ok('POST', '/api/v1/projects', { name })) as { project_id: string })
      .project_id;
  }
  async makeCase(project_id: string, case_uid: string): Promise<void> {
    await this.ok('POST', '/api/v1/cases', {
      project_id,
      case_uid,
      title: `Case ${case_uid}`,
      profile_uid: TRIO,
    });
  }
  record(case_uid: string, item_uid: string, raw_outcome: string, rule_uid = RULE): Promise<Json> {
    return this.ok('POST', '/api/v1/evidence', {
      case_uid,
      profile_uid: TRIO,
      items: [{ item_uid, evidence: [{ rule_uid, raw_outcome }] }],
    });
  }

  /** What a case's log holds: its digest, which is equal where the sets are. */
  async digest(stream: string): Promise<string> {
    const { store } = this.composed;
    const position = await store.read(
      (reader) => reader.log.position(store.local.account_id, asStream(stream)),
      store.local.account_id,
    );
    return position === undefined ? 'none' : `${position.count} ${position.sum}`;
  }

  /** Displayed outcomes of a case, as `item/rule=OUTCOME`. */
  async cells(case_uid: string): Promise<string[]> {
    const page = await this.ok(
      'GET',
      `/api/v1/cases/${case_uid}/evidence?profile_uid=${TRIO}&limit=200`,
    );
    return (page.items as Json[]).flatMap((item) =>
      (item.evidence as Json[])
        .filter((cell) => cell.raw_outcome !== null)
        .map(
          (cell) =>
            `${item.item_uid}/${cell.rule_uid}=${cell.raw_outcome}${cell.contested === true ? '!' : ''}`,
        ),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop().catch(() => undefined);
    await this.#hosting?.proxy.close();
    await this.#hosting?.database.drop();
    for (const folder of [this.folder, ...this.#kept])
      rmSync(folder, { recursive: true, force: true });
  }
}

/** Looks until it holds; no waiting by the clock alone. */
export async function eventually(check: () => unknown, patience = PATIENCE): Promise<void> {
  await expect
    .poll(
      async () => {
        try {
          await check();
          return 'holds';
        } catch (error) {
          return error instanceof Error ? error.message : String(error);
        }
      },
      { timeout: patience, interval: 50 },
    )
    .toBe('holds');
}

/** The logs hold equal sets on all of them, and each hub says that nothing waits. */
export async function converge(
  streams: readonly string[],
  hosted: Studio,
  ...hubs: Studio[]
): Promise<void> {
  await eventually(async () => {
    for (const stream of streams) {
      const there = await hosted.digest(stream);
      expect(there, stream).not.toBe('none');
      for (const hub of hubs) expect(await hub.digest(stream), stream).toBe(there);
    }
    for (const hub of hubs) expect((await hub.status()).totals.waiting).toBe(0);
  });
}
