/**
 * Plays an upgrade in steps with real servers of both versions on one database:
 *
 *     node test/support/upgrade/beside.ts --before DIR [--postgres URL]
 *
 * DIR is a checkout of version 0.2. Agents write through every server that runs, all the time; what
 * the servers say of what they hold is compared after each step.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { makePlainDatabase, type PlainDatabase } from '../plain-database.ts';
import { freePort, startPostgres } from '../postgres.ts';
import { ROOT } from '../served.ts';
import { type Answers, answersOf } from './answers.ts';
import { Party } from './party.ts';
import * as past from './past.ts';

const { values } = parseArgs({
  options: { before: { type: 'string' }, postgres: { type: 'string' } },
});
assert(values.before !== undefined, '--before DIR is missing');

const folder = mkdtempSync(path.join(tmpdir(), 'evidence-beside-'));
const running = values.postgres === undefined ? await startPostgres() : undefined;
const database = await makePlainDatabase(values.postgres ?? running?.url ?? '', 'empty');
const parties: Party[] = [];

async function party(root: string, name: string, on: PlainDatabase): Promise<Party> {
  const port = await freePort();
  const made = new Party(
    root,
    path.join(folder, name),
    {
      DATABASE_URL: on.url,
      EVIDENCE_STUDIO_PUBLIC_URL: `http://127.0.0.1:${port}`,
      EVIDENCE_STUDIO_SECRET_FILE: path.join(folder, 'secret'),
      EVIDENCE_STUDIO_RATE_LIMIT: 'off',
    },
    port,
  );
  parties.push(made);
  return made;
}

/** An agent that records one cell after the other, and how long it waited for the slowest. */
class Writer {
  slowest = 0;
  written = 0;
  #on = true;
  readonly #done: Promise<void>;

  constructor(at: Party, name: string, rules: readonly string[]) {
    this.#done = this.#write(at, name, rules);
  }

  async #write(at: Party, name: string, rules: readonly string[]): Promise<void> {
    while (this.#on) {
      const before = performance.now();
      await at.agent('POST', 'evidence', {
        case_uid: 'there-only',
        profile_uid: past.PROFILE,
        items: [
          {
            item_uid: `${name}-${this.written % 10}`,
            evidence: [
              {
                rule_uid: rules[this.written % rules.length],
                raw_outcome: ['TRUE', 'FALSE', 'NA'][this.written % 3],
                notes: `${name} ${this.written}`,
              },
            ],
          },
        ],
      });
      this.slowest = Math.max(this.slowest, performance.now() - before);
      this.written += 1;
      await delay(5);
    }
  }

  async stop(): Promise<string> {
    this.#on = false;
    await this.#done;
    return `${this.written} writes, the slowest ${Math.round(this.slowest)} ms`;
  }
}

const logsOf = ({ chains }: Answers): unknown[] =>
  (chains as { chains: { log: string | null }[] }).chains.filter(({ log }) => log !== null);

async function same(one: Party, other: Party): Promise<void> {
  const [here, there] = [await answersOf(one), await answersOf(other)];
  const differing = Object.keys(here.asked).filter(
    (asked) => JSON.stringify(here.asked[asked]) !== JSON.stringify(there.asked[asked]),
  );
  console.log(
    `${Object.keys(here.asked).length} answers; differing: ${differing.join(', ') || 'none'}`,
  );
  // To ask is in the audit trail.
  assert.deepEqual(logsOf(here), logsOf(there));
}

try {
  writeFileSync(path.join(folder, 'secret'), Buffer.alloc(32, 7).toString('base64'));
  const [before, after] = [
    await party(values.before, 'before', database),
    await party(ROOT, 'after', database),
  ];
  await before.start();
  await past.settleServer(before);
  const { rules } = await before.human('GET', `profiles/${past.PROFILE}`);
  const uids = rules.map(({ ruleUid }: { ruleUid: string }) => ruleUid);
  const show = async (words: string, ...args: string[]): Promise<void> =>
    console.log(words, (await after.said(...args)).trim());

  let writers = [new Writer(before, 'before', uids)];
  await show('prepare:', 'database', 'prepare');
  await after.start();
  after.person = await after.signIn(past.ADA);
  after.key = before.key;
  writers.push(new Writer(after, 'after', uids.toReversed()));
  await delay(4_000);
  for (const writer of writers) console.log(await writer.stop());
  await same(before, after);

  // The way back: the version before goes on alone, and starts again.
  await after.stop();
  await before.stop();
  await before.start();
  before.person = await before.signIn(past.ADA);
  console.log(
    'alone again:',
    await new Promise<string>((resolve) => {
      const writer = new Writer(before, 'again', uids);
      setTimeout(() => void writer.stop().then(resolve), 1_000);
    }),
  );
  await after.start();
  after.person = await after.signIn(past.ADA);
  await same(before, after);
  const refused = await after.command('database', 'finish');
  console.log('finish with one of before:', refused.code, refused.stderr.trim());
  await before.stop();
  const kept = await answersOf(after);
  writers = [new Writer(after, 'last', uids)];
  await show('finish:', 'database', 'finish');
  for (const writer of writers) console.log('meanwhile', await writer.stop());
  await show('status:', 'database', 'status');
  const now = await answersOf(after);
  // What was written meanwhile is in one case, and in lists.
  const lost = Object.keys(kept.asked).filter(
    (asked) =>
      !(asked in now.asked) ||
      (asked.includes('/history?') &&
        JSON.stringify(now.asked[asked]) !== JSON.stringify(kept.asked[asked])),
  );
  console.log(`${Object.keys(kept.asked).length} answers; lost: ${lost.join(', ') || 'none'}`);
  await after.stop();
  await after.start();
  after.person = await after.signIn(past.ADA);
  console.log('started again:', Object.keys((await answersOf(after)).asked).length, 'answers');
} finally {
  for (const one of parties) await one.stop('SIGKILL');
  await database.drop();
  await running?.stop();
  rmSync(folder, { recursive: true, force: true });
}
