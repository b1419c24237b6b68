import { ofOwnAccount } from '../support/own-account.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeHasher } from '../../src/server/instance/hasher.ts';
import { createHostedClient, type HostedClient } from '../../src/server/uplink/client.ts';
import { fetchRun, sendRun } from '../../src/server/uplink/runs.ts';
import { ticketOf } from '../../src/server/storage/runs/run-content.ts';
import { blobsOf, type RunManifest } from '../../src/shared/domain/run-manifest.ts';
import { splitRun } from '../../src/shared/domain/run-split.ts';
import { canonicalJson } from '../../src/shared/lib/canonical-json.ts';
import { sampleRecord } from '../unit/shared/domain/run-sample.ts';
import { alone, describeAlone } from '../support/alone.ts';
import { makeCase, TRIO } from '../support/evidence.ts';
import { call, makeStudioKey, serve } from '../support/served.ts';
import { bootServer, type TestServer } from '../support/server.ts';
import { wireChange } from '../support/sync-change.ts';
import type { Store } from '../../src/server/storage/store.ts';
import type { RunUid } from '../../src/shared/contract/ids.ts';
import { asRun } from '../support/ids.ts';

interface Counted {
  client: HostedClient;
  /** `METHOD path` without names, in the order of the requests. */
  requests: string[];
  /** Requests that are let through before the connection breaks. */
  allow: number;
}

/** A client of the hosted server that counts, and that can be cut off. */
function clientOf(server: TestServer): Counted {
  const counted: Counted = { client: undefined as never, requests: [], allow: Infinity };
  const cutting: typeof fetch = async (input, init) => {
    counted.allow -= 1;
    if (counted.allow < 0) throw new TypeError('The line is cut.');
    const { pathname } = new URL(input as string);
    counted.requests.push(
      `${init?.method} ${pathname.replace('/api/v1/sync/', '').replace(/[0-9a-f]{64}|sha256%3A[0-9a-f]{64}/, '*')}`,
    );
    return fetch(input, init);
  };
  const traffic = { sent: 0, failed: 0, bytes_out: 0, bytes_in: 0 };
  counted.client = createHostedClient(
    { origin: server.url, key: server.syncKey, gzip: true },
    { fetch: cutting, traffic },
  );
  return counted;
}

function storeOf(server: TestServer): Store {
  return ofOwnAccount(server.deps.store);
}

const RULES = 5;
async function record(
  hub: TestServer,
  caseUid: string,
  items: number,
  source = 'row',
  changed: (item: number) => boolean = () => false,
): Promise<void> {
  const { rules } = (await hub.call('GET', `/api/v1/profiles/${TRIO}`)).body as {
    rules: { ruleUid: string }[];
  };
  const all = Array.from({ length: items }, (_, index) => index);
  for (let start = 0; start < items; start += 1_000) {
    const body = {
      case_uid: caseUid,
      profile_uid: TRIO,
      items: all.slice(start, start + 1_000).map((index) => ({
        item_uid: `item_${index}`,
        evidence: rules.slice(0, RULES).map(({ ruleUid }, rule) => ({
          rule_uid: ruleUid,
          raw_outcome: (index + rule + (changed(index) ? 1 : 0)) % 3 === 0 ? 'TRUE' : 'FALSE',
          source_value: `${source} ${index}`,
        })),
      })),
    };
    expect((await hub.call('POST', '/api/v1/evidence', { body })).status).toBe(200);
  }
}

async function freeze(
  hub: TestServer,
  caseUid: string,
): Promise<{ run_uid: RunUid; content_hash: string }> {
  const { status, body } = await hub.call('POST', '/api/v1/runs', {
    body: { case_uid: caseUid, profile_uid: TRIO },
  });
  expect(status).toBe(201);
  return body as { run_uid: RunUid; content_hash: string };
}

let hub: TestServer;
let other: TestServer;
let hosted: TestServer;
let small: { run_uid: RunUid; content_hash: string };
beforeAll(async () => {
  [hub, other, hosted] = await Promise.all([bootServer(), bootServer(), bootServer()]);
  await makeCase(hub, 'case-1');
  await record(hub, 'case-1', 20);
  small = await freeze(hub, 'case-1');
});
afterAll(() => Promise.all([hub, other, hosted].map((server) => server.close())));

/** A run without who brought it, which is each server's own. */
const opened = async (server: TestServer, runUid: string) => {
  const {
    sent_by: _,
    received_at: __,
    ...run
  } = (await server.call('GET', `/api/v1/runs/${runUid}`)).body;
  return run;
};
const verified = async (server: TestServer, hash: string) =>
  (await server.call('GET', `/api/v1/sync/runs/${hash}?verify=1`)).body.verification;

describe('a frozen run between two servers', () => {
  it('F3 is sent blobs first and the manifest last, and is then there as it was; again costs two requests', async () => {
    const up = clientOf(hosted);
    expect(await sendRun(up.client, storeOf(hub), small.run_uid)).toEqual({ kind: 'done' });
    expect(up.requests).toEqual(['POST blobs/missing', 'POST blobs', 'PUT runs/*']);
    expect(await opened(hosted, small.run_uid)).toEqual(await opened(hub, small.run_uid));
    up.requests.length = 0;
    expect(await sendRun(up.client, storeOf(hub), small.run_uid)).toEqual({ kind: 'done' });
    expect(up.requests).toEqual(['POST blobs/missing', 'PUT runs/*']);
    const list = (await hosted.call('GET', '/api/v1/runs')).body.data;
    expect(list).toMatchObject([{ run_uid: small.run_uid, reproduced: true }]);
  });

  it('is brought to another desktop, listed, opened and verified there as if it had been made there', async () => {
    const announced = {
      op: 'announce',
      parents: [],
      reg: `run/${small.run_uid}`,
      value: { content_hash: small.content_hash },
    };
    await makeCase(other, 'case-1');
    await other.call('POST', '/api/v1/sync/cases/case-1/push', {
      key: other.syncKey,
      body: { protocol: 1, changes: [wireChange('case-1', 'usr', [announced])] },
    });
    const awaiting = await other.call('GET', `/api/v1/runs/${small.run_uid}`);
    expect([awaiting.status, awaiting.body.error]).toEqual([404, 'not_here_yet']);
    expect((await other.call('GET', '/api/v1/runs')).body.data).toEqual([]);

    const down = clientOf(hosted);
    expect(await fetchRun(down.client, storeOf(other), small.run_uid, small.content_hash)).toEqual({
      kind: 'done',
    });
    expect(down.requests).toEqual(['GET runs/*', 'GET blobs']);
    expect(await opened(other, small.run_uid)).toEqual(await opened(hub, small.run_uid));
    for (const server of [hub, hosted, other]) {
      expect(await verified(server, small.content_hash)).toEqual({
        integrity: {
          ok: true,
          stated: small.content_hash,
          computed: small.content_hash,
          damaged: [],
        },
        reproducibility: { ok: true, differences: [] },
      });
    }
    down.requests.length = 0;
    expect(await fetchRun(down.client, storeOf(other), small.run_uid, small.content_hash)).toEqual({
      kind: 'done',
    });
    expect(down.requests).toEqual([]);
    expect(
      await storeOf(other).read((reader) =>
        reader.runs.awaited(storeOf(other).local.account_id, {}),
      ),
    ).toEqual([]);
  });

  it('F3 goes on where it was cut off, in both directions: what arrived stays, and nothing is listed before the manifest', async () => {
    await makeCase(hub, 'case-2');
    await record(hub, 'case-2', 800, 'x'.repeat(800));
    const run = await freeze(hub, 'case-2');
    const up = clientOf(hosted);
    for (let tries = 0; ; tries += 1) {
      up.allow = 2;
      const sent = await sendRun(up.client, storeOf(hub), run.run_uid);
      if (sent.kind === 'done') break;
      expect(sent).toEqual({ kind: 'no_answer', reason: 'network' });
      expect((await hosted.call('GET', `/api/v1/runs/${run.run_uid}`)).status).toBe(404);
      expect(tries).toBeLessThan(20);
    }
    // No blob was sent twice: each request but the last holds about a mebibyte of the run's four.
    const sent = up.requests.filter((request) => request === 'POST blobs').length;
    expect(sent).toBeGreaterThan(2);
    expect(sent).toBeLessThan(8);
    const down = clientOf(hosted);
    for (let tries = 0; ; tries += 1) {
      down.allow = 2;
      const fetched = await fetchRun(down.client, storeOf(other), run.run_uid, run.content_hash);
      if (fetched.kind === 'done') break;
      expect((await other.call('GET', `/api/v1/runs/${run.run_uid}`)).status).toBe(404);
      expect(tries).toBeLessThan(20);
    }
    expect(down.requests.filter((request) => request === 'GET blobs').length).toBe(sent);
    expect((await opened(other, run.run_uid)).content_hash).toBe(run.content_hash);
  });

  it('F2 sends only changed chunks of a run frozen again with 1 % of the items changed', async () => {
    await record(hub, 'case-2', 800, 'x'.repeat(800), (item) => item >= 400 && item < 408);
    const again = await freeze(hub, 'case-2');
    const names = await chunksOf(hub, again.content_hash);
    const missing = (await hosted.call('POST', '/api/v1/sync/blobs/missing', { body: { names } }))
      .body.missing as string[];
    expect(missing.length).toBeLessThanOrEqual(2);
    const up = clientOf(hosted);
    expect(await sendRun(up.client, storeOf(hub), again.run_uid)).toEqual({ kind: 'done' });
    expect(up.requests).toEqual(['POST blobs/missing', 'POST blobs', 'PUT runs/*']);
  });

  it('F5 F6 I3 is one run where two users push it, and another account has no part in it', async () => {
    const [one, two] = [clientOf(hosted), clientOf(hosted)];
    await makeCase(hub, 'case-3');
    await record(hub, 'case-3', 50);
    const run = await freeze(hub, 'case-3');
    expect(
      await fetchRun(clientOf(hub).client, storeOf(other), run.run_uid, run.content_hash),
    ).toEqual({ kind: 'done' });
    const sent = await Promise.all([
      sendRun(one.client, storeOf(hub), run.run_uid),
      sendRun(two.client, storeOf(other), run.run_uid),
    ]);
    expect(sent).toEqual([{ kind: 'done' }, { kind: 'done' }]);
    const list = (await hosted.call('GET', '/api/v1/runs?case_uid=case-3')).body.data as unknown[];
    expect(list).toHaveLength(1);
    const { blob } = (
      await hub.call('GET', `/api/v1/sync/blobs/${(await chunksOf(hosted, run.content_hash))[0]}`)
    ).body;
    expect(blob).toContain('item_1');
    const stranger = await bootServer();
    expect(
      (
        await stranger.call(
          'GET',
          `/api/v1/sync/blobs/${(await chunksOf(hosted, run.content_hash))[0]}`,
        )
      ).status,
    ).toBe(404);
    await stranger.close();
  });

  alone(
    'F4 I10 I11 tells of bytes that were flipped on disk as a fact apart, never with a wrong number, and is healed by a good copy',
    async () => {
      const file = new DatabaseSync(other.databaseFile);
      const [chunk = ''] = await chunksOf(other, small.content_hash);
      file.exec('DROP TRIGGER blobs_no_update');
      const { packed } = file.prepare('SELECT packed FROM blobs WHERE sha256 = ?').get(chunk) as {
        packed: Uint8Array;
      };
      const flipped = Uint8Array.from(packed);
      flipped[20] = (flipped[20] as number) ^ 1;
      file.prepare('UPDATE blobs SET packed = ? WHERE sha256 = ?').run(flipped, chunk);
      file.close();
      expect((await other.call('GET', `/api/v1/runs/${small.run_uid}`)).body.error).toBe(
        'integrity_error',
      );
      expect(await verified(other, small.content_hash)).toEqual({
        integrity: { ok: false, stated: small.content_hash, computed: null, damaged: [chunk] },
        reproducibility: null,
      });
      expect(await sendRun(clientOf(hosted).client, storeOf(other), small.run_uid)).toEqual({
        kind: 'done',
      });
      const fresh = await bootServer();
      expect(await sendRun(clientOf(fresh).client, storeOf(other), small.run_uid)).toMatchObject({
        kind: 'declined',
        code: 'integrity_error',
      });
      await fresh.close();
      const { blob } = (await hosted.call('GET', `/api/v1/sync/blobs/${chunk}`)).body;
      expect(
        (await other.call('PUT', `/api/v1/sync/blobs/${chunk}`, { body: { blob } })).status,
      ).toBe(201);
      expect(await opened(other, small.run_uid)).toEqual(await opened(hub, small.run_uid));
    },
  );

  alone('F4 sends again what the receiver holds damaged, when another run needs it', async () => {
    const [profile = ''] = blobsOf(await manifestOf(hub, small.content_hash));
    const fresh = await bootServer();
    const file = new DatabaseSync(fresh.databaseFile);
    file
      .prepare(
        `INSERT INTO blobs (account, sha256, copy, packed)
          SELECT account, ?, 0, x'00' FROM accounts WHERE account_id = ?`,
      )
      .run(profile!, storeOf(fresh).local.account_id);
    file.close();
    const up = clientOf(fresh);
    expect(await sendRun(up.client, storeOf(hub), small.run_uid)).toEqual({ kind: 'done' });
    expect(up.requests).toEqual([
      'POST blobs/missing',
      'POST blobs',
      'PUT runs/*',
      'POST blobs',
      'PUT runs/*',
    ]);
    const worse = new DatabaseSync(other.databaseFile);
    worse.exec('DROP TRIGGER IF EXISTS blobs_no_update');
    worse.prepare(`UPDATE blobs SET packed = x'00' WHERE sha256 = ?`).run(profile);
    worse.close();
    await record(hub, 'case-1', 20, 'another');
    const run = await freeze(hub, 'case-1');
    await sendRun(clientOf(hosted).client, storeOf(hub), run.run_uid);
    expect(
      await fetchRun(clientOf(hosted).client, storeOf(other), run.run_uid, run.content_hash),
    ).toEqual({ kind: 'done' });
    expect((await opened(other, run.run_uid)).content_hash).toBe(run.content_hash);
    expect((await opened(other, small.run_uid)).content_hash).toBe(small.content_hash);
    await fresh.close();
  });

  it('F4 refuses what does not hash to its name, and says what is absent', async () => {
    const name = 'a'.repeat(64);
    const refused = await hosted.call('PUT', `/api/v1/sync/blobs/${name}`, {
      body: { blob: '{}' },
    });
    expect([refused.status, refused.body.error]).toEqual([422, 'hash_mismatch']);
    expect((await hosted.call('GET', `/api/v1/sync/blobs/${name}`)).status).toBe(404);
    expect((await hosted.call('GET', `/api/v1/sync/runs/sha256:${name}`)).status).toBe(404);
    expect(
      (
        await hosted.call('PUT', `/api/v1/sync/blobs/${name}`, {
          key: hosted.readKey,
          body: { blob: '{}' },
        })
      ).body.error,
    ).toBe('insufficient_scope');
    const client = clientOf(hosted).client;
    expect(await sendRun(client, storeOf(hub), asRun('run_nowhere'))).toEqual({ kind: 'absent' });
    expect(await fetchRun(client, storeOf(hub), asRun('run_nowhere'), `sha256:${name}`)).toEqual({
      kind: 'absent',
    });
    const put = await hub.call('PUT', `/api/v1/sync/blobs/${nodeHasher.sha256Hex('{"a":1}')}`, {
      body: { blob: '{"a":1}' },
    });
    expect([put.status, put.body]).toEqual([
      201,
      { sha256: nodeHasher.sha256Hex('{"a":1}'), size: 7 },
    ]);
    expect(
      (
        await hub.call('PUT', `/api/v1/sync/blobs/${nodeHasher.sha256Hex('{"a":1}')}`, {
          body: { blob: '{"a":1}' },
        })
      ).status,
    ).toBe(200);
  });
});

describeAlone('a server killed between the blobs and the manifest of a run', () => {
  alone(
    'F3 I2 keeps what it acknowledged, takes the manifest after the restart, and keeps that',
    { timeout: 120_000 },
    async () => {
      const folder = await mkdtemp(path.join(tmpdir(), 'evidence-run-kill-'));
      try {
        const record = sampleRecord();
        const { manifest, blobs } = splitRun(
          {
            ...record.frozen,
            settings: record.settings,
            method: record.method,
            result: record.result,
          },
          record.content_hash,
          nodeHasher,
        );
        const at = `/api/v1/sync/runs/${record.content_hash}`;
        let server = await serve(folder);
        const key = await makeStudioKey(server.url, folder);
        for (const [name, blob] of blobs)
          expect(
            (await call(server.url, key, 'PUT', `/api/v1/sync/blobs/${name}`, { blob })).status,
          ).toBe(201);
        await server.kill('SIGKILL');
        server = await serve(folder);
        expect(
          (
            await call(server.url, key, 'POST', '/api/v1/sync/blobs/missing', {
              names: blobsOf(manifest),
            })
          ).body,
        ).toEqual({ missing: [] });
        expect((await call(server.url, key, 'GET', at)).status).toBe(404);
        expect(
          (
            await call(server.url, key, 'PUT', at, {
              manifest: canonicalJson(manifest),
              run: ticketOf(record),
            })
          ).status,
        ).toBe(201);
        await server.kill('SIGKILL');
        server = await serve(folder);
        expect(
          (await call(server.url, key, 'GET', `${at}?verify=1`)).body.verification,
        ).toMatchObject({ integrity: { ok: true }, reproducibility: { ok: true } });
        expect(
          (
            await call(server.url, key, 'PUT', at, {
              manifest: canonicalJson(manifest),
              run: ticketOf(record),
            })
          ).status,
        ).toBe(200);
        await server.kill('SIGTERM');
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  );
});

async function manifestOf(server: TestServer, hash: string): Promise<RunManifest> {
  return JSON.parse(
    (await server.call('GET', `/api/v1/sync/runs/${hash}`)).body.manifest,
  ) as RunManifest;
}
const chunksOf = async (server: TestServer, hash: string): Promise<string[]> =>
  (await manifestOf(server, hash)).chunks;
