import { asUser } from '../../support/ids.ts';
import { AccountId } from '../../../src/shared/contract/ids.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ProfileDocument } from '../../../src/shared/domain/profile.ts';
import { profileDigest } from '../../../src/shared/domain/profile.ts';
import { nodeHasher } from '../../../src/server/instance/hasher.ts';
import { profile } from '../../contract/world.ts';
import { wireChange } from '../../support/sync-change.ts';
import type { Json } from '../../support/json.ts';
import { converge, eventually, Studio } from './world.ts';
import { MARK_ACCOUNTS } from '../../support/mark-accounts.ts';

const UID = 'made_twice';
const QUERY = `profile_uid=${UID}&profile_version=1.0`;
const A = profile(UID, '1.0', ['rule_a', 'rule_b']);
/** The same rules with their meanings exchanged, and one more. */
const B: ProfileDocument = {
  ...profile(UID, '1.0', ['rule_a', 'rule_b', 'rule_c']),
  description: 'Another one.',
};
const digestOf = (document: ProfileDocument): string => profileDigest(document, nodeHasher);

let hosted: Studio;
let one: Studio;
let two: Studio;
let project: string;
const all = (): Studio[] => [hosted, one, two];

beforeEach(async () => {
  [hosted, one, two] = [await Studio.hosted(), await Studio.open('one'), await Studio.open('two')];
  project = await one.makeProject('Made twice');
  for (const uid of ['common', 'of-one', 'of-two'])
    await one.ok('POST', '/api/v1/cases', { project_id: project, case_uid: uid });
  await one.connect(hosted.server.url, (await hosted.makeKey('Ada', 'owner')).key);
  await one.share(project);
  await converge(['common', 'of-one', 'of-two'], hosted, one);
  await two.connect(hosted.server.url, (await hosted.makeKey('Ben', 'member')).key);
  await eventually(async () => expect((await two.status()).projects).toHaveLength(1));
  await two.share(project);
  await converge(['common', 'of-one', 'of-two'], hosted, one, two);
});
afterEach(async () => {
  for (const studio of all()) await studio[Symbol.asyncDispose]();
});

const record = (studio: Studio, case_uid: string, raw_outcome = 'TRUE') =>
  studio.call('POST', '/api/v1/evidence', {
    case_uid,
    profile_uid: UID,
    profile_version: '1.0',
    items: [{ item_uid: 'i', evidence: [{ rule_uid: 'rule_a', raw_outcome }] }],
  });
const run = (studio: Studio, case_uid: string) =>
  studio.call('POST', '/api/v1/runs', { case_uid, profile_uid: UID, profile_version: '1.0' });
const documentOf = (studio: Studio, case_uid: string) =>
  studio.ok('GET', `/api/v1/cases/${case_uid}/document?${QUERY}`);
const listed = async (studio: Studio): Promise<Json[]> =>
  ((await studio.ok('GET', '/api/v1/profiles?limit=200')).data as Json[]).filter(
    (entry) => entry.profileUid === UID,
  );

/**
 * While the hosted server is away, each studio makes its own document under one name and version.
 */
async function apart(work: () => Promise<void>): Promise<void> {
  await hosted.restart(async () => {
    await one.ok('POST', '/api/v1/profiles', A);
    await two.ok('POST', '/api/v1/profiles', B);
    await work();
  });
  for (const studio of [one, two]) await studio.ok('POST', '/api/v1/uplink/sync', {});
}

/** Every store answers a run of the case alike: with one content hash, or with one refusal. */
async function sameEverywhere(case_uid: string): Promise<string> {
  const answers: string[] = [];
  for (const studio of all()) {
    const { status, body } = await run(studio, case_uid);
    answers.push(status < 300 ? String(body.content_hash) : `${status} ${String(body.error)}`);
  }
  expect(new Set(answers).size, answers.join(', ')).toBe(1);
  return answers[0] as string;
}

test('V12 V13 cases stay with the document they were recorded under; both are listed, and a person settles which is 1.0', async () => {
  await apart(async () => {
    expect((await record(one, 'of-one')).status).toBe(200);
    expect((await record(two, 'of-two')).status).toBe(200);
  });
  await converge(['common', 'of-one', 'of-two', '@profiles'], hosted, one, two);
  for (const studio of all()) {
    expect(await documentOf(studio, 'of-one')).toMatchObject({
      state: 'named',
      digest: digestOf(A),
    });
    expect(await documentOf(studio, 'of-two')).toMatchObject({
      state: 'named',
      digest: digestOf(B),
    });
    expect(
      (await listed(studio)).map(({ digest, contested }) => [digest, contested]).sort(),
    ).toEqual(
      [
        [digestOf(A), true],
        [digestOf(B), true],
      ].sort(),
    );
    // Which of them a new matrix would be of is nobody's to guess.
    expect(await record(studio, 'common')).toMatchObject({
      status: 409,
      body: { error: 'contested_profile' },
    });
  }
  expect(await sameEverywhere('of-one')).toMatch(/^sha256:/);
  expect(await sameEverywhere('of-two')).toMatch(/^sha256:/);
  expect(await sameEverywhere('common')).toBe('409 contested_profile');

  await two.ok('POST', '/api/v1/profile-collisions', {
    profile_uid: UID,
    profile_version: '1.0',
    digest: digestOf(B),
    decision: 'take',
    reason: 'The rules of the protocol',
  });
  await converge(['@profiles'], hosted, one, two);
  for (const studio of all())
    expect(
      (await listed(studio))
        .map(({ digest, contested, set_aside }) => [digest, contested, set_aside])
        .sort(),
    ).toEqual(
      [
        [digestOf(A), undefined, true],
        [digestOf(B), undefined, undefined],
      ].sort(),
    );
  expect((await record(one, 'common', 'FALSE')).status).toBe(200);
  await converge(['common'], hosted, one, two);
  for (const studio of all()) {
    expect(await documentOf(studio, 'common')).toMatchObject({
      state: 'named',
      digest: digestOf(B),
    });
    expect(await documentOf(studio, 'of-one')).toMatchObject({
      state: 'named',
      digest: digestOf(A),
    });
  }
  expect(await sameEverywhere('common')).toMatch(/^sha256:/);
}, 90_000);

test('V12 one matrix that two recorded under different documents has no result anywhere until a person settles which holds', async () => {
  await apart(async () => {
    expect((await record(one, 'common')).status).toBe(200);
    expect((await record(two, 'common', 'FALSE')).status).toBe(200);
  });
  await converge(['common', '@profiles'], hosted, one, two);
  expect(await sameEverywhere('common')).toBe('409 contested_profile');
  for (const studio of all())
    expect(await documentOf(studio, 'common')).toMatchObject({
      state: 'contested',
      heads: [{ displayed: true }, { displayed: false }],
    });
  const { heads } = await documentOf(two, 'common');
  const settling = {
    profile_uid: UID,
    profile_version: '1.0',
    digest: digestOf(A),
    heads: (heads as Json[]).map(({ entry }) => entry as string),
    reason: 'Agreed on the phone',
  };
  expect(
    (
      await two.call('POST', '/api/v1/cases/common/document', {
        ...settling,
        heads: settling.heads.slice(0, 1),
      })
    ).body.error,
  ).toBe('conflict');
  await two.ok('POST', '/api/v1/cases/common/document', settling);
  await converge(['common'], hosted, one, two);
  for (const studio of all()) {
    expect(await documentOf(studio, 'common')).toMatchObject({
      state: 'named',
      digest: digestOf(A),
    });
    expect(await studio.ok('GET', `/api/v1/cases/common/evidence?${QUERY}`)).toMatchObject({
      profile_digest: digestOf(A),
      rules: ['rule_a', 'rule_b'],
    });
  }
  // The outcomes are contested like any others.
  for (const studio of all())
    expect((await run(studio, 'common')).body.error).toBe('contested_cells');
}, 90_000);

test('a matrix of an earlier version, which names no document, is read by the only one known; with two it has no result', async () => {
  await apart(async () => {
    for (const [studio, uid] of [
      [one, 'of-one'],
      [two, 'of-two'],
    ] as const) {
      const { user_id } = studio.composed.store.local;
      const entries = [
        { op: 'set', parents: [], reg: 'item/x/i', value: { deleted: false } },
        { op: 'set', parents: [], reg: `a/${UID}@1.0/rule_a/i`, value: { raw_outcome: 'TRUE' } },
      ];
      await studio.ok('POST', `/api/v1/sync/cases/${uid}/push`, {
        protocol: 1,
        changes: [wireChange(uid, user_id, entries)],
      });
      expect(await documentOf(studio, uid)).toMatchObject({
        state: 'fallback',
        digest: digestOf(uid === 'of-one' ? A : B),
        heads: [],
      });
    }
  });
  await converge(['of-one', 'of-two', '@profiles'], hosted, one, two);
  for (const uid of ['of-one', 'of-two']) {
    expect(await sameEverywhere(uid)).toBe('409 contested_profile');
    for (const studio of all())
      expect(await studio.ok('GET', `/api/v1/cases/${uid}/evidence?${QUERY}`)).toMatchObject({
        profile_unsettled: true,
      });
  }
  await one.ok('POST', '/api/v1/cases/of-one/document', {
    profile_uid: UID,
    profile_version: '1.0',
    digest: digestOf(A),
    heads: [],
    reason: 'It was recorded here',
  });
  await converge(['of-one'], hosted, one, two);
  expect(await sameEverywhere('of-one')).toMatch(/^sha256:/);
  expect(await sameEverywhere('of-two')).toBe('409 contested_profile');
}, 90_000);

test('V14 U2 a document that another account has published on the hosted server comes with the case that names it', async () => {
  const theirs = profile('of_another', '1.0', ['rule_a'], { visibility: 'community' });
  await hosted.sql(
    `INSERT INTO accounts (account_id, name, created_at) VALUES ('acc_other', 'Other', '2026-01-01T00:00:00.000Z')`,
  );
  await hosted.sql(MARK_ACCOUNTS);
  await hosted.composed.store.transact(
    (w) =>
      w.profileWrites.create(
        {
          account_id: AccountId.parse('acc_other'),
          user_id: asUser('usr_other'),
          user_name: 'Other',
          kind: 'human',
          key_id: null,
          key_name: null,
        },
        theirs,
        JSON.stringify(theirs),
        true,
      ),
    AccountId.parse('acc_other'),
  );
  await hosted.ok('POST', '/api/v1/evidence', {
    case_uid: 'common',
    profile_uid: 'of_another',
    items: [{ item_uid: 'i', evidence: [{ rule_uid: 'rule_a', raw_outcome: 'NA' }] }],
  });
  await converge(['common'], hosted, one, two);
  for (const studio of all()) {
    await eventually(async () =>
      expect(
        await studio.ok('GET', '/api/v1/cases/common/evidence?profile_uid=of_another'),
      ).toMatchObject({ profile_digest: digestOf(theirs), rules: ['rule_a'] }),
    );
  }
}, 60_000);
