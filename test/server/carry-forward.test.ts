import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TRIO } from '../support/evidence.ts';
import { type Json } from '../support/json.ts';
import { ENGINES } from '../support/length.ts';
import { makePlainDatabase, SHARED_POSTGRES } from '../support/plain-database.ts';
import { bootServer, type TestAnswer, type TestServer } from '../support/server.ts';

const PROFILE = 'own_trio';
const ITEMS = Array.from({ length: 201 }, (_, at) => `item-${String(at).padStart(3, '0')}`);
const [FIRST = '', SECOND = '', LAST = ''] = [ITEMS[0], ITEMS[1], ITEMS[200]];

describe.each(ENGINES)('carrying outcomes forward, on %s', (engine) => {
  let server: TestServer;
  let drop = async (): Promise<void> => {};
  let project_id: string;
  /** Of version 1.1 the first rule is as before, the second says more, the third is gone. */
  let rules: string[];
  beforeAll(async () => {
    if (engine === 'PostgreSQL') {
      const made = await makePlainDatabase(SHARED_POSTGRES);
      ({ drop } = made);
      server = await bootServer({ databaseUrl: made.url });
    } else server = await bootServer();
    const { body: shipped } = await server.call('GET', `/api/v1/profiles/${TRIO}`);
    const [one, two, three, four] = shipped.rules;
    rules = [one, two, three, four].map(({ ruleUid }: Json) => ruleUid);
    const own = { ...shipped, profileUid: PROFILE, visibility: 'private' };
    const documents = [
      { ...own, version: '1.0', rules: [one, two, three] },
      { ...own, version: '1.1', rules: [four, { ...two, problemMeaning: 'More than that.' }, one] },
    ].map((document) => ({
      ...document,
      rules: document.rules.map((rule: Json, at: number) => ({ ...rule, ruleOrder: at + 1 })),
    }));
    for (const body of documents) {
      const made = await server.call('POST', '/api/v1/profiles', { body });
      expect(made.status, made.text).toBe(201);
    }
    project_id = (await server.call('POST', '/api/v1/projects', { body: { name: 'P' } })).body
      .project_id;
  });
  afterAll(async () => {
    await server.close();
    await drop();
  });

  const record = (
    case_uid: string,
    profile_version: string,
    outcomes: Json[],
    items: Json[] = [],
  ) =>
    server.call('POST', `/api/v1/cases/${case_uid}/evidence`, {
      body: { profile_uid: PROFILE, profile_version, items, outcomes },
    });
  const carry = (case_uid: string, more: Json = {}, query = ''): Promise<TestAnswer> =>
    server.call('POST', `/api/v1/cases/${case_uid}/carry-forward${query}`, {
      body: { profile_uid: PROFILE, from_version: '1.0', to_version: '1.1', ...more },
    });
  const cellsOf = (case_uid: string, version: string): Promise<Json[]> =>
    Promise.all(
      [FIRST, SECOND, LAST].map(async (item) => {
        const cell = `/api/v1/cases/${case_uid}/items/${item}/outcomes/${rules[0]}`;
        const query = `?profile_uid=${PROFILE}&profile_version=${version}`;
        return (await server.call('GET', cell + query)).body;
      }),
    );

  async function makeCase(case_uid: string): Promise<void> {
    await server.call('POST', '/api/v1/cases', {
      body: { project_id, case_uid, profile_uid: PROFILE, profile_version: '1.0' },
    });
    const filled = await record(
      case_uid,
      '1.0',
      [FIRST, SECOND, LAST].flatMap((item_uid) =>
        rules.slice(0, 3).map((rule_uid) => ({
          item_uid,
          rule_uid,
          raw_outcome: 'FALSE',
          source_value: `${item_uid} read`,
          notes: 'n',
          provenance: { page: 3 },
        })),
      ),
      ITEMS.map((item_uid) => ({ item_uid })),
    );
    expect(filled.status, filled.text).toBe(200);
    await record(case_uid, '1.1', [
      { item_uid: SECOND, rule_uid: rules[0], raw_outcome: 'TRUE', source_value: 'looked again' },
    ]);
  }

  it('copies what a rule of the same text says, writes over nothing, and lists the rest', async () => {
    await makeCase('carried');
    const before = await cellsOf('carried', '1.0');
    const stored = await server.stored();
    const dry = await carry('carried', { use: true }, '?dry_run=true');
    expect(await server.stored()).toBe(stored);
    const { status, body } = await carry('carried', { use: true, reason: 'Version 1.1 is out.' });
    expect([status, body]).toEqual([
      200,
      {
        case_uid: 'carried',
        profile_uid: PROFILE,
        from_version: '1.0',
        to_version: '1.1',
        copied: 2,
        kept: 1,
        contested: 0,
        rules: [
          { rule_uid: rules[0], rule: 'unchanged', recorded: 3, copied: 2 },
          { rule_uid: rules[1], rule: 'changed', recorded: 3, copied: 0 },
          { rule_uid: rules[2], rule: 'removed', recorded: 3, copied: 0 },
          { rule_uid: rules[3], rule: 'added', recorded: 0, copied: 0 },
        ],
        changes: [expect.any(String), expect.any(String)],
      },
    ]);
    expect({ ...dry.body, changes: [] }).toEqual({ ...body, changes: [] });
    expect(await cellsOf('carried', '1.0')).toEqual(before);
    const { body: found } = await server.call('GET', '/api/v1/cases/carried');
    expect(found.profile_version).toBe('1.1');
    const after = await cellsOf('carried', '1.1');
    expect(after.find(({ item_uid }) => item_uid === LAST)).toMatchObject({
      raw_outcome: 'FALSE',
      source_value: `${LAST} read`,
      notes: 'n',
      provenance: { page: 3 },
    });
    expect(after.find(({ item_uid }) => item_uid === SECOND)).toMatchObject({
      raw_outcome: 'TRUE',
      source_value: 'looked again',
      notes: null,
    });
    const history = await server.call(
      'GET',
      `/api/v1/cases/carried/history?profile_uid=${PROFILE}&profile_version=1.1&item_uid=${LAST}&rule_uid=${rules[0]}`,
    );
    expect(history.body.data[0].reason).toBe('Version 1.1 is out.');
    expect((await carry('carried')).body).toMatchObject({ copied: 0, kept: 3, changes: [] });
    const reverted = await server.call('POST', '/api/v1/cases/carried/reverts', {
      body: { changes: body.changes, reason: 'Too early' },
    });
    expect(reverted.status, reverted.text).toBe(200);
    expect((await carry('carried', {}, '?dry_run=true')).body.copied).toBe(2);
  });

  it('refuses what names no version, one twice, or what the key may not write', async () => {
    await makeCase('refused');
    const suggests = await server.makeKey({ scopes: ['suggest'] });
    const stored = await server.stored();
    expect((await carry('refused', { to_version: '9.9' })).body.error).toBe('not_found');
    expect((await carry('nowhere')).body.error).toBe('not_found');
    expect((await carry('refused', { to_version: '1.0' })).body).toMatchObject({
      error: 'validation_failed',
      details: [{ path: '/to_version', code: 'same_version' }],
    });
    const { body } = await server.call('POST', '/api/v1/cases/refused/carry-forward', {
      key: suggests,
      body: { profile_uid: PROFILE, from_version: '1.0', to_version: '1.1' },
    });
    expect(body.error).toBe('insufficient_scope');
    expect(await server.stored()).toBe(stored);
  });
});
