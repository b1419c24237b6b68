/**
 * PostgreSQL on two machines under Patroni, etcd on three, HAProxy before them: by the files of
 * deploy/, in which names, addresses, passwords and folders are put in, nothing else.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { vi } from 'vitest';
import { z } from 'zod';
import { deployFile } from './deploy-file.ts';
import { findProgram } from './find-program.ts';
import { canMakeMachines, end, type Machine, Network } from './machines.ts';
import { findPostgresHome } from './postgres-home.ts';
import { freePort } from './postgres.ts';

const PASSWORD = 'four-quiet-harbours-9';
/** In place of the file's, to which it adds a number. */
const SECRET = 'three-slow-rivers-';
/** Whom Debian's PostgreSQL runs as. */
const USER = 'postgres';
/** Longer than a failover takes by the settings of the file. */
export const PATIENCE = { timeout: 180_000, interval: 100 };

export interface ClusterPrograms {
  patroni: string;
  /** Patroni's, as 3.0.2. */
  version: string;
  etcd: string;
  haproxy: string;
  postgres: string;
}

/** What a drill runs, or a sentence on what is missing. */
export function findClusterPrograms(): ClusterPrograms | string {
  if (!canMakeMachines())
    return 'Needs root, and `ip` (`apt-get install iproute2`), for network namespaces of Linux.';
  const find = (variable: string, place: string, debian: string): string | undefined =>
    findProgram({ variable, places: () => [place], debian });
  const postgres = findPostgresHome();
  const etcd = find('ETCD_PATH', '/usr/bin/etcd', 'etcd-server');
  const haproxy = find('HAPROXY_PATH', '/usr/sbin/haproxy', 'haproxy');
  const patroni = find('PATRONI_PATH', '/usr/bin/patroni', 'patroni');
  if (!postgres || !etcd || !haproxy || !patroni)
    return 'Needs `apt-get install --no-install-recommends postgresql patroni etcd-server haproxy`.';
  const said = execFileSync(patroni, ['--version'], { encoding: 'utf8' });
  return { patroni, etcd, haproxy, postgres, version: /\d+\.\d+\.\d+/.exec(said)?.[0] ?? said };
}

/** Those that lose acknowledged writes over etcd's third interface. */
const isOld = (version: string): boolean => /^(?:[012]\.|3\.0\.[012]$)/.test(version);

interface Site {
  folder: string;
  network: Network;
  programs: ClusterPrograms;
  /** Addresses in the files, and here. */
  addresses: Record<string, string>;
}

/** What Patroni tells of the cluster. */
const Members = z.object({
  members: z.array(z.object({ name: z.string(), role: z.string(), state: z.string() })),
});

async function ask(url: string): Promise<Response | undefined> {
  return fetch(url, { signal: AbortSignal.timeout(1_500) }).catch(() => undefined);
}

/** A machine with etcd and, but for the third one, PostgreSQL under Patroni. */
export class Node {
  readonly name: string;
  readonly machine: Machine;
  readonly #site: Site;
  readonly #folder: string;

  constructor(name: string, machine: Machine, site: Site) {
    this.name = name;
    this.machine = machine;
    this.#site = site;
    this.#folder = path.join(site.folder, name);
    mkdirSync(this.#folder);
    const id = (flag: string): number =>
      Number(execFileSync('id', [flag, USER], { encoding: 'utf8' }));
    chownSync(this.#folder, id('-u'), id('-g'));
    chmodSync(this.#folder, 0o700);
  }

  get logs(): string {
    return path.join(this.#folder, 'log');
  }

  startEtcd(): void {
    const { address } = this.machine;
    const text = deployFile('etcd.env', {
      'ETCD_NAME=one': `ETCD_NAME=${this.name}`,
      '/var/lib/etcd/default': path.join(this.#folder, 'etcd'),
      'URLS=http://10.0.0.21': `URLS=http://${address}`,
      'V2=false': `V2=${isOld(this.#site.programs.version)}`,
      ...this.#site.addresses,
    });
    const env = Object.fromEntries(
      text
        .split('\n')
        .filter((line) => /^\w+=/.test(line))
        .map((line) => line.split(/=(.*)/s, 2)),
    ) as Record<string, string>;
    this.machine.start(this.#site.programs.etcd, ['--log-level', 'warn'], {
      log: `${this.logs}-etcd`,
      env,
    });
  }

  startPatroni(): void {
    const { programs, addresses } = this.#site;
    const { address } = this.machine;
    const text = deployFile('patroni.yml', {
      'name: one': `name: ${this.name}`,
      'listen: 10.0.0.21': `listen: ${address}`,
      'connect_address: 10.0.0.21': `connect_address: ${address}`,
      ...addresses,
      '10.0.0.0/24': address.replace(/\d+$/, '0/24'),
      'CHANGE-': SECRET,
      '/usr/lib/postgresql/15': programs.postgres,
      '/var/lib/postgresql/15/studio': path.join(this.#folder, 'data'),
      '/var/lib/postgresql/studio.pgpass': path.join(this.#folder, 'pgpass'),
      '/var/run/postgresql': this.#folder,
      ...(isOld(programs.version) ? { '\netcd3:': '\netcd:' } : {}),
    });
    const file = path.join(this.#folder, 'patroni.yml');
    writeFileSync(file, text);
    this.machine.start(programs.patroni, [file], { user: USER, log: this.logs });
  }

  start(): void {
    this.startEtcd();
    this.startPatroni();
  }

  #ask(what: string): Promise<Response | undefined> {
    return ask(`http://${this.machine.address}:8008/${what}`);
  }
  async isPrimary(): Promise<boolean> {
    const answer = await this.#ask('primary');
    await answer?.body?.cancel();
    return answer?.status === 200;
  }
  /** Of a primary: whether it has a synchronous standby that works. */
  async hasStandby(): Promise<boolean> {
    const answer = await this.#ask('cluster');
    if (answer === undefined) return false;
    const { members } = Members.parse(await answer.json());
    return members.some(
      ({ role, state }) => role === 'sync_standby' && ['running', 'streaming'].includes(state),
    );
  }

  /** The other one becomes primary, as `patronictl switchover` does it. */
  async switchOver(): Promise<void> {
    const answer = await fetch(`http://${this.machine.address}:8008/switchover`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(`patroni:${SECRET}1`)}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ leader: this.name }),
    });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  }

  /** PostgreSQL's first process. */
  postmaster(): number {
    return parseInt(readFileSync(path.join(this.#folder, 'data/postmaster.pid'), 'utf8'), 10);
  }

  /** As an operator does it who makes the database. */
  makeDatabase(): void {
    execFileSync('setpriv', [`--reuid=${USER}`, `--regid=${USER}`, '--init-groups', 'sh', '-s'], {
      cwd: '/',
      env: {
        PATH: `${this.#site.programs.postgres}/bin:${process.env.PATH}`,
        PGHOST: this.#folder,
        STUDIO_PASSWORD: PASSWORD,
      },
      input: deployFile('database.sh', {}),
      stdio: ['pipe', 'ignore', 'inherit'],
    });
  }
}

export class DatabaseCluster {
  readonly nodes: readonly [Node, Node];
  /** The one address of the two, whichever is the primary. */
  readonly url: string;
  readonly #network: Network;
  readonly #haproxy: ChildProcess;

  private constructor(nodes: [Node, Node], network: Network, url: string, haproxy: ChildProcess) {
    this.nodes = nodes;
    this.#network = network;
    this.url = url;
    this.#haproxy = haproxy;
  }

  static async begin(programs: ClusterPrograms, folder: string): Promise<DatabaseCluster> {
    // PostgreSQL's own user looks into it.
    chmodSync(folder, 0o755);
    const network = new Network();
    const machines = ['one', 'two', 'three'].map((name) => [name, network.machine(name)] as const);
    const addresses: Record<string, string> = Object.fromEntries(
      machines.map(([, { address }], at) => [`10.0.0.${21 + at}`, address]),
    );
    const site = { folder, network, programs, addresses };
    const [one, two, three] = machines.map(([name, machine]) => new Node(name, machine, site));
    for (const node of [one!, two!, three!]) node.startEtcd();
    one!.startPatroni();
    await vi.waitUntil(() => one!.isPrimary(), PATIENCE);
    one!.makeDatabase();
    two!.startPatroni();
    const port = await freePort();
    const file = path.join(folder, 'haproxy.cfg');
    writeFileSync(
      file,
      deployFile('haproxy-postgres.cfg', {
        '127.0.0.1:5432': `127.0.0.1:${port}`,
        'server one 10.0.0.21': `server one ${addresses['10.0.0.21']}`,
        'server two 10.0.0.22': `server two ${addresses['10.0.0.22']}`,
      }),
    );
    const haproxy = spawn(programs.haproxy, ['-db', '-f', file], { stdio: 'ignore' });
    process.once('exit', () => haproxy.kill('SIGKILL'));
    const url = `postgres://studio:${PASSWORD}@127.0.0.1:${port}/studio`;
    const cluster = new DatabaseCluster([one!, two!], network, url, haproxy);
    await cluster.whole();
    return cluster;
  }

  /** Resolves when one is the primary, and the other its synchronous standby. */
  async whole(): Promise<void> {
    await vi.waitUntil(async () => {
      const primary = await this.#findPrimary();
      return primary !== undefined && (await primary.hasStandby());
    }, PATIENCE);
  }

  async primary(): Promise<Node> {
    const found = await this.#findPrimary();
    if (found === undefined) throw new Error('There is no primary.');
    return found;
  }
  async #findPrimary(): Promise<Node | undefined> {
    for (const node of this.nodes) if (await node.isPrimary()) return node;
    return undefined;
  }
  other(node: Node): Node {
    return this.nodes.find((one) => one !== node)!;
  }

  async close(): Promise<void> {
    await end(this.#haproxy);
    this.#network.close();
  }
}
