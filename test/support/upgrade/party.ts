/**
 * A studio or a hosted server as the programs of some version run it, each a process of its own:
 * of this checkout, or of another one with its packages installed.
 */
import { asStream } from '../ids.ts';
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { nodeHasher } from '../../../src/server/instance/hasher.ts';
import { type Author, type Entry, entryName, seal } from '../../../src/sync/change.ts';
import { call, command, type Ended, ROOT, runToEnd, type Served, serveWith } from '../served.ts';
import { browserAt, signInAs, Visitor } from '../visitor.ts';

export interface Credentials {
  email: string;
  password: string;
}

const PATIENCE_MS = 90_000;

export class Party {
  /** The checkout whose programs run. */
  root: string;
  readonly data: string;
  readonly env: NodeJS.ProcessEnv;
  /** Where it listens; 0: anywhere. */
  port: number;
  #served: Served | undefined;
  /** Of a program. */
  key = '';
  /** The browser of the person who works here most. */
  person!: Visitor;

  constructor(root: string, data: string, env: NodeJS.ProcessEnv = {}, port = 0) {
    this.root = root;
    this.data = data;
    this.env = env;
    this.port = port;
  }

  get url(): string {
    return this.#served?.url ?? '';
  }
  get output(): string {
    return this.#served?.output() ?? '';
  }

  async start(): Promise<void> {
    this.#served = await serveWith(
      process.execPath,
      [this.#program, 'serve', '--port', String(this.port), '--data', this.data],
      { LOG_LEVEL: 'error', ...this.env },
    );
  }
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.#served?.kill(signal);
    this.#served = undefined;
  }

  get #program(): string {
    return path.join(this.root, 'bin/evidence-studio.js');
  }
  command(...args: string[]): Promise<Ended> {
    const words = [...args, '--data', this.data];
    return this.root === ROOT
      ? command(words, this.env)
      : runToEnd(process.execPath, [this.#program, ...words], { env: this.env });
  }
  /** A command that must succeed. */
  async said(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.command(...args);
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
    return stdout;
  }

  /** The person of a studio, by the link that its server prints. */
  async openStudio(): Promise<void> {
    const link = await eventually(() => {
      const [found] = /\/sign-in\?token=[\w-]+(?=\n)/.exec(this.output) ?? [];
      return found ?? Promise.reject(new Error(this.output));
    });
    this.person = new Visitor(browserAt(this.url));
    await this.person.send('GET', link);
  }
  async signIn({ email, password }: Credentials): Promise<Visitor> {
    return signInAs(browserAt(this.url), email, password);
  }

  async agent(method: string, address: string, body?: unknown, key = this.key): Promise<any> {
    const answer = await call(this.url, key, method, `/api/v1/${address}`, body);
    assert(answer.status < 300, `${method} ${address}: ${answer.status} ${text(answer.body)}`);
    return answer.body;
  }
  async human(method: string, address: string, body?: unknown, by = this.person): Promise<any> {
    const answer = await by.api(method, `/${address}`, body);
    assert(answer.status < 300, `${method} ${address}: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  /** A change as a window writes it; answers the name of its first entry. */
  async push(stream: string, entries: Entry[], why: string | null = null): Promise<string> {
    const { user } = await this.human('GET', 'session');
    const change = sealed(
      stream,
      { user: user.user_id, kind: 'human', agent: null, key: null, name: user.name },
      entries,
      why,
    );
    await this.human('POST', `sync/cases/${encodeURIComponent(stream)}/push`, {
      protocol: 1,
      changes: [{ id: change.id, change: change.text }],
    });
    return entryName(change.id, 0);
  }
}

function sealed(stream: string, by: Author, entries: Entry[], why: string | null) {
  const now = Date.now();
  return seal(
    {
      v: 1,
      case: asStream(stream),
      hlc: `${now.toString(16).padStart(12, '0')}-0000`,
      wall: new Date(now).toISOString(),
      by,
      at: { replica: 'r_window', app: '0.1.0', schema: 1 },
      txn: `t_${randomBytes(6).toString('hex')}`,
      why,
      nonce: randomBytes(16).toString('hex'),
      entries,
    },
    nodeHasher,
  );
}

function text(value: unknown): string {
  return JSON.stringify(value).slice(0, 600);
}

/** Asks until it answers; rejects with what it said last. */
export async function eventually<T>(ask: () => T | Promise<T>): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() > end) throw error;
      await delay(200);
    }
  }
}

interface Link {
  stream: string;
  kind: string;
  state: string;
}

/** Resolves when both sides say that they hold the same, and do: each log that is exchanged. */
export async function inSync(studio: Party, server: Party): Promise<Link[]> {
  await studio.human('POST', 'uplink/sync', {});
  return eventually(async () => {
    const status = await studio.human('GET', 'uplink');
    const links: Link[] = status.links;
    const states = links.map(({ stream, state }) => `${stream}: ${state}`);
    assert(links.length > 0 && links.every(({ state }) => state === 'equal'), text(status));
    assert.equal(status.totals.waiting, 0, text(states));
    for (const { stream } of links)
      assert.deepEqual(
        await digestOf(studio, stream),
        await digestOf(server, stream),
        `${stream} differs`,
      );
    return links;
  });
}

/** The entry that was written to a register last. */
export async function headOf(party: Party, stream: string, reg: string): Promise<string> {
  const { changes } = await party.human(
    'GET',
    `sync/cases/${encodeURIComponent(stream)}/changes?after=0&limit=1000`,
  );
  const names = (changes as { id: string; change: string }[]).flatMap(({ id, change }) =>
    (JSON.parse(change) as { entries: Entry[] }).entries.flatMap((entry, at) =>
      entry.reg === reg ? [entryName(id, at)] : [],
    ),
  );
  const last = names.at(-1);
  assert(last !== undefined, `${stream}: nothing was written to ${reg}`);
  return last;
}

/** Count and sum of the changes of a log. */
export async function digestOf(party: Party, stream: string): Promise<unknown> {
  const { buckets } = await party.human(
    'GET',
    `sync/cases/${encodeURIComponent(stream)}/digest?buckets=1`,
  );
  return buckets;
}
