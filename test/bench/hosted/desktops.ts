import http from 'node:http';
import { PROTOCOL } from '../../../src/shared/contract/sync.ts';
import { unseenOutcome, wireChange } from '../../support/sync-change.ts';
import type { Served } from '../../support/served.ts';
import type { Figure } from '../figure.ts';
import { percentile, thousands } from '../measure.ts';
import { type Desk, type HostedWorld, itemOf, PROFILE, PUBLIC_URL, RULES, startInstance } from './seed.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? '60');
/** A desktop waits that long after an edit, or after a hint, for what comes with it. */
const GATHER_MS = 300;

interface Measured {
  /** From the making of an edit to its arrival at each of the team's other desktops, ms. */
  delays: number[];
  sent: number;
  refused: number;
}

/** What a desktop does towards its hosted server: pushes what was edited, listens, and reads what it is told of. */
class Desktop {
  readonly #desk: Desk;
  readonly #base: string;
  readonly #agent: http.Agent;
  readonly #measured: Measured;
  readonly #made: Map<string, number>;
  readonly #own = new Set<string>();
  #seq = 0;
  #reading = false;
  #heard = 0;
  #edits = 0;
  /** The head of each rule's cell in its row, as it wrote it: it edits what it sees. */
  readonly #heads = new Map<string, string>();
  #stream: http.ClientRequest | undefined;

  constructor(server: Served, desk: Desk, agent: http.Agent, made: Map<string, number>, measured: Measured) {
    [this.#base, this.#desk, this.#agent, this.#made, this.#measured] = [server.url, desk, agent, made, measured];
  }

  #request(method: string, path: string, body?: string): http.ClientRequest {
    const headers = { host: new URL(PUBLIC_URL).host, authorization: `Bearer ${this.#desk.key}`, ...(body !== undefined && { 'content-type': 'application/json' }) };
    return http.request(this.#base + path, { method, headers, ...(path.endsWith('/events') ? { agent: false } : { agent: this.#agent }) });
  }

  #ask<T>(method: string, path: string, body?: string): Promise<T | undefined> {
    return new Promise((resolve) => {
      const request = this.#request(method, path, body);
      request.once('error', () => resolve(undefined));
      request.once('response', (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => (text += part)).once('end', () => resolve(answer.statusCode === 200 ? (JSON.parse(text) as T) : undefined));
      });
      request.end(body);
    });
  }

  async open(): Promise<void> {
    await this.#read();
    await new Promise<void>((resolve, reject) => {
      const stream = this.#request('GET', '/api/v1/sync/events');
      this.#stream = stream;
      stream.once('error', reject);
      stream.once('response', (answer) => {
        if (answer.statusCode !== 200) return reject(new Error(`An event stream was answered ${answer.statusCode}.`));
        stream.on('error', () => undefined);
        answer.on('error', () => undefined);
        answer.setEncoding('utf8').on('data', (text: string) => {
          for (const [, seq] of text.matchAll(/"seq":(\d+)/g)) this.#heard = Math.max(this.#heard, Number(seq));
          if (this.#heard > this.#seq && !this.#reading) void this.#catchUp();
        });
        resolve();
      });
      stream.end();
    });
  }

  async #catchUp(): Promise<void> {
    this.#reading = true;
    await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    while (this.#heard > this.#seq && (await this.#read()));
    this.#reading = false;
  }

  async #read(): Promise<boolean> {
    const page = await this.#ask<{ to: number; more: boolean; changes: { id: string }[] }>('GET', `/api/v1/sync/cases/${this.#desk.caseUid}/changes?after=${this.#seq}`);
    if (page === undefined) return false;
    const now = performance.now();
    for (const { id } of page.changes) {
      const made = this.#made.get(id);
      if (made !== undefined && !this.#own.has(id)) this.#measured.delays.push(now - made);
    }
    this.#seq = page.to;
    return page.more || this.#heard > this.#seq;
  }

  /** One edit, sent a moment later as a desktop does. */
  async edit(row: number): Promise<void> {
    this.#edits += 1;
    const rule = RULES[this.#edits % RULES.length]!;
    const head = this.#heads.get(rule);
    const entry = unseenOutcome({ profile: PROFILE, version: '1.0', rule, item: itemOf(row) }, this.#edits % 2 === 0 ? 'TRUE' : 'FALSE');
    const change = wireChange(this.#desk.caseUid, this.#desk.user, [{ ...entry, parents: head === undefined ? [] : [head] }]);
    this.#heads.set(rule, `${change.id}#0`);
    this.#made.set(change.id, performance.now());
    this.#own.add(change.id);
    await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    const pushed = await this.#ask('POST', `/api/v1/sync/cases/${this.#desk.caseUid}/push`, JSON.stringify({ protocol: PROTOCOL, changes: [change] }));
    if (pushed === undefined) this.#measured.refused += 1;
    else this.#measured.sent += 1;
  }

  close(): void {
    this.#stream?.destroy();
  }
}

/** As many desktops as the world has desks, in teams that share a case, each with one edit a second. */
export async function desktopRows(world: HostedWorld, folder: string, inTeams: string): Promise<Figure[]> {
  const server = await startInstance(world, folder);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });
  const measured: Measured = { delays: [], sent: 0, refused: 0 };
  const made = new Map<string, number>();
  const desktops = world.desks.map((desk) => new Desktop(server, desk, agent, made, measured));
  try {
    for (const desktop of desktops) await desktop.open();
    const under: Promise<void>[] = [];
    const every = desktops.map((desktop, n) => {
      let timer: NodeJS.Timeout | undefined;
      const start = setTimeout(() => {
        timer = setInterval(() => under.push(desktop.edit(n % 20)), 1_000);
      }, (1_000 * n) / desktops.length);
      return () => {
        clearTimeout(start);
        clearInterval(timer);
      };
    });
    await new Promise((resolve) => setTimeout(resolve, 1_000 * SECONDS));
    for (const stop of every) stop();
    await Promise.all(under);
    await new Promise((resolve) => setTimeout(resolve, 5_000));
  } finally {
    for (const desktop of desktops) desktop.close();
    agent.destroy();
    await server.kill('SIGTERM');
  }
  const expected = measured.sent * (world.desks.length / Number(inTeams.split(' ')[0]) - 1);
  const p95 = percentile(measured.delays, 95);
  return [
    { what: `${desktops.length} desktops in ${inTeams}, one edit a second each for ${SECONDS} s: edit to each other desktop of the team`, ours: `p50 ${percentile(measured.delays, 50).toFixed(0)} ms, p95 ${p95.toFixed(0)} ms; ${thousands(measured.sent)} edits stored, ${measured.refused} to be sent again`, floor: '', compared: `${thousands(measured.delays.length)} of ${thousands(expected)} arrivals seen`, gate: 'p95 at most 4 s, all arrive', met: p95 <= 4_000 && measured.delays.length >= expected && measured.refused === 0 },
  ];
}
