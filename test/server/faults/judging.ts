import { expect } from 'vitest';
import type { Random } from '../../support/random.ts';
import type { Answered, Station } from '../../support/station.ts';
import { CASE, PROFILE, type Studios } from '../../support/studios.ts';

const RAWS = ['TRUE', 'FALSE', 'NA'] as const;
/** So many rounds are opened in one play. */
const MOST_ROUNDS = 60;

interface Round {
  round_id: string;
  state: 'open' | 'released';
  recorders: { recorder: string; kind: 'human' | 'agent' }[];
}

/** All pages of a list; the address ends where a query goes on. */
async function everyRow(station: Station, address: string): Promise<any[]> {
  const rows: any[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { data: any[]; next_cursor: string | null } = await station.send(
      'GET',
      `${address}limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    rows.push(...page.data);
    cursor = page.next_cursor;
  }
  return rows;
}

/** Suggestions, decisions, rounds and stages in the case that a play of faults is about. */
export class Judging {
  readonly #studios: Studios;
  readonly #random: Random;
  /**
   * Of each cell of a layer what it may say: what was acknowledged last, undefined for nothing, and
   * what was sent since.
   */
  readonly #said = new Map<string, (string | undefined)[]>();
  /** How many requests of a kind were carried out. */
  readonly carriedOut = new Map<string, number>();
  #opened = 0;
  #serial = 0;

  constructor(studios: Studios, random: Random) {
    this.#studios = studios;
    this.#random = random;
  }

  /** No answer where the server was killed meanwhile. */
  async #tried(asked: Promise<Answered>, what?: string): Promise<Answered | undefined> {
    const answer = await asked.catch(() => undefined);
    if (answer === undefined) return undefined;
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500);
    if (what !== undefined && answer.status < 300)
      this.carriedOut.set(what, (this.carriedOut.get(what) ?? 0) + 1);
    return answer;
  }

  #cell(items: readonly string[]) {
    return {
      item_uid: this.#random.pick(items),
      rule_uid: this.#random.pick(this.#studios.rules),
      raw_outcome: this.#random.pick(RAWS),
    };
  }

  async suggest(station: Station, items: readonly string[]): Promise<void> {
    await this.#tried(
      station.call('POST', `cases/${CASE}/suggestions`, {
        profile_uid: PROFILE,
        suggestions: [this.#cell(items), this.#cell(items)].map((one) => ({
          ...one,
          quote: `page ${this.#random.int(9)}`,
          confidence: 0.9,
        })),
        on_conflict: 'skip',
      }),
      'suggested',
    );
  }

  /** One is accepted or refused by name, or all by a previewed rule. */
  async decide(station: Station): Promise<void> {
    const decisions = `cases/${CASE}/suggestions/decisions`;
    const verdict = this.#random.chance(0.7) ? 'accept' : 'refuse';
    const reason = 'Read again.';
    const found = await this.#tried(
      station.call('GET', `cases/${CASE}/suggestions?profile_uid=${PROFILE}&state=open`),
    );
    const [first] = found?.body.data ?? [];
    if (first === undefined) return;
    if (this.#random.chance(0.5)) {
      const decided = { suggestion_id: first.suggestion_id, verdict, reason };
      await this.#tried(
        station.asPerson('POST', decisions, { profile_uid: PROFILE, decisions: [decided] }),
        'decided',
      );
      return;
    }
    const rule = { verdict, reason, filter: {} };
    const preview = await this.#tried(
      station.asPerson('POST', decisions, { profile_uid: PROFILE, rule, preview: true }),
    );
    const ids = (preview?.body.decisions ?? []).map(
      ({ suggestion_id }: { suggestion_id: string }) => suggestion_id,
    );
    if (ids.length > 0)
      await this.#tried(
        station.asPerson('POST', decisions, {
          profile_uid: PROFILE,
          rule: { ...rule, suggestion_ids: ids },
        }),
        'decided by a rule',
      );
  }

  async #rounds(station: Station): Promise<Round[]> {
    return (await this.#tried(station.call('GET', `cases/${CASE}/rounds`)))?.body.data ?? [];
  }

  async #whoIs(station: Station): Promise<{ person: string; agent: string }> {
    const [session, usage] = [
      await this.#tried(station.asPerson('GET', 'session')),
      await this.#tried(station.asPerson('GET', 'usage')),
    ];
    const agent = usage?.body.api_keys?.find(
      ({ scopes }: { scopes: string[] }) => scopes.includes('write') && !scopes.includes('sync'),
    );
    return { person: session?.body.user?.user_id ?? '', agent: agent?.key_id ?? '' };
  }

  /** A round of the person and the agent of a studio. */
  async open(station: Station): Promise<void> {
    if (this.#opened >= MOST_ROUNDS) return;
    const { person, agent } = await this.#whoIs(station);
    const opened = await this.#tried(
      station.asPerson('POST', `cases/${CASE}/rounds`, {
        title: `Round ${this.#opened}`,
        recorders: [person, agent],
        profile_uid: PROFILE,
        record: 'shown',
      }),
      'round opened',
    );
    if (opened?.status === 201) this.#opened += 1;
  }

  /** A recorder of this studio records a cell, or is done. */
  async record(station: Station, items: readonly string[]): Promise<void> {
    const { person, agent } = await this.#whoIs(station);
    const mine = (await this.#rounds(station)).filter(
      ({ state, recorders }) =>
        state === 'open' && recorders.some(({ recorder }) => recorder === person),
    );
    if (mine.length === 0) return this.open(station);
    const { round_id } = this.#random.pick(mine);
    const of = `cases/${CASE}/rounds/${round_id}`;
    const asPerson = this.#random.chance(0.5);
    const ask = (to: string, body: unknown): Promise<Answered | undefined> =>
      this.#tried(
        asPerson ? station.asPerson('POST', to, body) : station.call('POST', to, body),
        `${asPerson ? 'person' : 'agent'} in a round: ${to.split('/').at(-1)}`,
      );
    if (this.#random.chance(0.1)) return void (await ask(`${of}/done`, {}));
    const cell = this.#cell(items);
    const token = `said ${(this.#serial += 1)}`;
    const address = [round_id, asPerson ? person : agent, cell.item_uid, cell.rule_uid].join(' ');
    const answer = await ask(`${of}/evidence`, { outcomes: [{ ...cell, source_value: token }] });
    const before = this.#said.get(address) ?? [undefined];
    if (answer?.status === 200) this.#said.set(address, [token]);
    else if (answer === undefined) this.#said.set(address, [...before, token]);
  }

  /** To the next stage, with a run of the case where it is approved. */
  async move(station: Station): Promise<void> {
    const { next = [] } =
      (await this.#tried(station.call('GET', `cases/${CASE}/sign-off`)))?.body ?? ({} as never);
    if (next.length === 0) return;
    const stage: string = this.#random.pick(next);
    const runs = await this.#tried(station.call('GET', `runs?case_uid=${CASE}&limit=1`));
    const run_uid = runs?.body.data?.[0]?.run_uid;
    if (stage === 'approved' && run_uid === undefined) return;
    await this.#tried(
      station.asPerson('POST', `cases/${CASE}/stage`, {
        stage,
        reason: 'So it was agreed.',
        ...(stage === 'approved' && { run_uid }),
      }),
      `to ${stage}`,
    );
  }

  /**
   * Every round that is known here is released. Before that a server gives the layer of a studio's
   * agent to nobody, not even to compare it, so that its link does not come to rest.
   */
  async releaseAll(station: Station): Promise<void> {
    for (const { round_id, state } of await this.#rounds(station))
      if (state === 'open')
        await this.#tried(
          station.asPerson('POST', `cases/${CASE}/rounds/${round_id}/release`, {
            reason: 'The play is over.',
          }),
          'round released',
        );
  }

  /** What a studio shows of all this, without what a server knows by itself: names and receipts. */
  async shown(station: Station): Promise<unknown> {
    const suggestions = await everyRow(
      station,
      `cases/${CASE}/suggestions?profile_uid=${PROFILE}&`,
    );
    const rounds = await this.#rounds(station);
    const layers: string[] = [];
    for (const { round_id } of rounds) {
      for (const cell of await everyRow(station, `cases/${CASE}/rounds/${round_id}/evidence?`))
        layers.push(
          [
            ...[round_id, cell.recorder, cell.item_uid, cell.rule_uid],
            ...[cell.raw_outcome, cell.source_value, cell.entry],
          ].join(' '),
        );
      const { figures, differ } = await station.send(
        'GET',
        `cases/${CASE}/rounds/${round_id}/agreement`,
      );
      layers.push(JSON.stringify([round_id, figures, differ]));
    }
    const { stage, unaware } = await station.send('GET', `cases/${CASE}/sign-off`);
    return {
      suggestions: suggestions
        .map(({ suggestion_id, state, raw_outcome }) => `${suggestion_id} ${state} ${raw_outcome}`)
        .sort(),
      layers: layers.sort(),
      ...{ stage, unaware },
    };
  }

  /** Of each cell of a layer that was acknowledged, its last word or what was sent after it. */
  async expectLayersKept(station: Station): Promise<void> {
    const kept = new Map<string, string>();
    for (const { round_id } of await this.#rounds(station))
      for (const cell of await everyRow(station, `cases/${CASE}/rounds/${round_id}/evidence?`)) {
        const { recorder, item_uid, rule_uid, source_value } = cell;
        kept.set([round_id, recorder, item_uid, rule_uid].join(' '), source_value);
      }
    for (const [address, tokens] of this.#said)
      expect(tokens, address).toContain(kept.get(address));
  }
}
