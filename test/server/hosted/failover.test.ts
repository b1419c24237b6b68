import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Agents, AGENTS_PROFILE, type AgentsWork, tokensOfLog } from '../../support/agents.ts';
import {
  DatabaseCluster,
  findClusterPrograms,
  type Node,
  PATIENCE,
} from '../../support/database-cluster.ts';
import { Journal } from '../../support/journal.ts';
import { freePort } from '../../support/postgres.ts';
import { type RoundRobin, startRoundRobin } from '../../support/round-robin.ts';
import { type Served, serve } from '../../support/served.ts';
import { Station } from '../../support/station.ts';
import { browserAt, setUp } from '../../support/visitor.ts';

/** `npm run test:long -- hosted/failover`: what happens to the database's machines under load. */
const programs = findClusterPrograms();
if (typeof programs === 'string') console.error(`The drill is left out. ${programs}`);

const CASE = 'load';
/** Acknowledged before an act, after the failover, and once all is whole again. */
const MEANWHILE = 100;

interface Act {
  what: string;
  /** To which of the two. */
  of: 'primary' | 'standby';
  fails(node: Node): unknown;
  /** Whether the other one becomes primary. */
  isReplaced: boolean;
  /** Not where Patroni brings it back. */
  comesBack?(node: Node): void;
}
const ACTS: readonly Act[] = [
  {
    what: 'an operator makes the standby the primary',
    of: 'primary',
    fails: (node) => node.switchOver(),
    isReplaced: true,
  },
  {
    what: 'the machine of the primary dies',
    of: 'primary',
    fails: ({ machine }) => machine.signal('SIGKILL'),
    isReplaced: true,
    comesBack: (node) => node.start(),
  },
  {
    what: 'the machine of the primary freezes',
    of: 'primary',
    fails: ({ machine }) => machine.signal('SIGSTOP'),
    isReplaced: true,
    comesBack: ({ machine }) => machine.signal('SIGCONT'),
  },
  {
    what: 'the network of the primary is cut',
    of: 'primary',
    fails: ({ machine }) => machine.cut(),
    isReplaced: true,
    comesBack: ({ machine }) => machine.mend(),
  },
  {
    what: 'PostgreSQL alone is killed on the primary',
    of: 'primary',
    fails: (node) => node.machine.signal('SIGKILL', node.postmaster()),
    isReplaced: false,
  },
  {
    what: 'the machine of the standby dies',
    of: 'standby',
    fails: ({ machine }) => machine.signal('SIGKILL'),
    isReplaced: false,
    comesBack: (node) => node.start(),
  },
  {
    what: 'the network of the standby is cut',
    of: 'standby',
    fails: ({ machine }) => machine.cut(),
    isReplaced: false,
    comesBack: ({ machine }) => machine.mend(),
  },
];

describe.skipIf(typeof programs === 'string')('two machines with PostgreSQL under Patroni', () => {
  let folder: string;
  const instances: Served[] = [];
  const table: Record<string, string | number>[] = [];
  let cluster: DatabaseCluster;
  let proxy: RoundRobin;
  let desktop: Station;
  let key: string;
  let rules: string[];
  let journal: Journal;
  let agents: Agents;
  let isWriting = true;
  let writing: Promise<void>;

  async function begin(): Promise<void> {
    const port = await freePort();
    const served = await serve(path.join(folder, randomUUID()), ['--port', String(port)], {
      DATABASE_URL: cluster.url,
      EVIDENCE_STUDIO_SECRET_FILE: path.join(folder, 'secret'),
      EVIDENCE_STUDIO_PUBLIC_URL: proxy.url,
      EVIDENCE_STUDIO_RATE_LIMIT: 'off',
      LOG_LEVEL: 'info',
    });
    instances.push(served);
    proxy.targets = [...proxy.targets, `http://127.0.0.1:${port}`];
  }

  /** A desktop whose project is shared with the hosted server. */
  async function connect(studioKey: string): Promise<Station> {
    const station = await Station.begin('desktop');
    const profile = await station.send('GET', `profiles/${AGENTS_PROFILE}`);
    rules = profile.rules.map((rule: { ruleUid: string }) => rule.ruleUid);
    const { project_id } = await station.send('POST', 'projects', { name: 'Load' });
    await station.send('POST', 'cases', {
      project_id,
      case_uid: CASE,
      profile_uid: AGENTS_PROFILE,
    });
    const connected = await station.asPerson('PUT', 'uplink', { url: proxy.url, key: studioKey });
    expect(connected.status).toBe(200);
    await vi.waitUntil(
      async () =>
        (await station.asPerson('PUT', `uplink/projects/${project_id}`, { shared: true }))
          .status === 200,
      PATIENCE,
    );
    return station;
  }

  /** What a person records on the desktop, whether the hosted server is there or not. */
  async function record(): Promise<void> {
    for (let n = 0; isWriting; n += 1) {
      const token = journal.token();
      await desktop.send('POST', `cases/${CASE}/evidence`, {
        profile_uid: AGENTS_PROFILE,
        items: [{ item_uid: 'desktop' }],
        outcomes: [
          {
            item_uid: 'desktop',
            rule_uid: rules[n % rules.length],
            raw_outcome: (['TRUE', 'FALSE', 'NA'] as const)[n % 3],
            source_value: token,
          },
        ],
      });
      journal.acknowledged(token);
      await delay(200);
    }
  }

  const work = (): AgentsWork => ({ url: proxy.url, key, caseUid: CASE, rules, journal, count: 8 });

  beforeAll(async () => {
    if (typeof programs === 'string') return;
    folder = mkdtempSync(path.join(tmpdir(), 'evidence-failover-'));
    cluster = await DatabaseCluster.begin(programs, folder);
    journal = new Journal(path.join(folder, 'journal'));
    proxy = await startRoundRobin([]);
    writeFileSync(path.join(folder, 'secret'), Buffer.alloc(32, 7).toString('base64'));
    await begin();
    const token = (): string | undefined =>
      /token there: (\S+)\n/.exec(instances.map((one) => one.output()).join(''))?.[1];
    await vi.waitUntil(token, PATIENCE);
    const owner = await setUp(browserAt(proxy.url), token());
    key = (await owner.api('POST', '/keys', { name: 'agents', scopes: ['read', 'write'] })).body
      .key;
    const studio = (await owner.api('POST', '/studio-keys', { name: 'desktop' })).body.key;
    await begin();
    desktop = await connect(studio);
    await vi.waitUntil(() => tokensOfLog(work()).catch(() => undefined), PATIENCE);
    agents = new Agents('agent', work(), 40);
    writing = record();
  }, 400_000);
  afterAll(async () => {
    isWriting = false;
    await writing;
    await agents?.stop();
    console.table(table);
    await desktop?.end();
    await Promise.all(instances.map((served) => served.kill('SIGKILL')));
    await proxy?.close();
    await cluster?.close();
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);

  /** All that was acknowledged to anybody is in the hosted log, once. */
  async function expectWhole(): Promise<void> {
    const acknowledged = journal.tokens();
    const missing = async (): Promise<string[]> => {
      const times = await tokensOfLog(work());
      return acknowledged.filter((token) => times.get(token) !== 1);
    };
    await expect.poll(missing, { timeout: 120_000, interval: 1_000 }).toEqual([]);
  }
  const failures = (): string[] =>
    instances.flatMap((served) =>
      served
        .output()
        .split('\n')
        .filter((line) => /"status":5\d\d/.test(line) && !line.includes('"status":503')),
    );
  const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

  it.each(ACTS)(
    '$what: none lost, none twice, nobody told wrong',
    { timeout: 600_000 },
    async ({ what, of, fails, isReplaced, comesBack }) => {
      await cluster.whole();
      await agents.more(MEANWHILE);
      agents.times();
      const [acknowledged, again, unknown] = [agents.acknowledged, agents.again, agents.unknown];
      const primary = await cluster.primary();
      const node = of === 'primary' ? primary : cluster.other(primary);
      await fails(node);
      if (isReplaced) await vi.waitUntil(() => cluster.other(node).isPrimary(), PATIENCE);
      await agents.more(MEANWHILE);
      const back = performance.now();
      comesBack?.(node);
      await cluster.whole();
      const whole = performance.now() - back;
      await agents.more(MEANWHILE);
      const { withoutService, slowestAnswer } = agents.times();
      table.push({
        act: what,
        acknowledged: agents.acknowledged - acknowledged,
        'asked again': agents.again - again,
        'not known': agents.unknown - unknown,
        'without service, s': seconds(withoutService),
        'longest wait for an answer, s': seconds(slowestAnswer),
        'from its return to a standby, s': comesBack === undefined ? '-' : seconds(whole),
      });
      expect(agents.wrong).toEqual([]);
      expect(failures()).toEqual([]);
      await expectWhole();
    },
  );
});
