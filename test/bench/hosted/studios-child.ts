/**
 * Studios that share a case with their teams, each with the real engine of `src/server/uplink` and
 * its client over sockets of its own; only the store is lighter (`light-store.ts`). A process
 * beside the server: what it costs is told, since it takes that from what it measures.
 */
import { UpstreamPresence } from '../../../src/server/uplink/presence.ts';
import { AccountId } from '../../../src/shared/contract/ids.ts';
import http from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Readable } from 'node:stream';
import { createHostedClient } from '../../../src/server/uplink/client.ts';
import { SyncEngine } from '../../../src/server/uplink/engine.ts';
import { nodeHasher } from '../../../src/server/instance/hasher.ts';
import { unseenOutcome, wireChange } from '../../support/sync-change.ts';
import { LightStore } from './light-store.ts';
import { type Desk, itemOf, PROFILE, PUBLIC_URL, RULES } from './seed.ts';

export interface StudiosTask {
  url: string;
  hostedStore: string;
  desks: Desk[];
  /** How long each edits once a second; 0: each makes one edit, and comes back at a word. */
  seconds: number;
  /** Desks of a team follow each other. */
  teamSize: number;
}

export interface StudiosReport {
  /** From the making of an edit until it is stored in each other studio of the team, ms. */
  delays: number[];
  /** Of edits of the last third of the time. */
  lateDelays: number[];
  edits: number;
  /** Requests by operation that were not answered as hoped. */
  failures: Record<string, number>;
  requests: number;
  /** Answers from 500 on: by status, and whether they say when to come again. */
  faults: Record<string, number>;
  /** When the last edit was made, and when the last one had arrived, ms after the first. */
  editedFor: number;
  arrivedAfter: number;
}

/** Within this all come back. */
const BACK_MS = 1_000;
const WIND_DOWN_MS = { edits: 30_000, back: 120_000 };
const faults: Record<string, number> = {};
const unzip = promisify(gunzip);
const agent = new http.Agent({ keepAlive: true, maxSockets: 512 });

/**
 * `fetch` with a Host of its own; an answer of known length comes in one piece. Undici's costs
 * several times as much, which the server would lack.
 */
const lightFetch = ((url: string, { method = 'GET', headers, body, signal }: RequestInit = {}) =>
  new Promise<Response>((resolve, reject) => {
    const streams = url.endsWith('/events');
    const request = http.request(url, {
      method,
      agent: streams ? false : agent,
      headers: {
        ...(headers as Record<string, string>),
        host: new URL(PUBLIC_URL).host,
        'accept-encoding': 'gzip',
        ...(body !== undefined && { 'content-length': (body as Uint8Array).length }),
      },
    });
    const callOff = (): unknown => request.destroy(new Error('called off'));
    signal?.addEventListener('abort', callOff);
    request.once('error', reject);
    request.once('close', () => signal?.removeEventListener('abort', callOff));
    request.once('response', (answer) => {
      const status = answer.statusCode!;
      if (status >= 500) {
        const name = `${status}${answer.headers['retry-after'] === undefined ? '' : ' with Retry-After'}`;
        faults[name] = (faults[name] ?? 0) + 1;
      }
      const facts = {
        status,
        headers: answer.headers as Record<string, string>,
      };
      if (streams) return resolve(new Response(Readable.toWeb(answer) as ReadableStream, facts));
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.once('error', reject);
      answer.once('end', () => {
        const whole = Buffer.concat(pieces);
        const bytes =
          answer.headers['content-encoding'] === 'gzip' ? unzip(whole) : Promise.resolve(whole);
        void bytes.then(
          (unpacked) =>
            resolve(
              new Response(answer.statusCode === 304 ? null : new Uint8Array(unpacked), facts),
            ),
          reject,
        );
      });
    });
    request.end(body);
  })) as typeof fetch;

const timers = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  random: Math.random,
  after(ms: number, callback: () => void) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

class Studio {
  readonly #desk: Desk;
  readonly #light: LightStore;
  readonly #heads = new Map<string, string>();
  readonly engine: SyncEngine;
  #edits = 0;

  constructor(
    { url, hostedStore }: StudiosTask,
    desk: Desk,
    {
      arrived,
      failed,
      traffic,
    }: {
      arrived(id: string): void;
      failed(operation: string): void;
      traffic: Parameters<typeof createHostedClient>[1]['traffic'];
    },
  ) {
    this.#desk = desk;
    this.#light = new LightStore(
      { account: AccountId.parse('acc_light'), project: desk.project, caseUid: desk.caseUid },
      arrived,
    );
    this.engine = new SyncEngine({
      store: this.#light.store,
      hasher: nodeHasher,
      timers,
      version: '0.0.1',
      boot: `boot_${desk.user}`,
      presence: new UpstreamPresence(),
      hostedStore,
      mayStandFor: new Set([desk.user]),
      client: createHostedClient(
        { origin: url, key: desk.key, gzip: true },
        { fetch: lightFetch, traffic },
      ),
      failed: (stream, operation, failure) =>
        failed(
          `${operation} ${stream?.startsWith('@') === true ? stream.split('/')[0] : 'case'} ` +
            `${failure.kind === 'refused' ? failure.code : failure.kind}`,
        ),
      unforeseen: (error) => console.error(error),
      learned: () => undefined,
    });
  }

  /** Edits what it sees: a cell of its own row. */
  edit(row: number): string {
    const rule = RULES[(this.#edits += 1) % RULES.length]!;
    const head = this.#heads.get(rule);
    const entry = unseenOutcome(
      { profile: PROFILE, version: '1.0', rule, item: itemOf(row) },
      this.#edits % 2 === 0 ? 'TRUE' : 'FALSE',
    );
    const change = wireChange(this.#desk.caseUid, this.#desk.user, [
      { ...entry, parents: head === undefined ? [] : [head] },
    ]);
    this.#heads.set(rule, `${change.id}#0`);
    this.#light.write(change, this.#desk.user);
    return change.id;
  }
}

/** Each edits while nobody answers; at a word the network is back for all of them. */
async function comeBack(
  studios: readonly Studio[],
  made: Map<string, number>,
  report: StudiosReport,
  begin: () => void,
): Promise<void> {
  const edits = studios.map((studio, n) => studio.edit(n % 20));
  report.edits = edits.length;
  await new Promise((resolve) => process.once('message', resolve));
  begin();
  for (const id of edits) made.set(id, performance.now());
  await Promise.all(
    studios.map(async ({ engine }, n) => {
      await new Promise((resolve) => setTimeout(resolve, (BACK_MS * n) / studios.length));
      engine.wake();
    }),
  );
}

async function run(task: StudiosTask): Promise<StudiosReport> {
  const made = new Map<string, number>();
  const report: StudiosReport = {
    delays: [],
    lateDelays: [],
    edits: 0,
    failures: {},
    requests: 0,
    faults,
    editedFor: 0,
    arrivedAfter: 0,
  };
  const traffic = { sent: 0, failed: 0, bytes_out: 0, bytes_in: 0 };
  let began = 0;
  let isOver = false;
  const heard = {
    traffic,
    arrived(id: string): void {
      const [now, at] = [performance.now(), made.get(id)];
      if (at === undefined) return;
      report.delays.push(now - at);
      if (at - began > (task.seconds * 2_000) / 3) report.lateDelays.push(now - at);
      report.arrivedAfter = now - began;
    },
    failed(operation: string): void {
      if (!isOver) report.failures[operation] = (report.failures[operation] ?? 0) + 1;
    },
  };
  const studios: Studio[] = [];
  for (const desk of task.desks) {
    studios.push(new Studio(task, desk, heard));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  while (studios.some(({ engine }) => !engine.hints.open || engine.isBusy))
    await new Promise((resolve) => setTimeout(resolve, 100));
  process.send!('ready');
  await new Promise((resolve) => process.once('message', resolve));
  began = performance.now();
  const sentBefore = traffic.sent;
  const { length } = studios;
  if (task.seconds === 0) await comeBack(studios, made, report, () => (began = performance.now()));
  await Promise.all(
    studios.map(async (studio, n) => {
      for (let edit = 0; edit < task.seconds; edit += 1) {
        const wait = began + 1_000 * (edit + n / length) - performance.now();
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, wait)));
        const at = performance.now();
        made.set(studio.edit(n % 20), at);
        report.edits += 1;
      }
    }),
  );
  report.editedFor = performance.now() - began;
  const expected = report.edits * (task.teamSize - 1);
  while (
    report.delays.length < expected &&
    performance.now() - began <
      report.editedFor + (task.seconds === 0 ? WIND_DOWN_MS.back : WIND_DOWN_MS.edits)
  )
    await new Promise((resolve) => setTimeout(resolve, 50));
  report.requests = traffic.sent - sentBefore;
  isOver = true;
  for (const { engine } of studios) await engine.close();
  return report;
}

process.once(
  'message',
  (task) =>
    void run(task as StudiosTask).then((report) => process.send!(report, () => process.exit(0))),
);
