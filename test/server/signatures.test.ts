import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSignInLink } from '../../src/server/auth/sign-in.ts';
import {
  isSignedBy,
  publicKeyText,
  signFile,
  signingKeyOf,
} from '../../src/server/instance/minisign.ts';
import { nodeHasher } from '../../src/server/instance/hasher.ts';
import { provenRoot, type ItemProof } from '../../src/shared/domain/run-proof.ts';
import { verifyProof } from '../../src/server/commands/verify-proof.ts';
import { SignedItemProof } from '../../src/shared/domain/signed-proof.ts';
import type { CheckedSignature } from '../../src/shared/contract/v1/sign-off.ts';
import { statementOf } from '../../src/shared/domain/sign-off.ts';
import { makeCase, readRawMatrix, TRIO } from '../support/evidence.ts';
import { findProgram } from '../support/find-program.ts';
import { bootServer, type TestAnswer, type TestServer } from '../support/server.ts';
import { wireChange } from '../support/sync-change.ts';

const MINISIGN = findProgram({
  variable: 'EVIDENCE_TEST_MINISIGN',
  places: () => ['/usr/bin/minisign', '/usr/local/bin/minisign'],
  debian: 'minisign',
});
if (MINISIGN === undefined)
  console.error('There is no minisign here: what it says of signatures is not checked.');

const folder = mkdtempSync(path.join(tmpdir(), 'evidence-signatures-'));

/** What Debian's `minisign -V` says of a statement and its signature. */
function minisign(statement: string, minisig: string, key: string): 'accepts' | 'refuses' {
  const file = path.join(folder, 'statement.json');
  writeFileSync(file, statement);
  writeFileSync(`${file}.minisig`, minisig);
  try {
    execFileSync(MINISIGN as string, ['-V', '-m', file, '-P', key], { stdio: 'pipe' });
    return 'accepts';
  } catch {
    return 'refuses';
  }
}

let server: TestServer;
let person: Record<string, string>;
const [rule = ''] = readRawMatrix('m12x5').rules;
beforeAll(async () => {
  server = await bootServer();
  const link = await createSignInLink(server.deps, server.url);
  const answer = await server.call('GET', link.slice(server.url.length), { key: null });
  person = { cookie: answer.headers.get('set-cookie')!.split(';')[0]!, origin: server.url };
});
afterAll(() => server.close());

const asPerson = (method: string, to: string, body?: unknown): Promise<TestAnswer> =>
  server.call(method, to, { key: null, headers: person, body });

async function frozen(uid: string): Promise<{ run_uid: string; content_hash: string }> {
  await makeCase(server, uid);
  await server.call('POST', `/api/v1/cases/${uid}/evidence`, {
    body: {
      profile_uid: TRIO,
      items: ['a', 'b', 'c'].map((item_uid) => ({ item_uid })),
      outcomes: [{ item_uid: 'a', rule_uid: rule, raw_outcome: 'FALSE' }],
    },
  });
  return (await server.call('POST', '/api/v1/runs', { body: { case_uid: uid, profile_uid: TRIO } }))
    .body;
}

describe('signatures in the format of Minisign', () => {
  const key = signingKeyOf(Buffer.alloc(32, 7), 'usr_ada');
  const bytes = Buffer.from('{"a":1}');

  it('are checked by us and by minisign alike, and only as they are', () => {
    const good = signFile(key, bytes, 'meaning:review\tperson:Ada\nB');
    const other = publicKeyText(signingKeyOf(Buffer.alloc(32, 8), 'usr_ada'));
    const own = publicKeyText(key);
    expect(good).toContain('meaning:review person:Ada B');
    const lines = good.split('\n');
    for (const [statement, minisig, by, is] of [
      ['{"a":1}', good, own, true],
      ['{"a":2}', good, own, false],
      ['{"a":1}', good, other, false],
      ['{"a":1}', good.replace('review', 'approval'), own, false],
      ['{"a":1}', [lines[0], lines[3], lines[2], lines[1], ''].join('\n'), own, false],
      ['{"a":1}', lines.slice(0, 2).join('\n'), own, false],
      ['{"a":1}', '', own, false],
    ] as const) {
      expect(isSignedBy(by, Buffer.from(statement), minisig)).toBe(is);
      if (MINISIGN !== undefined)
        expect(minisign(statement, minisig, by)).toBe(is ? 'accepts' : 'refuses');
    }
  });

  it('are of one key for each person and secret', () => {
    const again = publicKeyText(signingKeyOf(Buffer.alloc(32, 7), 'usr_ada'));
    expect(publicKeyText(key)).toBe(again);
    expect(publicKeyText(signingKeyOf(Buffer.alloc(32, 7), 'usr_bob'))).not.toBe(again);
  });
});

describe('a run that is signed', () => {
  it('keeps each signature with its meaning, and says what is found of it', async () => {
    const { run_uid, content_hash } = await frozen('signed');
    const to = `/api/v1/runs/${run_uid}/signatures`;
    const one = await asPerson('POST', to, { content_hash, meaning: 'review' });
    expect([one.status, one.body.meaning, one.body.confirmed_by]).toEqual([
      201,
      'review',
      'computer_account',
    ]);
    await asPerson('POST', to, { content_hash, meaning: 'approval' });
    const { body } = await server.call('GET', to);
    expect(body.data.map((found: { meaning: string }) => found.meaning)).toEqual([
      'review',
      'approval',
    ]);
    for (const { statement, minisig, public_key, checks } of body.data) {
      expect(checks).toEqual({
        signature: 'valid',
        content: 'matches',
        key: 'this_server',
        time: 'stated',
      });
      if (MINISIGN !== undefined) expect(minisign(statement, minisig, public_key)).toBe('accepts');
    }
    const trail = await asPerson('GET', '/api/v1/audit');
    expect(JSON.stringify(trail.body)).toContain('run.signed');
    // The run is as it was: a signature is a record of its own.
    expect((await server.call('GET', `/api/v1/runs/${run_uid}`)).body.content_hash).toBe(
      content_hash,
    );
  });

  it('is signed by people, as it was shown', async () => {
    const { run_uid, content_hash } = await frozen('others');
    const to = `/api/v1/runs/${run_uid}/signatures`;
    const byKey = await server.call('POST', to, { body: { content_hash, meaning: 'review' } });
    expect([byKey.status, byKey.body.error]).toEqual([403, 'insufficient_scope']);
    const otherHash = `sha256:${'0'.repeat(64)}`;
    expect(
      (await asPerson('POST', to, { content_hash: otherHash, meaning: 'review' })).status,
    ).toBe(404);
    expect((await asPerson('POST', to, { content_hash, meaning: 'praise' })).status).toBe(422);
    expect((await server.call('GET', to)).body.data).toEqual([]);
    expect((await server.call('GET', '/api/v1/runs/run_none/signatures')).status).toBe(404);
  });

  it('Z6 takes no signature that its signer pushes, and a studio’s with what is found of it', async () => {
    const { run_uid, content_hash } = await frozen('pushed');
    const to = `/api/v1/runs/${run_uid}/signatures`;
    const { body: made } = await asPerson('POST', to, { content_hash, meaning: 'approval' });
    const user = made.signer.user_id;
    const forged = { statement: made.statement.replace('approval', 'review') };
    const change = wireChange('pushed', { user, kind: 'human', agent: null, key: null }, [
      {
        op: 'announce',
        parents: [],
        reg: `signature/${run_uid}`,
        value: { ...forged, signature: made.minisig, public_key: made.public_key },
      },
    ]);
    const body = { protocol: 1, changes: [change] };
    const own = await asPerson('POST', '/api/v1/sync/cases/pushed/push', body);
    expect([own.status, own.body.details[0].code]).toEqual([403, 'signs_off']);
    const relayed = await server.call('POST', '/api/v1/sync/cases/pushed/push', {
      key: server.syncKey,
      body,
    });
    expect(relayed.body.results).toMatchObject([{ status: 'applied' }]);
    // A key of one's own makes a valid signature under any name: that it is not known is said.
    const key = signingKeyOf(Buffer.alloc(32, 9), user);
    const bytes = Buffer.from(made.statement);
    const signature = signFile(key, bytes, 'x');
    const reg = `signature/${run_uid}`;
    const value = { statement: made.statement, signature, public_key: publicKeyText(key) };
    const brought = { op: 'announce', parents: [], reg, value };
    await server.call('POST', '/api/v1/sync/cases/pushed/push', {
      key: server.syncKey,
      body: { protocol: 1, changes: [wireChange('pushed', user, [brought])] },
    });
    const { data } = (await server.call('GET', to)).body;
    expect(
      data.map(({ checks, sent_by }: CheckedSignature) => [
        checks.signature,
        checks.key,
        sent_by !== null,
      ]),
    ).toEqual([
      ['valid', 'this_server', false],
      ['invalid', 'this_server', true],
      ['valid', 'another', true],
    ]);
    // The same, a page at a time.
    const first = (await server.call('GET', `${to}?limit=2`)).body;
    const rest = (await server.call('GET', `${to}?limit=2&cursor=${first.next_cursor}`)).body;
    expect([...first.data, ...rest.data]).toEqual(data);
    expect(rest.next_cursor).toBeNull();
  });

  it('does not take a run of another case for the one that is signed', async () => {
    const { run_uid, content_hash } = await frozen('one');
    await makeCase(server, 'two');
    const to = `/api/v1/runs/${run_uid}/signatures`;
    const { body: made } = await asPerson('POST', to, { content_hash, meaning: 'review' });
    const user = made.signer.user_id;
    const statement = made.statement.replace('"case_uid":"one"', '"case_uid":"two"');
    const key = signingKeyOf(Buffer.alloc(32, 9), user);
    const signature = signFile(key, Buffer.from(statement), 'x');
    const value = { statement, signature, public_key: publicKeyText(key) };
    const pushed = await server.call('POST', '/api/v1/sync/cases/two/push', {
      key: server.syncKey,
      body: {
        protocol: 1,
        changes: [
          wireChange('two', user, [
            { op: 'announce', parents: [], reg: `signature/${run_uid}`, value },
          ]),
        ],
      },
    });
    expect(pushed.body.results).toMatchObject([{ status: 'applied' }]);
    const { data } = (await server.call('GET', to)).body;
    expect(data.map(({ checks }: CheckedSignature) => checks.content)).toEqual([
      'matches',
      'differs',
    ]);
  });

  it('proves one item without the others', async () => {
    const { run_uid, content_hash } = await frozen('proved');
    await asPerson('POST', `/api/v1/runs/${run_uid}/signatures`, {
      content_hash,
      meaning: 'review',
    });
    const { body } = await server.call('GET', `/api/v1/runs/${run_uid}/proof?item_uid=b`);
    const [signature] = body.signatures;
    expect(provenRoot(body as ItemProof, nodeHasher)).toBe(statementOf(signature)?.items_root);
    expect(JSON.parse(body.leaf).item.item_uid).toBe('b');
    expect(body.leaf).not.toContain('"c"');
    const file = SignedItemProof.parse(body);
    const said: string[] = [];
    const print = (words: string): void => void said.push(words);
    expect(verifyProof(file, print)).toBe(0);
    expect(said[0]).toContain('valid, covers the item; review by');
    expect(said[0]).toContain('NOT KNOWN: names are what the statements say');
    for (const wrong of [
      { ...file, leaf: file.leaf.replace('"b"', '"z"') },
      { ...file, run_uid: 'run_other' as typeof file.run_uid },
      { ...file, signatures: [] },
      {
        ...file,
        signatures: file.signatures.map((one) => ({ ...one, public_key: `RW${'A'.repeat(54)}` })),
      },
    ])
      expect(verifyProof(wrong, print)).toBe(1);
    expect((await server.call('GET', `/api/v1/runs/${run_uid}/proof?item_uid=x`)).status).toBe(404);
  });
});
