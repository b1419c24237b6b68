import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CELL_MEMBERS } from '../../src/shared/contract/v1/evidence.ts';
import { makeCase, TRIO } from '../support/evidence.ts';
import type { Json } from '../support/json.ts';
import { ENGINES } from '../support/length.ts';
import { makePlainDatabase, SHARED_POSTGRES } from '../support/plain-database.ts';
import { bootServer, type TestAnswer, type TestServer } from '../support/server.ts';

const CASE = '/api/v1/cases/short';
const SHORTLY = { prefer: 'return=minimal' };
const ITEMS = ['a', 'b', 'c'];

describe.each(ENGINES)('short answers on %s', (engine) => {
  let server: TestServer;
  let rules: string[];
  let drop = async (): Promise<void> => {};
  beforeAll(async () => {
    if (engine === 'PostgreSQL') {
      const made = await makePlainDatabase(SHARED_POSTGRES);
      ({ drop } = made);
      server = await bootServer({ databaseUrl: made.url });
    } else server = await bootServer();
    await makeCase(server, 'short');
    const { body } = await server.call('GET', `/api/v1/profiles/${TRIO}`);
    rules = body.rules.map(({ ruleUid }: Json) => ruleUid);
    const written = await server.call('POST', `${CASE}/evidence`, {
      body: {
        profile_uid: TRIO,
        items: ITEMS.map((item_uid) => ({
          item_uid,
          label: `Label ${item_uid}`,
          metadata: { n: 1 },
        })),
        outcomes: [
          { item_uid: 'a', rule_uid: rules[0], raw_outcome: 'TRUE', source_value: 's', notes: 'n' },
          ...rules.map((rule_uid) => ({ item_uid: 'b', rule_uid, raw_outcome: 'FALSE' })),
        ],
      },
    });
    expect(written.status, written.text).toBe(200);
  });
  afterAll(async () => {
    await server.close();
    await drop();
  });

  const read = (path: string, query = ''): Promise<TestAnswer> =>
    server.call('GET', `${CASE}/${path}?profile_uid=${TRIO}${query}`);
  const write = (path: string, body: Json, headers: Record<string, string> = {}) =>
    server.call('POST', `${CASE}/${path}`, { body: { profile_uid: TRIO, ...body }, headers });

  describe('fields', () => {
    it('are the members of cells and items that were asked for, beside their identifiers', async () => {
      const cells = await read('cells', '&fields=raw_outcome,revision&limit=2');
      expect(cells.body.data).toEqual([
        { item_uid: 'a', rule_uid: rules[0], raw_outcome: 'TRUE', revision: 1 },
        { item_uid: 'a', rule_uid: rules[1], raw_outcome: null, revision: 0 },
      ]);
      const more = await read(
        'cells',
        `&fields=notes&limit=2&cursor=${encodeURIComponent(cells.body.next_cursor)}`,
      );
      expect(Object.keys(more.body.data[0])).toEqual(['item_uid', 'rule_uid', 'notes']);
      const page = await read('evidence', '&fields=label,source_value&limit=1');
      expect(page.body.items).toEqual([
        {
          item_uid: 'a',
          label: 'Label a',
          evidence: [{ item_uid: 'a', rule_uid: rules[0], source_value: 's' }],
        },
      ]);
      expect(page.body.summary.recorded).toBe(1 + rules.length);
      const item = await read('items/a', '&fields=raw_outcome');
      expect(item.body).toMatchObject({
        item: { item_uid: 'a' },
        evidence: [{ item_uid: 'a', rule_uid: rules[0], raw_outcome: 'TRUE' }],
        unrecorded: rules.slice(1),
      });
      expect(Object.keys(item.body.item)).toEqual(['item_uid']);
      const cell = await read(`items/a/outcomes/${rules[0]}`, '&fields=notes');
      expect(cell.body).toEqual({ item_uid: 'a', rule_uid: rules[0], notes: 'n' });
    });

    it('make another entity tag, and all of them the whole answer', async () => {
      const whole = await read('evidence');
      const part = await read('evidence', '&fields=notes');
      expect(part.headers.get('etag')).not.toBe(whole.headers.get('etag'));
      expect((await read('cells', `&fields=${CELL_MEMBERS.join(',')}`)).body).toEqual(
        (await read('cells')).body,
      );
      const held = { 'if-none-match': part.headers.get('etag')! };
      const again = await server.call('GET', `${CASE}/evidence?profile_uid=${TRIO}&fields=notes`, {
        headers: held,
      });
      expect(again.status).toBe(304);
      // What was reviewed in part is the same matrix.
      const run = await server.call('POST', '/api/v1/runs?dry_run=true', {
        headers: { 'if-match': part.headers.get('etag')! },
        body: { case_uid: 'short', profile_uid: TRIO },
      });
      expect(run.status, run.text).toBe(201);
    });

    it.each(['', 'label', 'raw_outcome,', 'raw_outcome notes', 'constructor', 'RAW_OUTCOME'])(
      'are refused where there is no such member: %j',
      async (fields) => {
        const { status, body } = await read('cells', `&fields=${encodeURIComponent(fields)}`);
        expect([status, body.error, body.details[0].path]).toEqual([
          400,
          'invalid_query',
          'fields',
        ]);
        expect(body.details[0].message).toContain('raw_outcome, matrix_value');
      },
    );
  });

  describe('a page of evidence', () => {
    const itemsOf = async (query: string): Promise<string[]> =>
      (await read('evidence', query)).body.items.map(({ item_uid }: Json) => item_uid);

    it('has the items alone that have such a cell', async () => {
      expect(await itemsOf('&outcome=unrecorded')).toEqual(['a', 'c']);
      expect(await itemsOf('&outcome=TRUE')).toEqual(['a']);
      expect(await itemsOf(`&outcome=unrecorded&rule_uid=${rules[0]}`)).toEqual(['c']);
      expect(await itemsOf('&item_uid=b')).toEqual(['b']);
      expect(await itemsOf('&item_uid=nobody')).toEqual([]);
      expect((await read('evidence', '&outcome=true')).status).toBe(400);
    });

    it('has the items alone with a cell written at a time or later, its clearing too', async () => {
      server.advance(60_000);
      const [first = '', second = ''] = rules;
      await write('evidence', {
        outcomes: [{ item_uid: 'c', rule_uid: second, raw_outcome: 'NA' }],
      });
      const { body } = await read(`items/c/outcomes/${second}`);
      const since = `&since=${encodeURIComponent(body.updated_at)}`;
      expect(await itemsOf(since)).toEqual(['c']);
      expect(await itemsOf(`${since}&rule_uid=${second}&outcome=NA`)).toEqual(['c']);
      expect(await itemsOf(`${since}&rule_uid=${first}`)).toEqual([]);
      expect(await itemsOf('&since=2020-01-01T00:00:00.000Z')).toEqual(['a', 'b', 'c']);
      expect(await itemsOf('&since=2120-01-01T00:00:00.000Z')).toEqual([]);
      expect((await read('evidence', '&since=yesterday')).status).toBe(400);
      await write('evidence', {
        outcomes: [{ item_uid: 'c', rule_uid: second, raw_outcome: null }],
      });
      expect(await itemsOf(since)).toEqual(['c']);
      server.advance(60_000);
      await write('evidence', { outcomes: [{ item_uid: 'a', rule_uid: first, notes: 'later' }] });
      expect(await itemsOf(since)).toEqual(['a', 'c']);
    });
  });

  describe('Prefer: return=minimal', () => {
    it('answers a write of evidence without the cells that were written', async () => {
      const outcomes = [
        { item_uid: 'a', rule_uid: rules[0], raw_outcome: 'NA', if_revision: 9 },
        { item_uid: 'a', rule_uid: rules[1], raw_outcome: 'NA', if_revision: 0 },
      ];
      const answer = await write('evidence', { outcomes, on_conflict: 'skip' }, SHORTLY);
      expect(answer.headers.get('preference-applied')).toBe('return=minimal');
      expect(answer.body).toMatchObject({
        outcomes_written: 1,
        outcomes_skipped: 1,
        outcomes: [{ rule_uid: rules[0], status: 'skipped', present: { raw_outcome: 'TRUE' } }],
      });
      expect(answer.body.outcomes).toHaveLength(1);
      const all = await server.call('POST', '/api/v1/evidence', {
        headers: SHORTLY,
        body: {
          case_uid: 'short',
          profile_uid: TRIO,
          items: [{ item_uid: 'c', evidence: [{ rule_uid: rules[0], raw_outcome: 'NA' }] }],
          on_conflict: 'skip',
        },
      });
      expect(all.body).toMatchObject({ outcomes_written: 1, changes: [expect.any(String)] });
      expect(all.body.outcomes).toBeUndefined();
    });

    it('answers suggestions without those that were written', async () => {
      const cells = rules.slice(2, 4).map((rule_uid) => ({ item_uid: 'c', rule_uid }));
      const suggestions = cells.map((cell, at) => ({
        ...cell,
        raw_outcome: 'NA',
        if_revision: at,
      }));
      const body = { suggestions, on_conflict: 'skip' };
      const answer = await write('suggestions', body, SHORTLY);
      expect(answer.headers.get('preference-applied')).toBe('return=minimal');
      expect(answer.body).toMatchObject({
        written: 1,
        skipped: 1,
        suggestions: [{ rule_uid: rules[3], status: 'skipped', revision: 0 }],
      });
      expect((await write('suggestions', body)).body.suggestions).toHaveLength(2);
    });
  });
});
