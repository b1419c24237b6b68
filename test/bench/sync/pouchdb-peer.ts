import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { ROOT } from '../../support/served.ts';
import { temporary } from '../measure.ts';
import type { Order } from '../peers/pouchdb/main.ts';
import { forgetPeak, peak, resident } from './memory.ts';
import { freePort, layWire } from './wire.ts';

/** What one replication cost. Memory is the peak of the side named, over what it had before. */
export interface Leg {
  ms: number;
  bytes: number;
  memory: number;
}
export interface PeerFigures {
  push: Leg;
  pull: Leg;
  /** One cell in a hundred edited, pushed. */
  edits: Leg;
  serverPeak: number;
}

/** A package of its own: its dependencies, many and old, are nobody's but the benchmark's. */
const PEER = path.join(ROOT, 'test/bench/peers/pouchdb');

/** Without install scripts: what they would compile comes built for the usual machines. */
function install(): void {
  if (existsSync(path.join(PEER, 'node_modules/.package-lock.json'))) return;
  console.log('Installing PouchDB …');
  const { status, stderr } = spawnSync(
    'npm',
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund'],
    { cwd: PEER, encoding: 'utf8', shell: process.platform === 'win32' },
  );
  if (status !== 0)
    throw new Error(
      `PouchDB, which replication is compared with, could not be installed: ${stderr.trim().split('\n').at(-1) ?? ''}`,
    );
}

function startDatabase(folder: string) {
  const child = spawn(process.execPath, [path.join(PEER, 'main.ts'), folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid!,
    async obey(order: Order): Promise<{ documents: number; ms: number }> {
      child.stdin.write(`${JSON.stringify(order)}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error('PouchDB has ended.');
      return JSON.parse(value) as { documents: number; ms: number };
    },
    end: () => void child.stdin.end(),
  };
}

/**
 * The same cells, a document each, from one PouchDB to a pouchdb-server and from there to another.
 */
export async function measurePouchDb(cells: number): Promise<PeerFigures> {
  install();
  return temporary(async (folder) => {
    const port = await freePort();
    const dir = path.join(folder, 'server');
    mkdirSync(dir);
    const server = spawn(
      process.execPath,
      [
        path.join(PEER, 'node_modules/pouchdb-server/bin/pouchdb-server'),
        '--port',
        String(port),
        '--dir',
        dir,
        '--config',
        path.join(folder, 'config.json'),
        '--no-stdout-logs',
      ],
      { cwd: folder, stdio: 'ignore' },
    );
    const address = `http://127.0.0.1:${port}`;
    const wire = await layWire();
    wire.to(address);
    const [first, second] = [
      startDatabase(path.join(folder, 'first')),
      startDatabase(path.join(folder, 'second')),
    ];
    try {
      while (
        !(await fetch(address).then(
          (answer) => answer.ok,
          () => false,
        ))
      )
        await wait(50);
      const leg = async (side: typeof first, order: Order, documents: number): Promise<Leg> => {
        wire.reset();
        forgetPeak(side.pid);
        const before = resident(side.pid);
        const done = await side.obey(order);
        if (done.documents !== documents)
          throw new Error(`PouchDB replicated ${done.documents} of ${documents}.`);
        return {
          ms: done.ms,
          bytes: wire.bytes.up + wire.bytes.down,
          memory: peak(side.pid) - before,
        };
      };
      const url = `${wire.url}/bench`;
      await first.obey({ do: 'fill', cells });
      const push = await leg(first, { do: 'push', url }, cells);
      const pull = await leg(second, { do: 'pull', url }, cells);
      await first.obey({ do: 'edit', cells: cells / 100 });
      const edits = await leg(first, { do: 'push', url }, cells / 100);
      return { push, pull, edits, serverPeak: peak(server.pid!) };
    } finally {
      first.end();
      second.end();
      server.kill();
      await wire.close();
    }
  });
}
