import { AccountId, type ProfileUid } from '../../../src/shared/contract/ids.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../../../src/server/storage/db/actor.ts';
import type { ProfileDocument } from '../../../src/shared/domain/profile.ts';
import {
  createWorld,
  foreignChange,
  item,
  outcome,
  profile,
  SHIPPED,
  type StoreFactory,
  wire,
  type World,
} from '../world.ts';
import { testHasher } from '../../support/hasher.ts';
import { profileDigest } from '../../../src/shared/domain/profile.ts';
import { StoreError } from '../../../src/server/storage/db/errors.ts';
import { lengthOf } from '../../support/length.ts';
import { asCase, asProfile, asUser, asStream } from '../../support/ids.ts';
import { MARK_ACCOUNTS } from '../../support/mark-accounts.ts';

const VERSIONS = ['1.0', '1.1', '9999.0'];
const ACCOUNTS = 3;

/**
 * One request of one account about a profile. Documents of one name and version differ in what
 * their columns are and mean.
 */
interface Act {
  by: number;
  name: number;
  version: number;
  variant: number;
  visibility: 'community' | 'private';
  way: 'create' | 'push';
  mayPublish: boolean;
}
const act: fc.Arbitrary<Act> = fc.record({
  by: fc.nat(ACCOUNTS - 1),
  name: fc.nat(2),
  version: fc.nat(VERSIONS.length - 1),
  variant: fc.nat(2),
  visibility: fc.constantFrom('community', 'private'),
  way: fc.constantFrom('create', 'create', 'push'),
  mayPublish: fc.boolean(),
});
/** An account begins to use a profile in a case of its own, as far as it can. */
interface Use {
  use: number;
  name: number;
  by: number;
  how: 'choose' | 'record' | 'run';
}
const use: fc.Arbitrary<Use> = fc.record({
  use: fc.nat(1),
  name: fc.nat(2),
  by: fc.nat(ACCOUNTS - 1),
  how: fc.constantFrom('choose', 'record', 'run'),
});

/** Accounts, names and cases of one property run. */
class Play {
  readonly cases = new Map<
    string,
    { by: Actor; profileUid: string; version: string; document: string }
  >();
  readonly #world: World;
  readonly #run: number;
  readonly #actors: readonly Actor[];

  constructor(world: World, run: number, actors: readonly Actor[]) {
    this.#world = world;
    this.#run = run;
    this.#actors = actors;
  }

  #actor(by: number): Actor {
    return this.#actors[by] as Actor;
  }
  #uid(name: number): ProfileUid {
    return name === 2 ? SHIPPED.profileUid : asProfile(`owned_${this.#run}_${name}`);
  }
  #document({ name, version, variant, visibility }: Act): ProfileDocument {
    const rules =
      variant === 2 ? ['rule_a', 'rule_b', 'rule_c', 'rule_d'] : ['rule_a', 'rule_b', 'rule_c'];
    const made = profile(this.#uid(name), VERSIONS[version] as string, rules, { visibility });
    return variant === 1
      ? {
          ...made,
          rules: made.rules.map((rule) => ({
            ...rule,
            evidenceMeaning: rule.problemMeaning,
            problemMeaning: rule.evidenceMeaning,
          })),
        }
      : made;
  }

  async act(one: Act): Promise<void> {
    const document = this.#document(one);
    const actor = this.#actor(one.by);
    const announce = {
      op: 'announce',
      parents: [],
      reg: `profile/${document.profileUid}@${document.version}`,
      value: { digest: profileDigest(document, testHasher), document },
    };
    const done =
      one.way === 'push'
        ? this.#world.store.transact(
            (w) =>
              w.log.push(
                actor,
                asStream('@profiles'),
                [wire(foreignChange('@profiles', [announce], { user: actor.user_id }))],
                undefined,
              ),
            actor.account_id,
          )
        : this.#world.store.transact(
            (w) =>
              w.profileWrites.create(actor, document, JSON.stringify(document), one.mayPublish),
            actor.account_id,
          );
    await done.catch((error: unknown) => {
      if (!(error instanceof StoreError)) throw error;
      expect(['uid_taken', 'version_conflict', 'insufficient_scope']).toContain(error.code);
    });
  }

  async use({ by, name, use: which, how }: Use): Promise<void> {
    const { store, projectId } = this.#world;
    const actor = this.#actor(by);
    const case_uid = `own_${this.#run}_${by}_${name}_${which}`;
    if (this.cases.has(case_uid)) return;
    const profile_uid = this.#uid(name);
    const project =
      by === 0
        ? projectId
        : (
            await store.transact(
              (w) => w.projectWrites.upsert(actor, { name: 'Theirs' }, undefined),
              actor.account_id,
            )
          ).record.project_id;
    await store.transact(
      (w) =>
        w.caseWrites.upsert(actor, { project_id: project, case_uid: asCase(case_uid) }, undefined),
      actor.account_id,
    );
    await this.#record(actor, case_uid, SHIPPED.profileUid, 'FALSE').catch(() => undefined);
    try {
      if (how === 'choose')
        await store.transact(
          (w) =>
            w.caseWrites.upsert(
              actor,
              { project_id: project, case_uid: asCase(case_uid), profile_uid },
              undefined,
            ),
          actor.account_id,
        );
      else if (how === 'record') await this.#record(actor, case_uid, profile_uid, 'TRUE');
      else
        await store.transact(
          (w) =>
            w.runWrites.create(actor, {
              case_uid: asCase(case_uid),
              profile_uid,
              allow_unused_profile: true,
            }),
          actor.account_id,
        );
    } catch (error) {
      if (
        error instanceof StoreError &&
        (error.code === 'not_found' || error.code === 'contested_profile')
      )
        return;
      throw error;
    }
    const { version, document } = await this.#asked(actor, case_uid, profile_uid, undefined);
    this.cases.set(case_uid, { by: actor, profileUid: profile_uid, version, document });
  }

  #record(
    actor: Actor,
    case_uid: string,
    profile_uid: string,
    raw: 'TRUE' | 'FALSE',
    profile_version?: string,
  ) {
    return this.#world.record(
      {
        case_uid,
        profile_uid,
        profile_version,
        items: [item('i')],
        outcomes: [outcome('i', 'rule_a', raw)],
      },
      actor,
    );
  }

  /** What a read answers: the version, and the columns in their order. */
  async #asked(
    actor: Actor,
    case_uid: string,
    profile_uid: string,
    profile_version: string | undefined,
  ) {
    const { store } = this.#world;
    const page = (
      await store.read(
        (r) =>
          r.evidence.page(
            actor.account_id,
            { case_uid: asCase(case_uid), profile_uid: asProfile(profile_uid), profile_version },
            { limit: 10, cursor: undefined },
          ),
        actor.account_id,
      )
    ).value();
    const run = await store.transact(
      (w) =>
        w.runWrites.create(actor, {
          case_uid: asCase(case_uid),
          profile_uid: asProfile(profile_uid),
          ...(profile_version !== undefined && { profile_version }),
        }),
      actor.account_id,
    );
    expect(page.rules).toEqual(run.record.frozen.rules);
    return { version: page.profile_version, document: JSON.stringify(run.record.frozen.profile) };
  }

  /**
   * What a name means to accounts that have it from the studio or have documents of their own under
   * it: nobody else's act may change that.
   */
  async meanings(except: Actor): Promise<Map<string, string | undefined>> {
    const { store } = this.#world;
    const meanings = new Map<string, string | undefined>();
    for (const { account_id } of this.#actors.filter((actor) => actor !== except)) {
      for (const name of [0, 1, 2]) {
        const found = await store.read(
          (r) => r.profiles.get(account_id, this.#uid(name), undefined),
          account_id,
        );
        if (name === 2 || found?.entry.access === 'private')
          meanings.set(`${account_id} ${name}`, found?.text);
      }
    }
    return meanings;
  }

  /** Reads, recordings and runs of every case mean what they meant. */
  async check(): Promise<void> {
    for (const [case_uid, { by, profileUid, version, document }] of this.cases) {
      for (const asked of [undefined, version]) {
        expect(await this.#asked(by, case_uid, profileUid, asked)).toEqual({ version, document });
        expect((await this.#record(by, case_uid, profileUid, 'FALSE', asked)).profile_version).toBe(
          version,
        );
      }
    }
  }
}

/**
 * Names of profiles belong to somebody: what one account does never changes what another one's
 * cases mean.
 */
export function profileOwnerTests(factory: StoreFactory): void {
  describe('names of profiles', () => {
    let world: World;
    beforeAll(async () => {
      world = await createWorld(factory);
    });
    afterAll(() => world.dispose());
    const get = (): World => world;
    let runs = 0;
    const actors = async (): Promise<Actor[]> => {
      const { human, stranger, sql } = get();
      if (runs === 0) {
        await sql(
          `INSERT INTO accounts (account_id, name, created_at) VALUES ('acc_third', 'Third', '2026-01-01T00:00:00.000Z')`,
        );
        await sql(MARK_ACCOUNTS);
        await sql(
          `INSERT INTO users (user_id, name, created_at) VALUES ('usr_third', 'Third', '2026-01-01T00:00:00.000Z')`,
        );
      }
      return [
        human,
        stranger,
        {
          ...stranger,
          account_id: AccountId.parse('acc_third'),
          user_id: asUser('usr_third'),
          user_name: 'Third',
        },
      ];
    };

    test(
      'accounts publish and push in any order and mixture, and no act of one changes what a case of another means',
      { timeout: 240_000 },
      async () => {
        const all = await actors();
        await fc.assert(
          fc.asyncProperty(
            fc.array(fc.oneof({ arbitrary: act, weight: 3 }, { arbitrary: use, weight: 2 }), {
              minLength: 4,
              maxLength: 14,
            }),
            async (steps) => {
              runs += 1;
              const play = new Play(get(), runs, all);
              for (const step of steps) {
                if ('use' in step) await play.use(step);
                else {
                  // What the account itself puts under a version may need its own decision; that is
                  // not the subject here.
                  for (const [uid, { by }] of play.cases)
                    if (by === all[step.by]) play.cases.delete(uid);
                  const author = all[step.by] as Actor;
                  const before = await play.meanings(author);
                  await play.act(step);
                  const after = await play.meanings(author);
                  for (const [whose, text] of before) expect(after.get(whose), whose).toBe(text);
                  await play.check();
                }
              }
            },
          ),
          { numRuns: lengthOf(3, 12) },
        );
      },
    );

    test('an account’s own acts change none of its cases that name their document either', async () => {
      const { store, human, newCase } = get();
      const first = profile('kept_by_case', '1.0', ['rule_a'], { visibility: 'private' });
      await store.transact((w) =>
        w.profileWrites.create(human, first, JSON.stringify(first), true),
      );
      await newCase('keeps');
      await get().record({
        case_uid: 'keeps',
        profile_uid: 'kept_by_case',
        items: [item('i')],
        outcomes: [outcome('i', 'rule_a', 'TRUE')],
      });
      const next = profile('kept_by_case', '2.0', ['rule_a', 'rule_b'], { visibility: 'private' });
      await store.transact((w) => w.profileWrites.create(human, next, JSON.stringify(next), true));
      const other = profile('kept_by_case', '1.0', ['rule_b']);
      await store.transact((w) =>
        w.log.push(
          human,
          asStream('@profiles'),
          [
            wire(
              foreignChange('@profiles', [
                {
                  op: 'announce',
                  parents: [],
                  reg: 'profile/kept_by_case@1.0',
                  value: { digest: profileDigest(other, testHasher), document: other },
                },
              ]),
            ),
          ],
          undefined,
        ),
      );
      const run = await store.transact((w) =>
        w.runWrites.create(human, {
          case_uid: asCase('keeps'),
          profile_uid: asProfile('kept_by_case'),
        }),
      );
      expect(run.record.frozen.profile).toEqual(first);
    });

    test('shipped names are reserved, a community name is whose it was first, and publishing is an owner’s act', async () => {
      const { store, human, stranger, account } = get();
      const create = (actor: Actor, document: ProfileDocument, mayPublish = true) =>
        store.transact(
          (w) => w.profileWrites.create(actor, document, JSON.stringify(document), mayPublish),
          actor.account_id,
        );
      const code = (promise: Promise<unknown>) =>
        promise.then(
          () => 'done',
          (error: unknown) => (error instanceof StoreError ? error.code : String(error)),
        );
      for (const visibility of ['community', 'private'] as const)
        expect(
          await code(
            create(human, profile(SHIPPED.profileUid, '9999.0', ['rule_a'], { visibility })),
          ),
        ).toBe('uid_taken');
      expect(await create(human, SHIPPED)).toMatchObject({ created: false, published: false });

      const theirs = profile('first_theirs', '1.0', ['rule_a'], { visibility: 'community' });
      expect(await code(create(stranger, theirs, false))).toBe('insufficient_scope');
      expect(await create(stranger, theirs)).toMatchObject({ created: true, published: true });
      expect(await code(create(human, { ...theirs, version: '1.1' }))).toBe('uid_taken');
      expect(await code(create(human, theirs))).toBe('uid_taken');
      expect(await create(stranger, { ...theirs, version: '1.1' })).toMatchObject({
        published: true,
      });
      expect(
        (await store.read((r) => r.profiles.get(account, asProfile('first_theirs'), undefined)))
          ?.entry,
      ).toMatchObject({ version: '1.1', access: 'community' });
      // A private document of one's own goes before it, and its newest version is not looked for
      // among the others'.
      expect(await create(human, profile('first_theirs', '1.0', ['rule_b']))).toMatchObject({
        created: true,
        published: false,
      });
      expect(
        (await store.read((r) => r.profiles.get(account, asProfile('first_theirs'), undefined)))
          ?.entry,
      ).toMatchObject({ version: '1.0', access: 'private' });
      expect(
        await store.read((r) => r.profiles.get(account, asProfile('first_theirs'), '1.1')),
      ).toBeUndefined();

      // What came through the log is the account's alone until an owner publishes it.
      const pushed = profile('came_by_push', '1.0', ['rule_a'], { visibility: 'community' });
      await store.transact((w) =>
        w.log.push(
          human,
          asStream('@profiles'),
          [
            wire(
              foreignChange('@profiles', [
                {
                  op: 'announce',
                  parents: [],
                  reg: 'profile/came_by_push@1.0',
                  value: { digest: profileDigest(pushed, testHasher), document: pushed },
                },
              ]),
            ),
          ],
          undefined,
        ),
      );
      const seen = () =>
        store.read(
          (r) => r.profiles.get(stranger.account_id, asProfile('came_by_push'), '1.0'),
          stranger.account_id,
        );
      expect(await seen()).toBeUndefined();
      expect(await create(human, pushed)).toMatchObject({ created: false, published: true });
      expect((await seen())?.entry.access).toBe('community');
    });

    test('two accounts that publish one name at once: one of them has it', async () => {
      const { store, human, stranger } = get();
      const both = await Promise.allSettled(
        [human, stranger].map((actor) => {
          const document = profile('wanted_by_two', '1.0', ['rule_a'], {
            visibility: 'community',
            description: actor.user_name,
          });
          return store.transact(
            (w) => w.profileWrites.create(actor, document, JSON.stringify(document), true),
            actor.account_id,
          );
        }),
      );
      expect(both.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
      expect(both.find((one) => one.status === 'rejected')?.reason).toMatchObject({
        code: 'uid_taken',
      });
    });
  });
}
