import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lengthOf, seedOf } from '../../support/length.ts';
import { seeded } from '../../support/random.ts';
import { eventually, Studio, TRIO } from './world.ts';

/** Passes all on, but keeps what writes waiting while it is closed. */
async function startGate(target: string) {
  const waiting: (() => void)[] = [];
  const gate = {
    url: '',
    isOpen: true,
    /** What was asked for: addresses and bodies, in their order. */
    asked: [] as string[],
    waits: () => waiting.length,
    open(): void {
      gate.isOpen = true;
      for (const pass of waiting.splice(0)) pass();
    },
    close: async (): Promise<void> => {
      gate.open();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    const isRead = request.method === 'GET';
    gate.asked.push(`${request.url} ${text.toString()}`);
    if (!gate.isOpen && !isRead) await new Promise<void>((pass) => waiting.push(pass));
    const headers = Object.entries(request.headers).filter(
      ([name]) => !['host', 'connection', 'content-length', 'transfer-encoding'].includes(name),
    ) as [string, string][];
    try {
      const answer = await fetch(target + (request.url ?? ''), {
        method: request.method ?? 'GET',
        headers: [
          ...headers.filter(([name]) => name !== 'accept-encoding'),
          ['accept-encoding', 'identity'],
        ],
        ...(isRead ? {} : { body }),
      });
      response.writeHead(
        answer.status,
        [...answer.headers].filter(([name]) => name !== 'connection').flat(),
      );
      for await (const part of answer.body ?? []) response.write(part);
      response.end();
    } catch {
      response.destroy();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  gate.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return gate;
}

/** More than go in the requests that are under way together. */
const CASES = 100;
const LAST = `private-${CASES - 1}`;
const AT_ONCE = 3;
const TURNS = lengthOf(25, 400);

let hosted: Studio;
let one: Studio;
let gate: Awaited<ReturnType<typeof startGate>>;
beforeEach(async () => {
  [hosted, one] = await Promise.all([Studio.hosted(), Studio.open('one')]);
  gate = await startGate(hosted.server.url);
});
afterEach(async () => {
  await one[Symbol.asyncDispose]();
  await gate.close();
  await hosted[Symbol.asyncDispose]();
});

test('U1 a project that is switched off while it is being sent is not named any more', async () => {
  const project = await one.makeProject('Private');
  const other = await one.makeProject('Open');
  await one.makeCase(other, 'open-1');
  for (let n = 0; n < CASES; n += 1) {
    await one.makeCase(project, `private-${n}`);
    await one.record(`private-${n}`, 'private', 'NA');
  }
  const { run_uid } = await one.ok('POST', '/api/v1/runs', {
    case_uid: 'private-1',
    profile_uid: TRIO,
  });
  await one.connect(gate.url, (await hosted.makeKey('Ada')).key);
  await one.share(other);
  await eventually(async () => expect(await hosted.digest('open-1')).not.toBe('none'));
  gate.isOpen = false;
  await one.share(project);
  await eventually(() => expect(gate.waits()).toBeGreaterThanOrEqual(AT_ONCE));
  const { projects } = await one.share(project, false);
  expect(projects.find(({ project_id }) => project_id === project)?.shared).toBe(false);
  // The content of a run that was announced before is asked for no longer.
  const awaited = `'run_private', 'sha256:${'0'.repeat(64)}'`;
  await one.sql(
    `INSERT INTO awaited_runs (account, run_uid, content_hash, case_uid)
     SELECT account, ${awaited}, case_uid FROM cases WHERE case_uid = 'private-0'`,
  );
  const before = gate.asked.length;
  gate.open();
  await one.record('open-1', 'after', 'TRUE');
  await eventually(async () => expect(await hosted.cells('open-1')).toHaveLength(1));
  await one.ok('POST', '/api/v1/uplink/sync', {});
  await eventually(async () => expect((await one.status()).totals.waiting).toBe(0));
  const later = gate.asked.slice(before).join('\n');
  expect(later).toContain('open-1');
  for (const name of ['private', project, run_uid]) expect(later).not.toContain(name);
  // It is still known when the last exchange was, and what is switched on again is sent.
  expect((await one.share(other, false)).last_ok).not.toBeNull();
  await one.share(project);
  await eventually(async () => expect(await hosted.digest(LAST)).toBe(await one.digest(LAST)));
});

test(`U1 whenever it is switched, what is off is not named and what is on is brought, seed ${seedOf(1)}`, async () => {
  const random = seeded(seedOf(1));
  const projects = await Promise.all(['One', 'Two'].map((name) => one.makeProject(name)));
  const [first, second] = projects.map((project, at) => ({ project, name: `${'ab'[at]}-private` }));
  const all = [first!, second!];
  for (const { project, name } of all)
    for (let n = 0; n < 6; n += 1) await one.makeCase(project, `${name}-${n}`);
  await one.connect(gate.url, (await hosted.makeKey('Ada')).key);
  const off = new Map(all.map(({ name }) => [name, gate.asked.length]));
  for (let turn = 0; turn < TURNS; turn += 1) {
    const { project, name } = random.pick(all);
    const isOn = !off.has(name);
    const act = random.int(4);
    if (act === 0) gate.isOpen = !gate.isOpen;
    else if (act === 1) await one.record(`${name}-${random.int(6)}`, `i${turn}`, 'TRUE');
    else {
      await one.share(project, !isOn);
      if (isOn) off.set(name, gate.asked.length);
      else off.delete(name);
    }
    if (gate.isOpen) gate.open();
    await setTimeout(random.int(60));
    for (const [quiet, since] of off)
      expect(gate.asked.slice(since).join('\n'), `turn ${turn}`).not.toContain(quiet);
  }
  gate.open();
  for (const { project, name } of all) {
    await one.share(project);
    await eventually(async () => {
      for (let n = 0; n < 6; n += 1)
        expect(await hosted.digest(`${name}-${n}`)).toBe(await one.digest(`${name}-${n}`));
    });
  }
});
