/**
 * A studio's server as a process of its own, with what stands before it: proxies that may spoil
 * what passes, and windows.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import { nodeFetch } from '../../src/server/network/node-fetch.ts';
import type { ReplicaPage } from '../e2e/replica/main.ts';
import { type FaultProxy, startProxy } from './fault-proxy.ts';
import { cli, makeKey, type Served, serve } from './served.ts';

export interface Answered {
  status: number;
  body: any;
  headers: Headers;
}

export class Station {
  readonly name: string;
  readonly data: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #proxies: FaultProxy[] = [];
  served!: Served;
  key = '';
  /** By which a studio may be connected to this one. */
  studioKey = '';
  /** Of a signed-in person. */
  cookie = '';

  private constructor(name: string, env: NodeJS.ProcessEnv, data: string) {
    this.name = name;
    this.#env = env;
    this.data = data;
  }

  /** A new studio; `data`: a folder that holds one already. */
  static async begin(
    name: string,
    env: NodeJS.ProcessEnv = {},
    data = mkdtempSync(path.join(tmpdir(), `station-${name}-`)),
  ): Promise<Station> {
    const station = new Station(name, env, data);
    await station.start();
    station.key = await makeKey(data, 'read,write,delete', env);
    await station.signIn();
    station.studioKey = (
      await station.asPerson('POST', 'studio-keys', { name: 'studio' })
    ).body.key;
    return station;
  }

  get url(): string {
    return this.served.url;
  }

  /** Starts the process, and sends there what stands before it. */
  async start(extra: NodeJS.ProcessEnv = {}): Promise<void> {
    this.served = await serve(this.data, [], { LOG_LEVEL: 'error', ...this.#env, ...extra });
    for (const proxy of this.#proxies) {
      proxy.target = this.url;
      proxy.down = false;
    }
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    await this.served.kill(signal);
  }

  /**
   * Kills and starts it; whoever was signed in signs in again, since its clock may have been
   * elsewhere.
   */
  async startAgain(extra: NodeJS.ProcessEnv = {}): Promise<void> {
    await this.kill();
    await this.start(extra);
    await this.signIn();
  }

  async signIn(): Promise<void> {
    // The printed link, since only it is of the server's own time.
    const printed = (): string | undefined =>
      /http\S+\/sign-in\?token=[\w-]+\n/.exec(this.served.output())?.[0].trim();
    for (const end = performance.now() + 60_000; printed() === undefined; await delay(20))
      if (performance.now() > end) throw new Error('It prints no link to sign in.');
    const answer = await nodeFetch(printed()!, { redirect: 'manual' });
    this.cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  }

  /** A proxy before this studio; it keeps its address when the process moves. */
  async proxy(local?: Parameters<typeof startProxy>[1]): Promise<FaultProxy> {
    const proxy = await startProxy(this.url, local);
    this.#proxies.push(proxy);
    return proxy;
  }

  /** A program's call, past all proxies. */
  call(method: string, address: string, body?: unknown): Promise<Answered> {
    return this.#ask(method, address, body, { authorization: `Bearer ${this.key}` });
  }

  /**
   * Each on a connection of its own: an idle one may be closed by the server just when it is used
   * again, as it often is where processes are killed or a machine is busy.
   */
  async #ask(
    method: string,
    address: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<Answered> {
    const response = await nodeFetch(`${this.url}/api/v1/${address}`, {
      method,
      headers: {
        ...headers,
        connection: 'close',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text.startsWith('{') ? JSON.parse(text) : text,
    };
  }

  /** A call that must succeed. */
  async send(method: string, address: string, body?: unknown): Promise<any> {
    const answer = await this.call(method, address, body);
    if (answer.status >= 300)
      throw new Error(
        `${this.name}: ${method} ${address}: ${answer.status} ${JSON.stringify(answer.body)}`,
      );
    return answer.body;
  }

  /** What another studio sends, past all proxies; it must succeed. */
  async asStudio(method: string, address: string, body?: unknown): Promise<any> {
    const answer = await this.#ask(method, address, body, {
      authorization: `Bearer ${this.studioKey}`,
    });
    if (answer.status >= 300)
      throw new Error(
        `${this.name}: ${method} ${address}: ${answer.status} ${JSON.stringify(answer.body)}`,
      );
    return answer.body;
  }

  /** A signed-in person's call. */
  asPerson(method: string, address: string, body?: unknown): Promise<Answered> {
    return this.#ask(method, address, body, { cookie: this.cookie, origin: this.url });
  }

  /** A command line on this studio's data that must succeed; answers what it printed. */
  command(...args: string[]): Promise<string> {
    return cli([...args, '--data', this.data], this.#env);
  }

  async end(): Promise<void> {
    for (const proxy of this.#proxies) await proxy.close();
    await this.served.kill('SIGKILL');
    rmSync(this.data, { recursive: true, force: true });
  }
}

export interface Replica {
  readonly page: Page;
  readonly proxy: FaultProxy;
  call<K extends keyof ReplicaPage>(
    name: K,
    ...args: Parameters<ReplicaPage[K]>
  ): Promise<Awaited<ReturnType<ReplicaPage[K]>>>;
  /** Loads the page anew and opens the matrix; `query` as in e2e/replica/main.ts. */
  open(query?: string): Promise<void>;
}

/**
 * A page on a studio: its own files come from the harness, everything else from the studio, through
 * a proxy of its own.
 */
export async function openReplica(
  page: Page,
  station: Station,
  harnessUrl: string,
  address: Parameters<ReplicaPage['open']>[0],
): Promise<Replica> {
  const proxy = await station.proxy((request, response) => {
    if (request.url?.startsWith('/api/') === true) return false;
    void nodeFetch(new URL(request.url ?? '/', harnessUrl)).then(
      async (answer) => {
        response
          .writeHead(answer.status, {
            'content-type': answer.headers.get('content-type') ?? 'text/plain',
          })
          .end(Buffer.from(await answer.arrayBuffer()));
      },
      () => response.destroy(),
    );
    return true;
  });
  proxy.headers = { cookie: station.cookie };
  const replica: Replica = {
    page,
    proxy,
    call: (name, ...args) =>
      page.evaluate(
        ([called, given]) => {
          const functions = (
            window as unknown as { replica: Record<string, (...all: unknown[]) => unknown> }
          ).replica;
          return functions[called]?.(...given) as never;
        },
        [name, args] as [string, unknown[]],
      ),
    async open(query = '') {
      await page.goto(`${proxy.url}/${query}`);
      await page.waitForFunction(() => 'replica' in window);
      await replica.call('open', address);
    },
  };
  return replica;
}
