/**
 * A studio with many cases, and a hosted server on PostgreSQL, each a process of its own: the first
 * exchange from the one side and to the other. By hand:
 * `node test/bench/sync/many-cases.ts 400 2000`.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { UplinkDiagnostics, UplinkStatus } from '../../../src/shared/contract/v1/uplink.ts';
import { openData } from '../../../src/server/open-data.ts';
import { readConfig } from '../../../src/server/config/config.ts';
import { keyMac, mintKey } from '../../../src/server/auth/keys.ts';
import { projectStream } from '../../../src/sync/register.ts';
import { asProject, asStream } from '../../support/ids.ts';
import { makePlainDatabase } from '../../support/plain-database.ts';
import { startPostgres } from '../../support/postgres.ts';
import { serve } from '../../support/served.ts';
import { unseenOutcome, wireChange } from '../../support/sync-change.ts';
import { temporary } from '../measure.ts';
import { cpuOfAll } from './process-cpu.ts';
import { startStudio, type Studio } from './studios.ts';
import { freePort, layWire, type Wire } from './wire.ts';

const PROJECT = 'prj_01k9z3v7w8x5n2m4q6r8t0y1zb';
const RULES = ['parents_genotype_missing', 'de_novo_origin_open', 'parentage_unconfirmed'];
const CHUNK = 100;

/** Cases of four changes each, put into a studio's store as its person's own. */
async function fill(folder: string, cases: number): Promise<void> {
  await using data = await openData(folder);
  const { store } = data;
  const { account_id, user_id, user_name } = store.local;
  const actor = {
    account_id,
    user_id,
    user_name,
    kind: 'human',
    key_id: null,
    key_name: null,
  } as const;
  const set = (reg: string, value: unknown) => ({ op: 'set', parents: [], reg, value }) as never;
  const project = projectStream(asProject(PROJECT));
  await store.transact(
    (writer) =>
      writer.log.push(
        actor,
        project,
        [wireChange(project, user_id, [set('project/name', 'Many')])],
        undefined,
      ),
    account_id,
  );
  for (let first = 0; first < cases; first += CHUNK)
    await store.transact(async (writer) => {
      for (let n = first; n < Math.min(cases, first + CHUNK); n += 1) {
        const name = `case-${String(n).padStart(5, '0')}`;
        await writer.log.push(
          actor,
          asStream(name),
          [
            wireChange(name, user_id, [
              set('case/project_id', PROJECT),
              set('case/title', `Case ${n}`),
            ]),
            ...RULES.map((rule) =>
              wireChange(name, user_id, [
                unseenOutcome(
                  { profile: 'trio_rare_disease', version: '1.1', rule, item: 'item-1' },
                  'NA',
                ),
              ]),
            ),
          ],
          undefined,
        );
      }
    }, account_id);
}

async function hostedKey(folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  await using data = await openData(folder, { config: readConfig(env) });
  const { key, key_id, prefix } = mintKey(data.random);
  const { account_id, user_id } = data.store.local;
  await data.store.transact(
    (writer) =>
      writer.keyWrites.create({
        account_id,
        user_id,
        key_id,
        prefix,
        name: 'studio',
        scopes: ['sync'],
        expires_at: null,
        mac: keyMac(key, data.hmacSecret),
      }),
    account_id,
  );
  return key;
}

interface Exchange {
  seconds: number;
  requests: number;
  failed: number;
  bytes: number;
  /** CPU seconds of the studio, the hosted server, and PostgreSQL. */
  cpu: readonly [number, number, number];
}

async function first(
  studio: Studio,
  { wire, key, cases, pids }: { wire: Wire; key: string; cases: number; pids: readonly number[] },
): Promise<Exchange> {
  const processes = [studio.server.child.pid!, ...pids];
  await studio.person('PUT', '/api/v1/uplink', { url: wire.url, key });
  for (;;) {
    const { projects } = await studio.person<UplinkStatus>('GET', '/api/v1/uplink');
    if (projects.some(({ project_id }) => project_id === PROJECT)) break;
    await wait(50);
  }
  await wait(1_000);
  wire.reset();
  const cpu = processes.map(cpuOfAll);
  const begun = performance.now();
  const requests = async (): Promise<UplinkDiagnostics['requests']> =>
    (await studio.person<UplinkDiagnostics>('GET', '/api/v1/uplink/diagnostics')).requests;
  const before = await requests();
  await studio.person('PUT', `/api/v1/uplink/projects/${PROJECT}`, { shared: true });
  using file = new DatabaseSync(path.join(studio.data, 'evidence.sqlite'), { readOnly: true });
  const count = file.prepare(
    'SELECT count(*) AS n FROM links JOIN streams USING (account, stream_pk) WHERE verified_seq = seq AND seq > 3',
  );
  for (let n = 0; n < cases; await wait(250)) {
    n = Number(count.get()!['n']);
    if (performance.now() - begun > 900_000) throw new Error(`After 15 minutes: ${n} of ${cases}.`);
  }
  const seconds = (performance.now() - begun) / 1_000;
  const after = await requests();
  const used = processes.map((pid, at) => cpuOfAll(pid) - cpu[at]!);
  return {
    seconds,
    requests: after.sent - before.sent,
    failed: after.failed - before.failed,
    bytes: wire.bytes.up + wire.bytes.down,
    cpu: [used[0]!, used[1]!, used[2]!],
  };
}

/** The first exchange of so many cases: from a studio, then to another. */
async function manyCases(cases: number): Promise<{ sent: Exchange; received: Exchange }> {
  return temporary(async (folder) => {
    const postgres = await startPostgres({ durable: true });
    const database = await makePlainDatabase(postgres.url);
    const wire = await layWire();
    try {
      const env = {
        DATABASE_URL: database.url,
        EVIDENCE_STUDIO_PUBLIC_URL: wire.url.replace('http:', 'https:'),
      };
      const data = path.join(folder, 'hosted');
      mkdirSync(data);
      const key = await hostedKey(data, env);
      const port = await freePort();
      wire.to(`http://127.0.0.1:${port}`);
      const hosted = await serve(data, ['--port', String(port)], env);
      await fill(path.join(folder, 'first'), cases);
      const studios = [await startStudio(path.join(folder, 'first'))];
      const pids = [hosted.child.pid!, postgres.pid];
      const sent = await first(studios[0]!, { wire, key, cases, pids });
      await studios[0]!.server.kill('SIGTERM');
      studios.push(await startStudio(path.join(folder, 'second')));
      const received = await first(studios[1]!, { wire, key, cases, pids });
      await studios[1]!.server.kill('SIGTERM');
      await hosted.kill('SIGTERM');
      return { sent, received };
    } finally {
      await wire.close();
      await postgres.stop();
    }
  });
}

if (import.meta.main)
  for (const cases of process.argv.slice(2).map(Number)) {
    const { sent, received } = await manyCases(cases);
    console.log(JSON.stringify({ cases, sent, received }));
  }
