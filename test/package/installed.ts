/**
 * What is tried of an installed deb, as root in a throwaway root (`prove.ts`): each line that is
 * printed held. The studio itself is always an ordinary user's.
 */
import assert from 'node:assert/strict';
import { chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { cpSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import {
  address,
  crashes,
  DATA,
  family,
  HOME,
  isAlive,
  memory,
  NAME,
  open,
  press,
  root,
  say,
  startDisplay,
  STUDIO,
  until,
  windowsOf,
} from './person.ts';

const REPOSITORY = path.resolve(import.meta.dirname, '../..');
const FOLDER = '/usr/lib/evidence-studio';
const PROGRAM = path.join(FOLDER, 'evidence-studio');
const [, , deb = ''] = process.argv;
const facts: string[] = [];
let held = 0;

async function holds(what: string, work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    console.error(`✗ ${what}`);
    throw error;
  }
  held += 1;
  console.log(`✓ ${what}`);
}

/** The same package under a lower version: what an upgrade starts from. */
function earlier(): string {
  const folder = '/tmp/earlier';
  root('dpkg-deb', '-R', deb, folder);
  const control = path.join(folder, 'DEBIAN/control');
  const text = readFileSync(control, 'utf8').replace(/^Version: .*$/m, 'Version: 0.0.9');
  writeFileSync(control, text);
  root('dpkg-deb', '--root-owner-group', '-Znone', '--build', folder, '/tmp/earlier.deb');
  rmSync(folder, { recursive: true });
  return '/tmp/earlier.deb';
}

interface Answer<T> {
  status: number;
  value: T;
}
async function ask<T>(
  url: string,
  key: string,
  method: string,
  to: string,
  body?: unknown,
): Promise<Answer<T>> {
  const response = await fetch(`${url}/api/v1/${to}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, value: (await response.json()) as T };
}

interface Evidence {
  items: { item_uid: string; evidence: { raw_outcome: string | null }[] }[];
}
async function recorded(url: string, key: string, of = 'first'): Promise<number> {
  const from = `cases/${of}/evidence?profile_uid=trio_rare_disease`;
  const { value } = await ask<Evidence>(url, key, 'GET', from);
  return value.items.flatMap((item) => item.evidence).filter((one) => one.raw_outcome !== null)
    .length;
}

function makeKey(): string {
  const made = say([
    STUDIO,
    'key',
    'create',
    '--name',
    'proof',
    '--scopes',
    'read,write',
    '--json',
  ]);
  assert.equal(made.code, 0, made.stderr);
  return (JSON.parse(made.stdout) as { key: string }).key;
}

async function makeCase(url: string, key: string): Promise<void> {
  const project = await ask<{ project_id: string }>(url, key, 'POST', 'projects', {
    name: 'Proof',
  });
  const { project_id } = project.value;
  assert.equal(
    (await ask(url, key, 'POST', 'cases', { project_id, case_uid: 'first' })).status,
    201,
  );
  const items = ['a', 'b', 'c'].map((item_uid) => ({ item_uid }));
  const body = { case_uid: 'first', profile_uid: 'trio_rare_disease', items };
  assert.equal((await ask(url, key, 'POST', 'evidence', body)).status, 200);
}

/** A store as an earlier version left it: the package's first start upgrades it. */
function placeOldStore(name: string): void {
  mkdirSync(DATA, { recursive: true, mode: 0o700 });
  const file = path.join(REPOSITORY, 'test/fixtures/stores', name);
  writeFileSync(path.join(DATA, 'evidence.sqlite'), gunzipSync(readFileSync(file)));
  for (let folder = DATA; folder !== HOME; folder = path.dirname(folder)) own(folder);
  own(path.join(DATA, 'evidence.sqlite'));
}

function own(file: string): void {
  const { uid, gid } = statSync(HOME);
  chownSync(file, uid, gid);
}

async function fuses(): Promise<void> {
  const { FuseV1Options, getCurrentFuseWire } = (await import(
    pathToFileURL(path.join(REPOSITORY, 'packaging/node_modules/@electron/fuses/dist/index.js'))
      .href
  )) as {
    FuseV1Options: Record<string, number>;
    getCurrentFuseWire(file: string): Promise<Record<number, number>>;
  };
  const wanted = JSON.parse(
    readFileSync(path.join(REPOSITORY, 'packaging/fuses.json'), 'utf8'),
  ) as Record<string, boolean>;
  const wire = await getCurrentFuseWire(PROGRAM);
  let read = 0;
  for (const [name, on] of Object.entries(wanted)) {
    const state = wire[FuseV1Options[name] ?? -1];
    // An older Electron has fewer.
    if (state === undefined) continue;
    read += 1;
    assert.equal(state, (on ? '1' : '0').charCodeAt(0), name);
  }
  assert(read >= 8);
  facts.push(`${read} of ${Object.keys(wanted).length} fuses`);
}

async function quit(pid: number, ended: () => Promise<number>): Promise<void> {
  await press(pid, 'ctrl+q');
  assert.equal(await ended(), 0);
  assert(!existsSync(path.join(DATA, 'server.json')));
}

const HOSTILE = [
  '--remote-debugging-port=9222',
  '--remote-debugging-pipe',
  '--inspect=9229',
  '--inspect-brk',
  '--js-flags=--expose-gc',
  '--no-sandbox',
  '--load-extension=/tmp/x',
];

async function refuses(): Promise<void> {
  for (const argument of HOSTILE) {
    const { code, stderr } = say([STUDIO, argument], { DISPLAY: ':97' });
    assert.equal(code, 1, argument);
    assert.match(stderr, /does not start with/);
  }
}

async function ignores(): Promise<void> {
  const planted = '/tmp/planted.js';
  writeFileSync(planted, "require('fs').writeFileSync('/tmp/ran', 'x')\n", { mode: 0o644 });
  const env = { NODE_OPTIONS: `--require ${planted}`, ELECTRON_RUN_AS_NODE: '1' };
  const { stdout, code } = say([STUDIO, '--version'], env);
  assert.equal(code, 0);
  assert.match(stdout, /^\d+\.\d+\.\d+/);
  const app = path.join(FOLDER, 'resources/app');
  mkdirSync(app);
  writeFileSync(path.join(app, 'package.json'), '{"main":"x.js"}');
  cpSync(planted, path.join(app, 'x.js'));
  assert.equal(say([STUDIO, '--version']).code, 0);
  rmSync(app, { recursive: true });
  assert(!existsSync('/tmp/ran'), 'nothing that was planted has run');
}

async function firstUse(): Promise<void> {
  const studio = await open();
  const url = await address(studio.pid);
  facts.push(`first window with a store of 0.1 after ${studio.windowMs.toFixed(0)} ms`);
  await holds('a store of version 0.1 is upgraded at the first start, after a backup', () => {
    assert(existsSync(path.join(DATA, 'evidence.sqlite.v1.backup')));
  });
  await holds('pages are confined: the user’s own, behind seccomp', () => {
    const renderer = family(studio.pid).filter((one) => one.command.includes('--type=renderer'));
    assert(renderer.length > 0);
    for (const { status } of renderer) {
      assert.match(status, /^Seccomp:\s+2$/m);
      assert.match(status, new RegExp(`^Uid:\\s+${statSync(HOME).uid}\\b`, 'm'));
    }
  });
  const key = makeKey();
  await holds(
    'a cell is filled by real keys, where a link from another program leads',
    async () => {
      await makeCase(url, key);
      assert.equal(say([STUDIO, 'evidence-studio://cases/first'], { DISPLAY: ':97' }).code, 0);
      await until('a recorded cell', async () => {
        await press(studio.pid, 't');
        return (await recorded(url, key)) > 0 || undefined;
      });
    },
  );
  await holds('quitting ends every process and takes server.json away', async () => {
    const before = family(studio.pid);
    await quit(studio.pid, studio.ended);
    await until('no process', () => before.every((one) => !isAlive(one.pid)) || undefined);
    await assert.rejects(fetch(`${url}/healthz`));
  });
}

async function secondUse(): Promise<void> {
  const cold = await open();
  await quit(cold.pid, cold.ended);
  const warm = await open();
  facts.push(`warm window after ${warm.windowMs.toFixed(0)} ms`);
  const url = await address(warm.pid);
  const key = makeKey();
  await holds('what was recorded is there after the upgrade', async () => {
    assert((await recorded(url, key)) > 0);
  });
  facts.push(`${memory(warm.pid).toFixed(0)} MB in all processes (PSS)`);
  await quit(warm.pid, warm.ended);
}

/** The one frozen run of the store of 0.2. */
const OLD_RUN = 'run_01m8af43cmgsnv850cft739jap';

async function upgrade02(): Promise<void> {
  const kept = `${DATA}.kept`;
  renameSync(DATA, kept);
  placeOldStore('0.2/evidence.sqlite.gz');
  const studio = await open();
  const url = await address(studio.pid);
  await holds(
    'a store of version 0.2 is upgraded after a backup, and all of it is there',
    async () => {
      assert(existsSync(path.join(DATA, 'evidence.sqlite.v15.backup')));
      assert.equal(await recorded(url, makeKey(), 'of_02'), 15);
      for (const words of [['verify', 'stored', OLD_RUN], ['verify-audit']]) {
        const { code, stdout, stderr } = say([STUDIO, ...words]);
        assert.equal(code, 0, `${words.join(' ')}: ${stdout}${stderr}`);
      }
    },
  );
  await quit(studio.pid, studio.ended);
  rmSync(DATA, { recursive: true });
  renameSync(kept, DATA);
}

async function troubles(): Promise<void> {
  await holds(
    'a setting that cannot be read is told in a dialog, and closing that ends the process',
    async () => {
      const told = await open([], { EVIDENCE_STUDIO_PORT: 'no port' });
      await press(told.pid, 'Return');
      assert.equal(await told.ended(5_000), 1);
    },
  );
  await holds('so is a data folder that cannot be made', async () => {
    const told = await open([], { EVIDENCE_STUDIO_DATA: '/root/studio' });
    await press(told.pid, 'Return');
    assert.equal(await told.ended(5_000), 1);
  });
  const file = path.join(DATA, 'evidence.sqlite');
  const whole = readFileSync(file);
  const damaged = Buffer.from(whole);
  damaged.fill(0x5a, 0, 4_096);
  await holds(
    'a damaged database is asked about; to quit ends the process at once, and changes nothing',
    async () => {
      for (const side of ['-wal', '-shm']) rmSync(`${file}${side}`, { force: true });
      writeFileSync(file, damaged);
      const asked = await open();
      await press(asked.pid, 'Escape');
      assert.equal(await asked.ended(5_000), 0);
      assert(readFileSync(file).equals(damaged));
    },
  );
  await holds(
    'the newest backup is put back where that is chosen, and the window opens',
    async () => {
      const asked = await open();
      await press(asked.pid, 'Return');
      await address(asked.pid);
      await quit(asked.pid, asked.ended);
      assert(existsSync(path.join(DATA, 'set-aside')));
    },
  );
  // In its last pages, which a start need not read to show the rest.
  const torn = Buffer.from(whole);
  torn.fill(0x5a, torn.length - 6 * 4_096);
  await holds(
    'a database that can be read in part opens for reading, if that is chosen',
    async () => {
      writeFileSync(file, torn);
      const asked = await open();
      await press(asked.pid, 'Tab', 'Return');
      await address(asked.pid);
      await quit(asked.pid, asked.ended);
      assert(readFileSync(file).subarray(0, 4_096).equals(torn.subarray(0, 4_096)));
    },
  );
  await holds('without a backup a damaged database can only be left', async () => {
    writeFileSync(file, damaged);
    rmSync(path.join(DATA, 'backups'), { recursive: true, force: true });
    rmSync(`${file}.v1.backup`, { force: true });
    const asked = await open();
    await press(asked.pid, 'Return');
    assert.equal(await asked.ended(5_000), 0);
  });
  for (const side of ['-wal', '-shm']) rmSync(`${file}${side}`, { force: true });
  writeFileSync(file, whole);
  own(file);
  await holds(
    'a page that keeps stopping is asked about, and quitting there ends the process',
    async () => {
      const stopping = await open();
      await address(stopping.pid);
      const page = (): number | undefined =>
        family(stopping.pid).find(
          (one) => one.command.includes('--type=renderer') && isAlive(one.pid),
        )?.pid;
      for (let time = 0; time < 3; time += 1) {
        const pid = await until('a page', page);
        process.kill(pid, 'SIGKILL');
        await until('another page', () => page() !== pid || undefined);
      }
      await until('the question', () => windowsOf(stopping.pid).length > 1 || undefined);
      await press(stopping.pid, 'Tab', 'Return');
      assert.equal(await stopping.ended(10_000), 0);
    },
  );
}

root('useradd', '--create-home', '--shell', '/bin/bash', NAME);
const display = await startDisplay();
try {
  await holds('the package installs, under the version before', () => {
    root('dpkg', '-i', earlier());
    root('desktop-file-validate', '/usr/share/applications/evidence-studio.desktop');
    assert.equal(statSync(path.join(FOLDER, 'chrome-sandbox')).mode & 0o7777, 0o4755);
  });
  await holds('the fuses of the installed program are those of packaging/fuses.json', fuses);
  await holds('a package for checks says so', () => {
    const marked = existsSync(path.join(FOLDER, 'resources/CHECK-ONLY'));
    assert.equal(marked, path.basename(deb).startsWith('CHECK-ONLY-'));
  });
  await holds('links and run files are the studio’s by their types', () => {
    const of = (type: string): string =>
      root('grep', '-rh', type, '/usr/share/applications/mimeinfo.cache');
    assert.match(of('x-scheme-handler/evidence-studio'), /evidence-studio\.desktop/);
    assert.match(of('vnd.evidence-studio.run'), /evidence-studio\.desktop/);
  });
  await holds('hostile switches are refused with a sentence', refuses);
  await holds('environment and planted files change nothing', ignores);
  placeOldStore('first.sqlite.gz');
  await firstUse();
  await holds('the package upgrades to this version', () => void root('dpkg', '-i', deb));
  await secondUse();
  await upgrade02();
  await troubles();
  await holds('removing the package leaves the data, and nothing else', () => {
    root('dpkg', '--purge', 'evidence-studio');
    assert(!existsSync(FOLDER) && !existsSync(STUDIO));
    assert(existsSync(path.join(DATA, 'evidence.sqlite')));
  });
  if (crashes.count > 0) facts.push(`${crashes.count} crashed starts of the runtime for checks`);
  console.log(`${held} held: ${facts.join(', ')}.`);
} finally {
  display.kill();
}
