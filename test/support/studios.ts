/**
 * A hosted server, desktops linked to it through proxies, and a journal of what each has
 * acknowledged.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { FaultProxy } from './fault-proxy.ts';
import { Journal, missing } from './journal.ts';
import { Station } from './station.ts';

export const PROFILE = 'crispr_edit_evidence';
export const CASE = 'shared-case';
const QUIET_MS = 60_000;

export interface Hub extends AsyncDisposable {
  station: Station;
  /** Between this desktop and the hosted server. */
  proxy: FaultProxy;
}

export class Studios {
  readonly journal: Journal;
  readonly hubs: Hub[] = [];
  readonly hosted: Station;
  readonly #folder: string;
  project = '';
  rules: string[] = [];

  private constructor(hosted: Station) {
    this.hosted = hosted;
    this.#folder = mkdtempSync(path.join(tmpdir(), 'studios-'));
    this.journal = new Journal(path.join(this.#folder, 'journal'));
  }

  /** A hosted server, and as many desktops that share one project with one case. */
  static async begin(desktops: number, env: NodeJS.ProcessEnv = {}): Promise<Studios> {
    const studios = new Studios(await Station.begin('hosted', env));
    const { rules } = await studios.hosted.send('GET', `profiles/${PROFILE}`);
    studios.rules = (rules as { ruleUid: string }[]).map((rule) => rule.ruleUid);
    const first = await Station.begin('desktop-0');
    const { project_id } = await first.send('POST', 'projects', { name: 'Shared' });
    studios.project = project_id;
    await first.send('POST', 'cases', { project_id, case_uid: CASE, profile_uid: PROFILE });
    await first.send('POST', `cases/${CASE}/evidence`, {
      profile_uid: PROFILE,
      items: ['a', 'b', 'c'].map((item_uid) => ({ item_uid })),
      outcomes: [],
    });
    await studios.link(first);
    for (let n = 1; n < desktops; n += 1) await studios.link(await Station.begin(`desktop-${n}`));
    await studios.quiet();
    return studios;
  }

  async link(station: Station): Promise<Hub> {
    const proxy = await this.hosted.proxy();
    const hub: Hub = { station, proxy, [Symbol.asyncDispose]: () => station.end() };
    this.hubs.push(hub);
    await must(station.asPerson('PUT', 'uplink', { url: proxy.url, key: this.hosted.studioKey }));
    await eventually(async () => {
      const { projects } = (await station.asPerson('GET', 'uplink')).body;
      return projects.some((one: { project_id: string }) => one.project_id === this.project)
        ? true
        : projects;
    });
    await must(station.asPerson('PUT', `uplink/projects/${this.project}`, { shared: true }));
    return hub;
  }

  /** One write of an agent; the journal has it once it is acknowledged. Answers whether it was. */
  async write(
    station: Station,
    item: string,
    column: number,
    raw_outcome: 'TRUE' | 'FALSE' | 'NA',
  ): Promise<boolean> {
    const token = this.journal.token();
    try {
      const answer = await station.call('POST', `cases/${CASE}/evidence`, {
        profile_uid: PROFILE,
        items: [{ item_uid: item }],
        outcomes: [
          {
            item_uid: item,
            rule_uid: this.rules[column % this.rules.length],
            raw_outcome,
            source_value: token,
          },
        ],
      });
      if (answer.status === 200) this.journal.acknowledged(token);
      return answer.status === 200;
    } catch {
      // Killed before it could say anything.
      return false;
    }
  }

  get stations(): Station[] {
    return [this.hosted, ...this.hubs.map(({ station }) => station)];
  }

  async log(station: Station): Promise<{ id: string; change: string; quarantined: number[] }[]> {
    const changes: { id: string; change: string; quarantined: number[] }[] = [];
    for (let more = true; more;) {
      const page = await station.send(
        'GET',
        `sync/cases/${CASE}/changes?after=${changes.length}&limit=1000`,
      );
      changes.push(...page.changes);
      more = page.more;
    }
    return changes;
  }

  /** Count and sum of the case's set; undefined where it is not there. */
  async digest(station: Station): Promise<string | undefined> {
    const { status, body } = await station.call(
      'GET',
      `sync/cases/${CASE}/changes?after=0&limit=1`,
    );
    return status === 200 ? `${body.count} ${body.sum}` : undefined;
  }

  /**
   * Every proxy passes on again. Resolves when all hold the same set and every link says that it is
   * equal.
   */
  async quiet(): Promise<void> {
    for (const { proxy } of this.hubs) {
      proxy.down = false;
      proxy.plan = () => null;
    }
    for (const { proxy } of this.hubs) await proxy.deliverLate();
    await eventually(async () => {
      const digests = await Promise.all(this.stations.map((station) => this.digest(station)));
      const links = await Promise.all(
        this.hubs.map(async ({ station }) => {
          await station.asPerson('POST', 'uplink/sync', {});
          const { body } = await station.asPerson('GET', 'uplink');
          return {
            state: body.state,
            problem: body.problem,
            waiting: body.totals?.waiting,
            links: body.links?.filter((link: { state: string }) => link.state !== 'equal'),
          };
        }),
      );
      return new Set(digests).size === 1 &&
        digests[0] !== undefined &&
        links.every((link) => link.waiting === 0 && link.links.length === 0)
        ? true
        : { digests, links };
    });
  }

  /** I1 I2 everywhere the same set with the same heads shown, and all of the journal in it. */
  async expectNothingLost(): Promise<void> {
    await this.quiet();
    const views = await Promise.all(
      this.stations.map(async (station) => {
        assert.deepEqual(missing(this.journal.tokens(), await this.log(station)), [], station.name);
        const { items, summary } = await station.send(
          'GET',
          `cases/${CASE}/evidence?profile_uid=${PROFILE}&limit=200`,
        );
        const {
          items: rows,
          raw,
          details,
        } = JSON.parse(
          (await station.send('GET', `sync/cases/${CASE}/snapshot?profile_uid=${PROFILE}`)).chunk,
        );
        return {
          summary,
          raw,
          heads: rows.map((row: { item_uid: string; heads: unknown }) => [row.item_uid, row.heads]),
          details: details
            .map(({ updated_at: _, ...detail }: { updated_at: string }) => JSON.stringify(detail))
            .sort(),
          cells: items.map((item: { item_uid: string; evidence: Record<string, unknown>[] }) => [
            item.item_uid,
            item.evidence.map((cell) => [
              cell.rule_uid,
              cell.raw_outcome,
              cell.source_value,
              cell.notes,
              cell.contested,
            ]),
          ]),
        };
      }),
    );
    for (const view of views) assert.deepEqual(view, views[0]);
  }

  /**
   * A copy of a studio's folder as it is now; the studio must be still, or it is a copy of a moment
   * in its life.
   */
  copyOf(station: Station): string {
    const copy = path.join(this.#folder, `copy-${Math.random().toString(36).slice(2)}`);
    cpSync(station.data, copy, {
      recursive: true,
      filter: (file) => !/server\.json$|\.lock$/.test(file),
    });
    return copy;
  }

  async end(): Promise<void> {
    for (const station of this.stations) await station.end();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function must(answer: Promise<{ status: number; body: unknown }>): Promise<void> {
  const { status, body } = await answer;
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
}

/** Asks until the answer is `true`; says the last other one if that takes a minute. */
async function eventually(ask: () => Promise<unknown>): Promise<void> {
  const end = performance.now() + QUIET_MS;
  for (let answer: unknown; ; await delay(150)) {
    answer = await ask();
    if (answer === true) return;
    if (performance.now() > end)
      throw new Error(`It did not come to rest: ${JSON.stringify(answer)}`);
  }
}
