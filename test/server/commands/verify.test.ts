import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, cli, command, type Ended, makeKey, serve } from '../../support/served.ts';

let folder: string;
let run: any;

/** The person of the computer signs the run as reviewer. */
async function sign(url: string, data: string, content_hash: string): Promise<void> {
  const link = JSON.parse(await cli(['sign-in', '--data', data, '--json'])).url;
  const entered = await fetch(link, { redirect: 'manual' });
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
  const signed = await fetch(`${url}/api/v1/runs/r/signatures`, {
    method: 'POST',
    headers: { cookie, origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ content_hash, meaning: 'review' }),
  });
  expect(signed.status).toBe(201);
}
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'evidence-verify-'));
  const data = path.join(folder, 'data');
  const key = await makeKey(data);
  const server = await serve(data);
  const post = async (at: string, body: unknown): Promise<any> =>
    (await call(server.url, key, 'POST', `/api/v1/${at}`, body)).body;
  const { project_id } = await post('projects', { name: 'P' });
  await post('cases', { project_id, case_uid: 'c' });
  const profile = (await call(server.url, key, 'GET', '/api/v1/profiles/general_claim_evidence'))
    .body;
  const evidence = profile.rules.map(({ ruleUid }: { ruleUid: string }, at: number) => ({
    rule_uid: ruleUid,
    raw_outcome: ['TRUE', 'FALSE', 'NA'][at % 3],
  }));
  await post('evidence', {
    case_uid: 'c',
    profile_uid: 'general_claim_evidence',
    items: [{ item_uid: 'a', evidence }, { item_uid: 'b' }],
  });
  await post('runs', { case_uid: 'c', profile_uid: 'general_claim_evidence', run_uid: 'r' });
  run = (await call(server.url, key, 'GET', '/api/v1/runs/r')).body;
  await sign(server.url, data, run.content_hash);
  await server.kill('SIGTERM');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function verify(content: unknown, ...options: string[]): Promise<Ended> {
  const file = path.join(folder, 'run.json');
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return command(['verify', file, ...options]);
}
/** The run after one change. */
function changed(change: (copy: any) => void): unknown {
  const copy = structuredClone(run);
  change(copy);
  return copy;
}

describe('verify', () => {
  it('says both facts of an untouched run, with code 0', async () => {
    const { code, stdout } = await verify(run);
    expect(stdout).toContain(`content hash: matches (stated ${run.content_hash}`);
    expect(stdout).toMatch(/^result: {7}recomputed, equal$/m);
    expect(code).toBe(0);
  });

  it('accepts it with other white space and another order of keys', async () => {
    const turned = JSON.stringify(Object.fromEntries(Object.entries(run).toReversed()), null, 4);
    expect((await verify(turned)).code).toBe(0);
  });

  it('tells a tampered hash from a tampered result', async () => {
    const hash = await verify(
      changed((copy) => (copy.content_hash = `sha256:${'0'.repeat(64)}`)),
      '--json',
    );
    expect(JSON.parse(hash.stdout)).toMatchObject({
      valid_document: true,
      content_hash: { ok: false },
      recomputed: { ok: true },
    });
    expect(hash.code).toBe(1);

    const result = await verify(
      changed((copy) => (copy.result.global.mean_theta += 0.01)),
      '--json',
    );
    expect(JSON.parse(result.stdout)).toMatchObject({
      valid_document: true,
      content_hash: { ok: false },
      recomputed: { ok: false },
    });
    expect(result.code).toBe(1);
    const words = await verify(changed((copy) => (copy.result.global.mean_theta += 0.01)));
    expect(words.stdout).toContain('DOES NOT MATCH');
    expect(words.stdout).toContain('RECOMPUTED, DIFFERENT');
    expect(words.stdout).toContain('mean_theta');
  });

  it('sees one changed cell', async () => {
    const { code } = await verify(
      changed((copy) => {
        const at = copy.frozen.raw[0].findIndex((value: unknown) => value === 'TRUE');
        copy.frozen.raw[0][at] = 'FALSE';
      }),
    );
    expect(code).toBe(1);
  });

  it('takes JSON that is no run for what it is, with code 1', async () => {
    for (const other of ['{}', '[]', 'null', '"x"', '{"run_uid": "r"}']) {
      const { code, stdout, stderr } = await verify(other);
      expect(stdout, other).toContain('not a run record');
      expect(stderr).toBe('');
      expect(code).toBe(1);
    }
  });

  it('cannot check what is not JSON or not there: one sentence, code 2', async () => {
    const text = await verify('%PDF-1.7');
    expect(text.stderr).toMatch(/^evidence-studio: The file \S+ is not JSON\.\n$/);
    expect(text.code).toBe(2);
    const none = await command(['verify', path.join(folder, 'none.json')]);
    expect(none.stderr).toMatch(/^evidence-studio: The file \S+ cannot be read\.\n$/);
    expect(none.code).toBe(2);
  });
});

describe('verify stored', () => {
  const data = (): string => path.join(folder, 'data');

  it('says both facts of a run in the store, with code 0', async () => {
    const { code, stdout } = await command(['verify', 'stored', 'r', '--data', data()]);
    expect(stdout).toContain(`stored bytes: match the content hash (stated ${run.content_hash}`);
    expect(stdout).toMatch(/^result: {7}recomputed, equal$/m);
    expect(stdout).toMatch(
      /^recorded by: {2}stated by the server that froze it; not covered by the content hash$/m,
    );
    expect(stdout).toMatch(/^signature: {4}valid, covers the run; review by .+, key RW/m);
    expect(stdout).toMatch(/^person: {7}NOT KNOWN/m);
    expect(stdout).toMatch(/^time: {9}STATED/m);
    expect(code).toBe(0);
    expect((await command(['verify', 'stored', 'nothing', '--data', data()])).code).toBe(1);
  });

  it('finds a signature that is over something else, with code 1', async () => {
    const file = new DatabaseSync(path.join(data(), 'evidence.sqlite'));
    const other = (from: string, to: string): void =>
      file.exec(
        `UPDATE sign_offs SET value = replace(value, '\\"meaning\\":\\"${from}\\"', '\\"meaning\\":\\"${to}\\"')`,
      );
    other('review', 'approval');
    const { code, stdout } = await command(['verify', 'stored', 'r', '--data', data()]);
    expect(stdout).toMatch(/^signature: {4}NOT VALID, covers the run; approval by/m);
    expect(code).toBe(1);
    other('approval', 'review');
    file.close();
  });

  it('finds that who recorded it can no longer be read, with code 1', async () => {
    const file = new DatabaseSync(path.join(data(), 'evidence.sqlite'));
    const { packed } = file.prepare('SELECT packed FROM run_recorders').get() as {
      packed: Uint8Array;
    };
    file.exec('DROP TRIGGER run_recorders_no_update');
    file.exec(`UPDATE run_recorders SET packed = x'00'`);
    const { code, stdout } = await command(['verify', 'stored', 'r', '--data', data()]);
    expect(stdout).toMatch(/^recorded by: {2}DAMAGED, cannot be read$/m);
    expect(code).toBe(1);
    file.prepare('UPDATE run_recorders SET packed = ?').run(packed);
    file.close();
  });

  it('finds bytes that were changed on disk, with code 1, and computes nothing from them', async () => {
    const file = new DatabaseSync(path.join(data(), 'evidence.sqlite'));
    file.exec('DROP TRIGGER blobs_no_update');
    file.exec(`UPDATE blobs SET packed = x'00'`);
    file.close();
    const { code, stdout } = await command(['verify', 'stored', 'r', '--data', data(), '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      data: [
        {
          integrity: { ok: false, stated: run.content_hash, computed: null },
          reproducibility: null,
        },
      ],
    });
    expect(JSON.parse(stdout).data[0].integrity.damaged.length).toBeGreaterThan(1);
    expect(code).toBe(1);
  });
});
