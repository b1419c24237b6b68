import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSignInLink } from '../../src/server/auth/sign-in.ts';
import { makeCase, readRawMatrix, TRIO } from '../support/evidence.ts';
import { asKey } from '../support/ids.ts';
import type { Json } from '../support/json.ts';
import { lengthOf } from '../support/length.ts';
import { makePlainDatabase, SHARED_POSTGRES } from '../support/plain-database.ts';
import { bootServer, type TestAnswer, type TestServer } from '../support/server.ts';
import { wireChange } from '../support/sync-change.ts';

const CASE = 'limited';
const RULES = readRawMatrix('m12x5').rules.slice(0, 4);

describe.each(lengthOf(['SQLite'], ['SQLite', 'PostgreSQL']))(
  'limits of a key, on %s',
  (engine) => {
    let server: TestServer;
    let drop = async (): Promise<void> => {};
    let person: { key: null; headers: Record<string, string> };
    beforeAll(async () => {
      if (engine === 'PostgreSQL') {
        const made = await makePlainDatabase(SHARED_POSTGRES);
        ({ drop } = made);
        server = await bootServer({ databaseUrl: made.url });
      } else server = await bootServer();
      const link = await createSignInLink(server.deps, server.url);
      const { headers } = await server.call('GET', link.slice(server.url.length), { key: null });
      const cookie = headers.get('set-cookie')!.split(';')[0]!;
      person = { key: null, headers: { cookie, origin: server.url } };
      await makeCase(server, CASE);
      const items = ['a', 'b'].map((item_uid) => ({ item_uid }));
      await server.call('POST', `/api/v1/cases/${CASE}/evidence`, {
        body: { profile_uid: TRIO, items },
      });
    });
    afterAll(async () => {
      await server.close();
      await drop();
    });

    /** A key of an agent, with what a person says of it and what it does. */
    async function agent(name: string) {
      const key = await server.makeKey({ name, scopes: ['read', 'suggest', 'write'] });
      const key_id = key.slice(4, 14);
      return {
        key,
        key_id,
        limit: async (body: Json, as: { key?: string | null } = person) =>
          server.call('POST', `/api/v1/keys/${key_id}/limits`, { ...as, body }),
        suggest: (
          item_uid: string,
          rules: readonly string[],
          query = '',
          raw: string | null = 'NA',
        ) =>
          server.call('POST', `/api/v1/cases/${CASE}/suggestions${query}`, {
            key,
            body: {
              profile_uid: TRIO,
              suggestions: rules.map((rule_uid) => ({ item_uid, rule_uid, raw_outcome: raw })),
            },
          }),
        stored: async (): Promise<Json> =>
          (await server.call('GET', '/api/v1/usage')).body.api_keys.find(
            (one: Json) => one.key_id === key_id,
          ),
      };
    }

    it('refuse what is suggested beyond a day’s budget, whole, and count from midnight again', async () => {
      const { limit, suggest, stored } = await agent('By day');
      expect((await limit({ suggestions_a_day: 5 })).body.limits).toMatchObject({
        suggestions_a_day: 5,
        open_suggestions: null,
      });
      expect((await suggest('a', RULES)).status).toBe(200);
      expect((await suggest('b', RULES, '?dry_run=true')).status).toBe(403);
      const { status, body } = await suggest('b', RULES);
      expect([status, body.error]).toEqual([403, 'quota_exceeded']);
      expect(body.message).toContain('5 cells a day, of which 4 are used up');
      expect((await suggest('b', RULES.slice(0, 1), '?dry_run=true')).status).toBe(200);
      expect((await suggest('b', RULES.slice(0, 1))).status).toBe(200);
      expect((await stored()).limits.suggested).toBe(5);
      // What is the same as before, and what is withdrawn, is no suggestion more.
      expect((await suggest('a', RULES)).body.unchanged).toBe(4);
      expect((await suggest('a', RULES.slice(0, 1), '', null)).status).toBe(200);
      server.advance(86_400_000);
      expect((await suggest('b', RULES.slice(1))).status).toBe(200);
    });

    it('refuse more suggestions than may wait; a decision and a withdrawal make room', async () => {
      const { limit, suggest } = await agent('By open');
      await limit({ open_suggestions: 4 });
      expect((await suggest('a', RULES)).status).toBe(200);
      const refused = await suggest('b', RULES.slice(0, 1));
      expect([refused.status, refused.body.message]).toEqual([
        403,
        expect.stringContaining('4 suggestions may wait for a decision, and 5 would'),
      ]);
      expect((await suggest('a', RULES.slice(0, 1), '', 'TRUE')).status).toBe(200);
      await suggest('a', RULES.slice(0, 1), '', null);
      const { body } = await suggest('b', RULES.slice(0, 1));
      const decisions = body.suggestions.map(({ suggestion_id }: Json) => ({
        suggestion_id,
        verdict: 'refuse',
        reason: 'Wrong item.',
      }));
      await server.call('POST', `/api/v1/cases/${CASE}/suggestions/decisions`, {
        ...person,
        body: { profile_uid: TRIO, decisions },
      });
      expect((await suggest('b', RULES.slice(1, 2))).status).toBe(200);
      expect((await limit({ open_suggestions: null })).status).toBe(200);
      expect((await suggest('b', RULES)).status).toBe(200);
    });

    it('let a paused key read and nothing else, until a person resumes it', async () => {
      const { key, key_id, limit, suggest, stored } = await agent('Paused');
      expect((await limit({ paused: true, reason: 'Looks odd.' })).body.paused_at).not.toBeNull();
      const refused = await suggest('a', RULES);
      expect([refused.status, refused.body.error]).toEqual([403, 'key_paused']);
      const { user_id } = server.deps.store.local;
      const author = {
        user: user_id,
        name: '',
        kind: 'agent',
        agent: 'Paused',
        key: asKey(key_id),
      } as const;
      const push = (item: string): Promise<TestAnswer> =>
        server.call('POST', `/api/v1/sync/cases/${CASE}/push`, {
          key,
          body: {
            protocol: 1,
            changes: [
              wireChange(CASE, { ...author, name: server.deps.store.local.user_name }, [
                {
                  op: 'set',
                  parents: [],
                  reg: `s/${key_id}/${TRIO}@1.1/${RULES[0]}/${item}`,
                  value: { raw_outcome: 'NA', basis: null },
                },
              ]),
            ],
          },
        });
      expect((await push('a')).body.error).toBe('key_paused');
      const read = `/api/v1/cases/${CASE}/suggestions?profile_uid=${TRIO}`;
      expect((await server.call('GET', read, { key })).status).toBe(200);
      expect((await stored()).paused_at).not.toBeNull();
      expect((await limit({ paused: false })).body.paused_at).toBeNull();
      expect((await suggest('a', RULES)).status).toBe(200);
      // What it pushes counts like what it suggests.
      await limit({ suggestions_a_day: 4 });
      const pushed = await push('b');
      expect([pushed.status, pushed.body.error], pushed.text).toEqual([403, 'quota_exceeded']);
      const { body } = await server.call('GET', '/api/v1/audit?limit=3', person);
      expect(body.data.map(({ action }: Json) => action)).toEqual([
        'key.limited',
        'key.resumed',
        'key.paused',
      ]);
    });

    it('are set by people alone, and not for a studio', async () => {
      const { key, limit } = await agent('Itself');
      expect((await limit({ suggestions_a_day: null }, { key })).status).toBe(403);
      expect((await limit({ suggestions_a_day: -1 })).status).toBe(422);
      const studio = server.syncKey.slice(4, 14);
      const { status, body } = await server.call('POST', `/api/v1/keys/${studio}/limits`, {
        ...person,
        body: { paused: true },
      });
      expect([status, body.error]).toEqual([409, 'conflict']);
    });
  },
);
