import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createSignInLink } from '../../src/server/auth/sign-in.ts';
import { unzipParts } from '../../src/server/bundle/zip-file.ts';
import { verifyBundle } from '../../src/server/commands/verify-bundle.ts';
import { stampRequest, checkToken, tokenIn } from '../../src/server/time-stamps/token.ts';
import { makeCase, readRawMatrix, TRIO } from '../support/evidence.ts';
import { ENGINES, IS_LONG, lengthOf } from '../support/length.ts';
import {
  makePlainDatabase,
  type PlainDatabase,
  SHARED_POSTGRES,
} from '../support/plain-database.ts';
import { bootServer, type TestAnswer, type TestServer } from '../support/server.ts';
import { wireChange } from '../support/sync-change.ts';
import { type Authority, OPENSSL, POLICY, startAuthority } from '../support/time-stamps.ts';

if (OPENSSL === undefined) console.error('There is no openssl here: time-stamps are not checked.');
const [rule = ''] = readRawMatrix('m12x5').rules;

describe.skipIf(OPENSSL === undefined)('time-stamps', () => {
  let authority: Authority;
  let stranger: Authority;
  beforeAll(async () => {
    [authority, stranger] = await Promise.all([startAuthority(), startAuthority()]);
  });
  afterAll(async () => {
    await authority[Symbol.asyncDispose]();
    await stranger[Symbol.asyncDispose]();
  });

  describe('of an authority', () => {
    const covered = Buffer.from('{"a":1}');
    const covers = createHash('sha256').update(covered).digest('hex');
    const nonce = new Uint8Array([0x41, 1, 2, 3, 4, 5, 6, 7]);
    const query = (): Buffer => Buffer.from(stampRequest(covers, { nonce, policy: undefined }));
    const check = (token: Uint8Array, more: object = {}): Promise<unknown> =>
      checkToken(token, { covered, nonce, trusted: authority.ca, ...more });

    it('are taken by us and by openssl alike', async () => {
      const token = tokenIn(authority.reply(query()));
      expect(await check(token)).toMatchObject({
        isKnown: true,
        policy: POLICY,
        authority: 'Test, stamper',
      });
      expect(authority.accepts(covered, Buffer.from(token))).toBe(true);
      expect(await check(token, { trusted: stranger.ca })).toMatchObject({ isKnown: false });
      expect(await check(token, { trusted: '' })).toMatchObject({ isKnown: false });
    });

    it('are refused where they are over another file, for another request, or forged', async () => {
      const token = Buffer.from(tokenIn(authority.reply(query())));
      for (const [bytes, more, said] of [
        [token, { covered: Buffer.from('{"a":2}') }, /over another file/],
        [token, { nonce: new Uint8Array([0x41, 1, 2, 3, 4, 5, 6, 8]) }, /another request/],
        [token, { policy: '1.2.3.4.2' }, /another policy/],
        [Buffer.concat([token, Buffer.of(0)]), {}, /other bytes/],
        [token.subarray(0, -1), {}, /./],
        [Buffer.from('no token'), {}, /./],
        [Buffer.alloc(0), {}, /./],
        [authority.forge(token, 'purpose'), {}, /not one for time-stamps/],
        [authority.forge(token, 'unnamed'), {}, /names is not/],
      ] as const)
        await expect(check(bytes, more)).rejects.toMatchObject({
          name: 'NotStamped',
          message: expect.stringMatching(said),
        });
    });

    it('are refused with any bit of them turned, and nothing else is thrown', async () => {
      const token = Buffer.from(tokenIn(authority.reply(query())));
      const whole = JSON.stringify(await check(token));
      for (let at = 0; at < token.length; at += lengthOf(61, 1)) {
        const turned = Buffer.from(token);
        turned[at] = (turned[at] as number) ^ (1 << (at % 8));
        const said = await check(turned).catch((error: Error) => error.name);
        // What is not signed says nothing of the time: the certificates around it are not trusted.
        expect(
          said === 'NotStamped' ||
            JSON.stringify(said) === whole ||
            !(said as { isKnown: boolean }).isKnown,
          `${at}: ${JSON.stringify(said)}`,
        ).toBe(true);
      }
    });
  });

  describe.each(ENGINES)('of signatures on %s', (engine) => {
    let database: PlainDatabase | undefined;
    let server: TestServer;
    let person: Record<string, string>;
    beforeAll(async () => {
      database = engine === 'PostgreSQL' ? await makePlainDatabase(SHARED_POSTGRES) : undefined;
      server = await bootServer({
        deps: {
          timeStamps: {
            authority: { url: authority.url, policy: undefined, mayBePrivate: true },
            trusted: authority.ca,
          },
        },
        ...(database && { databaseUrl: database.url }),
      });
    }, 60_000);
    afterAll(async () => {
      await server.close();
      await database?.drop();
    });

    /** Their session ends when the clock goes on for days. */
    async function signIn(): Promise<void> {
      const link = await createSignInLink(server.deps, server.url);
      const answer = await server.call('GET', link.slice(server.url.length), { key: null });
      person = { cookie: answer.headers.get('set-cookie')!.split(';')[0]!, origin: server.url };
    }
    const asPerson = (method: string, to: string, body?: unknown): Promise<TestAnswer> =>
      server.call(method, to, { key: null, headers: person, body });
    async function signed(uid: string): Promise<string> {
      await signIn();
      await makeCase(server, uid);
      await server.call('POST', `/api/v1/cases/${uid}/evidence`, {
        body: {
          profile_uid: TRIO,
          items: [{ item_uid: 'a' }],
          outcomes: [{ item_uid: 'a', rule_uid: rule, raw_outcome: 'FALSE' }],
        },
      });
      const { body } = await server.call('POST', '/api/v1/runs', {
        body: { case_uid: uid, profile_uid: TRIO },
      });
      const { run_uid, content_hash } = body;
      const to = `/api/v1/runs/${run_uid}/signatures`;
      const made = await asPerson('POST', to, { content_hash, meaning: 'review' });
      expect([made.status, made.body.checks?.time], made.text).toEqual([201, 'waiting']);
      return run_uid;
    }
    const timeOf = async (run: string): Promise<TestAnswer['body']> =>
      (await server.call('GET', `/api/v1/runs/${run}/signatures`)).body.data[0];
    /** Waits until the time of a run's signature is this, while the server's clock goes on. */
    const until = (run: string, time: string, problem?: RegExp): Promise<void> =>
      vi.waitFor(async () => {
        const found = await timeOf(run);
        expect(found.checks.time).toBe(time);
        if (problem !== undefined) expect(found.time_problem).toMatch(problem);
      }, 60_000);

    it('are asked for, checked, kept whole, and leave with the run', async () => {
      const run = await signed('stamped');
      await until(run, 'confirmed');
      const { time_stamp } = await timeOf(run);
      expect(time_stamp).toMatchObject({ authority: 'Test, stamper', policy: POLICY });
      const file = await fetch(`${server.url}/api/v1/runs/${run}/bundle`, {
        headers: { authorization: `Bearer ${server.readKey}` },
      });
      const bundle = new Uint8Array(await file.arrayBuffer());
      const parts = await unzipParts(bundle);
      const stamped = parts.get(`${run}/run/signatures/1-review.json.stamped.json`)!;
      const token = parts.get(`${run}/run/signatures/1-review.json.stamped.json.tst`)!;
      expect(Buffer.from(token).toString('base64')).toBe(time_stamp.token);
      expect(authority.accepts(Buffer.from(stamped), Buffer.from(token))).toBe(true);
      for (const [trusted, said] of [
        [authority.ca, 'time:         CONFIRMED'],
        [stranger.ca, 'AN AUTHORITY THAT IS NOT KNOWN'],
      ] as const) {
        const words: string[] = [];
        expect(await verifyBundle(bundle, (text) => void words.push(text), trusted)).toBe(0);
        expect(words.join('\n')).toContain(said);
        expect(words.join('\n')).toContain('signature:    valid, covers the run');
      }
    });

    it('are taken whatever letters and parameters the type of the answer has', async () => {
      authority.next.push({ type: 'Application/Timestamp-Reply; charset=binary' });
      const before = authority.asked.length;
      await until(await signed('typed'), 'confirmed');
      expect(authority.asked).toHaveLength(before + 1);
    });

    it('are asked for again for as long as nobody answers', async () => {
      authority.next.push({ status: 503 }, { status: 502 });
      const run = await signed('offline');
      await until(run, 'waiting', /answer 503/);
      server.advance(5_000);
      await until(run, 'waiting', /answer 502/);
      // It was offline for a week.
      server.advance(7 * 86_400_000);
      await until(run, 'confirmed');
    });

    it('are refused with a reason where the answer is another’s, wrong or late, and given up', async () => {
      const { asked } = authority;
      const [older] = asked;
      const first = (): Buffer => asked[place] as Buffer;
      const place = asked.length;
      const wrong: [RegExp, Authority['next'][number]][] = [
        [/none of those in/, { bytes: (_, query) => stranger.reply(query) }],
        [/answers another request/, { bytes: () => authority.reply(first()) }],
        [/refused: status 2/, { bytes: () => Buffer.from('30053003020102', 'hex') }],
        [/for a time-stamp\.$/, { bytes: () => Buffer.from('3000', 'hex') }],
        [/of another type/, { type: 'text/html' }],
        [/refused: answer 404/, { status: 404 }],
        [/other bytes/, { bytes: (honest) => Buffer.concat([honest, honest]) }],
        [/over another file/, { bytes: () => authority.reply(older as Buffer) }],
      ];
      let run = '';
      const played = lengthOf(wrong.slice(0, 3), wrong);
      for (const [said, how] of played) {
        authority.next.push(how);
        if (run === '') run = await signed('refused');
        else server.advance(3_600_000);
        await until(
          run,
          played.length === 8 && how === wrong.at(-1)?.[1] ? 'given_up' : 'waiting',
          said,
        );
      }
      expect((await timeOf(run)).checks.signature).toBe('valid');
      if (!IS_LONG) return;
      const before = asked.length;
      server.advance(30 * 86_400_000);
      await until(await signed('later'), 'confirmed');
      expect(asked.length).toBe(before + 1);
      await until(run, 'given_up');
    });

    it('Z7 travel with the case, and a studio’s are checked as they are', async () => {
      const run = await signed('travels');
      await until(run, 'confirmed');
      const { time_stamp, signer } = await timeOf(run);
      const other = await signed('wrong-one');
      await until(other, 'confirmed');
      // The token of another signature, said to be over this one.
      const value = { covers: 'a'.repeat(64), token: time_stamp.token };
      const change = wireChange('wrong-one', signer.user_id, [
        { op: 'announce', parents: [], reg: `time_stamp/${other}`, value },
      ]);
      const body = { protocol: 1, changes: [change] };
      const own = await asPerson('POST', '/api/v1/sync/cases/wrong-one/push', body);
      expect([own.status, own.body.details?.[0]?.code]).toEqual([403, 'signs_off']);
      const relayed = await server.call('POST', '/api/v1/sync/cases/wrong-one/push', {
        key: server.syncKey,
        body,
      });
      expect(relayed.body.results).toMatchObject([{ status: 'applied' }]);
      expect((await timeOf(other)).checks.time).toBe('confirmed');
    });
  });
});
