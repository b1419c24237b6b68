/**
 * Plays the life of a studio and a hosted server with real processes, each of the checkout that is
 * named, and says what both hold in the end:
 *
 *     node test/support/upgrade/play.ts --studio DIR --server DIR [--then-studio DIR]
 *       [--then-server DIR] [--keep FOLDER] [--at TIME]
 *
 * With `--then-…` that side is stopped in between and its data opened by the programs of another
 * checkout. `--keep` writes the stores as files of test/fixtures/stores, with what was answered;
 * `--at` moves the clocks of all processes there. What is not named is this checkout.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { rigged } from '../killing.ts';
import { makePlainDatabase, type PlainDatabase } from '../plain-database.ts';
import { startPostgres } from '../postgres.ts';
import { ROOT } from '../served.ts';
import { type Answers, answersOf, sameOnBothSides } from './answers.ts';
import * as past from './past.ts';
import { inSync, Party } from './party.ts';
import { Recorder } from './recorder.ts';
import { readRows } from './rows.ts';

/** Below the ports that systems give out, and the studio finds it there again. */
const PORT = 24_748;
/** Where the server listens, behind what records. */
const BEHIND = PORT + 1;

const { values } = parseArgs({
  options: {
    studio: { type: 'string', default: ROOT },
    server: { type: 'string', default: ROOT },
    'then-studio': { type: 'string' },
    'then-server': { type: 'string' },
    keep: { type: 'string' },
    at: { type: 'string' },
  },
});

const shift = values.at === undefined ? 0 : Date.parse(values.at) - Date.now();
const { now } = Date;
Date.now = () => now() + shift;
const env = shift === 0 ? {} : rigged({ shift });

async function main(folder: string, database: PlainDatabase): Promise<void> {
  const secret = path.join(folder, 'secret');
  writeFileSync(secret, Buffer.alloc(32, 7).toString('base64'));
  const server = new Party(
    values.server,
    path.join(folder, 'server'),
    {
      ...env,
      DATABASE_URL: database.url,
      EVIDENCE_STUDIO_PUBLIC_URL: `http://127.0.0.1:${PORT}`,
      EVIDENCE_STUDIO_SECRET_FILE: secret,
      EVIDENCE_STUDIO_RATE_LIMIT: 'off',
    },
    BEHIND,
  );
  const studio = new Party(values.studio, path.join(folder, 'studio'), env);
  await using recorder = new Recorder(BEHIND);
  await recorder.listen(PORT);
  try {
    await play(studio, server, recorder, { database, folder });
  } finally {
    await studio.stop('SIGKILL');
    await server.stop('SIGKILL');
  }
}

async function openStudio(studio: Party): Promise<void> {
  await studio.start();
  await studio.openStudio();
}
async function openServer(server: Party): Promise<void> {
  await server.start();
  server.person = await server.signIn(past.ADA);
}

async function play(
  studio: Party,
  server: Party,
  recorder: Recorder,
  at: { database: PlainDatabase; folder: string },
): Promise<void> {
  await server.start();
  await past.settleServer(server);
  await openStudio(studio);
  const projectId = await past.settleStudio(studio);
  await past.connect(studio, server, projectId);
  await past.workOnServer(server, projectId);
  report('first exchange', await inSync(studio, server));

  await apart(studio, server, '');
  report('after writing apart', await inSync(studio, server));
  await past.settleSome(server);
  await inSync(studio, server);
  await past.freezeContested(studio, 'run-contested');
  report('after settling', await inSync(studio, server));
  compared(await answersOf(studio), await answersOf(server));

  studio.root = values['then-studio'] ?? studio.root;
  server.root = values['then-server'] ?? server.root;
  // Each side has something that the other has not seen.
  await server.stop();
  await past.writeApart(studio, 'studio', ' again');
  const atStudio = await answersOf(studio);
  await studio.stop();
  await openServer(server);
  await past.writeApart(server, 'server', ' again');
  const atServer = await answersOf(server);
  await server.stop();
  const answers = { studio: atStudio, server: atServer };
  if (values.keep !== undefined) await keep(values.keep, answers, studio, server, at);

  recorder.isRecording = true;
  await openServer(server);
  await openStudio(studio);
  report('in the end', await inSync(studio, server));
  await past.freezeContested(studio, 'run-last');
  await inSync(studio, server);
  recorder.isRecording = false;
  if (values.keep !== undefined) put(values.keep, 'exchange.json.gz', packed(recorder.exchanged));
  compared(await answersOf(studio), await answersOf(server));
}

async function apart(studio: Party, server: Party, round: string): Promise<void> {
  await server.stop();
  await past.writeApart(studio, 'studio', round);
  await studio.stop();
  await openServer(server);
  await past.writeApart(server, 'server', round);
  await openStudio(studio);
}

function report(when: string, links: readonly { stream: string; state: string }[]): void {
  console.log(`${when}: ${links.map(({ stream, state }) => `${stream} ${state}`).join(', ')}`);
}

function compared(studio: Answers, server: Answers): void {
  const runs = Object.keys(studio.stored).length;
  console.log(`${sameOnBothSides(studio, server)} answers compared, equal; ${runs} runs`);
}

function put(into: string, name: string, content: string | Uint8Array): void {
  mkdirSync(into, { recursive: true });
  writeFileSync(path.join(into, name), content);
  console.log(`${name}: ${content.length} bytes`);
}
function packed(value: unknown): Uint8Array {
  return gzipSync(JSON.stringify(value), { level: 9 });
}

async function keep(
  into: string,
  answers: Record<'studio' | 'server', Answers>,
  studio: Party,
  server: Party,
  { database, folder }: { database: PlainDatabase; folder: string },
): Promise<void> {
  console.log('the data folder:', readdirSync(studio.data).join(', '));
  const file = (name: string): Buffer => readFileSync(path.join(studio.data, name));
  put(into, 'evidence.sqlite.gz', gzipSync(file('evidence.sqlite'), { level: 9 }));
  put(into, 'rows.json.gz', packed(await readRows(database)));
  put(into, 'answers.json.gz', packed(answers));
  const secrets = {
    pepper: file('pepper.key').toString(),
    uplink: file('uplink.key').toString(),
    secret: readFileSync(path.join(folder, 'secret'), 'utf8'),
    program: server.key,
  };
  put(into, 'secrets.json', `${JSON.stringify(secrets, undefined, 2)}\n`);
}

const folder = mkdtempSync(path.join(tmpdir(), 'evidence-play-'));
const postgres = await startPostgres();
try {
  await main(folder, await makePlainDatabase(postgres.url));
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
