import { type Author, type Entry } from '../../../src/sync/change.ts';
import { layerStream } from '../../../src/sync/register.ts';
import { asCase, asKey, asUser } from '../../support/ids.ts';
import { TRIO } from '../../support/evidence.ts';
import { wireChange } from '../../support/sync-change.ts';
import type { TestAnswer } from '../../support/server.ts';
import { type Credentials, createWorld, type Person, type World } from '../isolation/world.ts';

export const CASE = 'rounds-case';
export const VERSION = '1.1';
/** In every text of the first recorder; before the release nobody else gets a byte of it. */
export const SECRET = 'SEALED-9c41';
const uid = encodeURIComponent;

export const layerOf = (round: string, recorder: string): string =>
  layerStream({ case: asCase(CASE), round, recorder });

/** Two people and an agent who record in rounds of one case, and everybody else who might look. */
export class Play implements AsyncDisposable {
  readonly world: World;
  readonly rules: readonly string[];
  readonly opener: Credentials;
  /** The first recorder, the second one, and their agent, which records too. */
  readonly first: Credentials;
  readonly second: Credentials;
  readonly agent: Credentials & { id: string };
  readonly firstId: string;
  readonly secondId: string;
  /** All who read the case and are not the first recorder, with every way in. */
  readonly others: Readonly<Record<string, Credentials>>;

  private constructor(fields: Omit<Play, 'open' | 'record' | 'call' | 'push' | 'own'>) {
    this.world = fields.world;
    this.rules = fields.rules;
    this.opener = fields.opener;
    this.first = fields.first;
    this.second = fields.second;
    this.agent = fields.agent;
    this.firstId = fields.firstId;
    this.secondId = fields.secondId;
    this.others = fields.others;
  }

  static async begin(postgres: string | undefined, items: readonly string[]): Promise<Play> {
    const world = await createWorld(postgres);
    const opener = { headers: (await world.session(world.owner)).headers };
    const { project_id } = (
      await world.call('POST', '/api/v1/projects', opener, { name: 'Independent' })
    ).body;
    await world.call('POST', '/api/v1/cases', opener, { project_id, case_uid: CASE });
    await world.call('POST', `/api/v1/cases/${CASE}/evidence`, opener, {
      profile_uid: TRIO,
      items: items.map((item_uid) => ({ item_uid })),
    });
    const { body: profile } = await world.call('GET', `/api/v1/profiles/${TRIO}`, opener);
    const second: Person = { ...world.member, user_id: asUser(await world.newcomer()) };
    const key = await world.key(second, { scopes: ['read', 'write'], name: 'Second agent' });
    const plain = async (person: Person): Promise<Credentials> => ({
      key: (await world.key(person, { scopes: ['read', 'write', 'delete'] })).key,
    });
    const studio = async (person: Person): Promise<Credentials> => ({
      key: (await world.key(person, { scopes: ['sync'] })).key,
    });
    const session = async (person: Person): Promise<Credentials> => ({
      headers: (await world.session(person)).headers,
    });
    return new Play({
      world,
      rules: (profile.rules as { ruleUid: string }[]).map(({ ruleUid }) => ruleUid),
      opener,
      first: await session(world.member),
      second: await session(second),
      agent: { key: key.key, id: key.key_id },
      firstId: world.member.user_id,
      secondId: second.user_id,
      others: {
        'the second recorder': await session(second),
        'their studio': await studio(second),
        'their agent': { key: key.key },
        'another agent of theirs': await plain(second),
        "the first one's own other agent": await plain(world.member),
        'an owner': opener,
        "an owner's studio": await studio(world.owner),
        "an owner's agent": await plain(world.owner),
        'a viewer': await session(world.viewer),
      },
      [Symbol.asyncDispose]: async () => world[Symbol.asyncDispose](),
    });
  }

  call(method: string, path: string, who: Credentials, body?: unknown): Promise<TestAnswer> {
    return this.world.call(method, `/api/v1${path}`, who, body);
  }

  async open(options: object = {}): Promise<string> {
    const { status, body, text } = await this.call('POST', `/cases/${CASE}/rounds`, this.opener, {
      title: 'Two readings',
      recorders: [this.firstId, this.secondId],
      profile_uid: TRIO,
      ...options,
    });
    if (status !== 201) throw new Error(text);
    return body.round_id as string;
  }

  record(
    round: string,
    who: Credentials,
    outcomes: readonly { item: string; rule?: string; outcome: string | null; text?: string }[],
  ): Promise<TestAnswer> {
    return this.call('POST', `/cases/${CASE}/rounds/${round}/evidence`, who, {
      outcomes: outcomes.map(({ item, rule = this.rules[0], outcome, text }) => ({
        item_uid: item,
        rule_uid: rule,
        raw_outcome: outcome,
        ...(text !== undefined && { source_value: text, notes: text }),
      })),
    });
  }

  /** A change of a person's own, as their window sends it. */
  push(
    stream: string,
    who: Credentials,
    author: Author,
    entries: readonly Entry[],
    why: string | null = null,
  ): Promise<TestAnswer> {
    return this.call('POST', `/sync/cases/${uid(stream)}/push`, who, {
      protocol: 1,
      changes: [wireChange(stream, author, [...entries], why)],
    });
  }

  own(who: 'first' | 'second' | 'agent'): Author {
    return who === 'agent'
      ? {
          user: asUser(this.secondId),
          kind: 'agent',
          agent: 'Second agent',
          key: asKey(this.agent.id),
        }
      : {
          user: asUser(who === 'first' ? this.firstId : this.secondId),
          kind: 'human',
          agent: null,
          key: null,
        };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world[Symbol.asyncDispose]();
  }
}
