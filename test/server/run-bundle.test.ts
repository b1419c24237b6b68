import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSignInLink } from '../../src/server/auth/sign-in.ts';
import { unzipParts, ZipProblem, zipParts } from '../../src/server/bundle/zip-file.ts';
import { verifyBundle } from '../../src/server/commands/verify-bundle.ts';
import { nodeHasher } from '../../src/server/instance/hasher.ts';
import {
  publicKeyFile,
  publicKeyText,
  signFile,
  signingKeyOf,
} from '../../src/server/instance/minisign.ts';
import { readBundle } from '../../src/server/bundle/read-bundle.ts';
import { ELN_TYPE } from '../../src/shared/domain/run-crate.ts';
import { openFile, readOpened } from '../../src/renderer/features/transfer/import/read-file.ts';
import { createPace } from '../../src/renderer/files/pace.ts';
import { makeCase, readRawMatrix, TRIO } from '../support/evidence.ts';
import { findProgram } from '../support/find-program.ts';
import { bootServer, type TestServer } from '../support/server.ts';

const MINISIGN = findProgram({
  variable: 'EVIDENCE_TEST_MINISIGN',
  places: () => ['/usr/bin/minisign', '/usr/local/bin/minisign'],
  debian: 'minisign',
});

let server: TestServer;
let person: Record<string, string>;
let run: { run_uid: string; content_hash: string };
let bundle: Uint8Array<ArrayBuffer>;
/** Of the bundle, by their names in its folder. */
let files: Map<string, string>;
const [rule = ''] = readRawMatrix('m12x5').rules;
const TIME = new Date('2026-11-26T01:00:00Z');

const download = async (key: string, runUid: string): Promise<Response> =>
  fetch(`${server.url}/api/v1/runs/${runUid}/bundle`, {
    headers: { authorization: `Bearer ${key}` },
  });

beforeAll(async () => {
  server = await bootServer();
  const link = await createSignInLink(server.deps, server.url);
  const answer = await server.call('GET', link.slice(server.url.length), { key: null });
  person = { cookie: answer.headers.get('set-cookie')!.split(';')[0]!, origin: server.url };
  await makeCase(server, 'bundled');
  await server.call('POST', '/api/v1/cases/bundled/evidence', {
    body: {
      profile_uid: TRIO,
      items: ['a', 'b'].map((item_uid) => ({ item_uid })),
      outcomes: [{ item_uid: 'a', rule_uid: rule, raw_outcome: 'FALSE', source_value: 'Ä 0/1' }],
    },
  });
  run = (
    await server.call('POST', '/api/v1/runs', { body: { case_uid: 'bundled', profile_uid: TRIO } })
  ).body;
  await server.call('POST', `/api/v1/runs/${run.run_uid}/signatures`, {
    key: null,
    headers: person,
    body: { content_hash: run.content_hash, meaning: 'review' },
  });
  const file = await download(server.readKey, run.run_uid);
  expect([file.status, file.headers.get('content-type')]).toEqual([200, ELN_TYPE]);
  expect(file.headers.get('content-disposition')).toBe(`attachment; filename="${run.run_uid}.eln"`);
  bundle = new Uint8Array(await file.arrayBuffer());
  const zipped = await unzipParts(bundle);
  files = new Map(
    [...zipped].map(([name, text]) => [name.slice(run.run_uid.length + 1), String(text)]),
  );
});
afterAll(() => server.close());

/** What the command says of a bundle. */
async function verified(bytes: Uint8Array): Promise<{ code: number; words: string }> {
  const said: string[] = [];
  const code = await verifyBundle(bytes, (words) => void said.push(words));
  return { code, words: said.join('\n') };
}
const zipOf = (parts: Iterable<readonly [string, string]>, folder = 'x/'): Promise<Uint8Array> =>
  zipParts(
    [...parts].map(([name, text]) => [`${folder}${name}`, text] as const),
    TIME,
  );
/** The bundle with other parts; null takes one away. */
const withParts = (parts: Record<string, string | null>): Promise<Uint8Array> =>
  zipOf(
    [...new Map<string, string | null>([...files, ...Object.entries(parts)])].filter(
      (part): part is [string, string] => part[1] !== null,
    ),
  );

describe('a run as a bundle', () => {
  it('leaves with its run, result, report, signatures and what people and agents did', async () => {
    expect([...files.keys()]).toEqual([
      'ro-crate-metadata.json',
      'ro-crate-metadata.json.minisig',
      'run/run.evidence-run.json',
      'run/result.csv',
      'run/report.html',
      'run/signatures/1-review.json',
      'run/signatures/1-review.json.minisig',
      'run/signatures/1-review.json.pub',
      'ro-crate-metadata.json.pub',
    ]);
    const read = JSON.parse(files.get('run/run.evidence-run.json')!);
    expect([read.run_uid, read.content_hash]).toEqual([run.run_uid, run.content_hash]);
    expect(files.get('run/report.html')).toContain(run.content_hash);
    expect(files.get('run/report.html')).toContain('<td>review</td>');
    const graph: { '@id': string; '@type': string; name: string; agent?: { '@id': string } }[] =
      JSON.parse(files.get('ro-crate-metadata.json')!)['@graph'];
    const agentOf = (action: string) => {
      const found = graph.find(({ '@id': id }) => id === action);
      return graph.find(({ '@id': id }) => id === found?.agent?.['@id']);
    };
    expect(agentOf('#recording-1')).toMatchObject({ '@type': 'SoftwareApplication', name: 'test' });
    expect(agentOf('#signing-1')).toMatchObject({ '@type': 'Person' });
    const trail = await server.call('GET', '/api/v1/audit', { key: null, headers: person });
    expect(JSON.stringify(trail.body)).toContain('run.exported');
  });

  it('is verified without the server, each thing apart', async () => {
    const { code, words } = await verified(bundle);
    expect(code, words).toBe(0);
    for (const line of [
      'parts:        all as they are listed',
      'bundle:       signature valid',
      'content hash: matches',
      'result:       recomputed, equal',
      'signature:    valid, covers the run; review by',
      'time:         STATED',
    ])
      expect(words).toContain(line);
  });

  it.skipIf(MINISIGN === undefined)('is accepted by minisign as it is unpacked', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'evidence-bundle-'));
    mkdirSync(path.join(folder, 'run/signatures'), { recursive: true });
    for (const [name, text] of files) writeFileSync(path.join(folder, name), text);
    for (const name of ['ro-crate-metadata.json', 'run/signatures/1-review.json']) {
      const file = path.join(folder, name);
      execFileSync(MINISIGN as string, ['-V', '-m', file, '-p', `${file}.pub`], { stdio: 'pipe' });
    }
  });

  it('is not handed out of a run that is not there', async () => {
    expect((await download(server.readKey, 'run_none')).status).toBe(404);
  });
});

describe('a bundle that is not as it was made', () => {
  it('is told by what differs', async () => {
    const metadata = files.get('ro-crate-metadata.json')!;
    const text = files.get('run/run.evidence-run.json')!;
    const other = text.replace('Ä 0/1', 'Ä 1/1');
    const rehashed = metadata.replace(nodeHasher.sha256Hex(text), nodeHasher.sha256Hex(other));
    expect(rehashed).not.toBe(metadata);
    const statement = files.get('run/signatures/1-review.json')!;
    const key = signingKeyOf(Buffer.alloc(32, 1), 'usr_x');
    const forged = statement.replace('"review"', '"approval"');
    const named = (name: string, hash: string): string =>
      metadata.replace(new RegExp(`("@id": "${name}",[^}]*"sha256": ")[0-9a-f]{64}`), `$1${hash}`);
    for (const [parts, said] of [
      [{ 'run/result.csv': 'a,b' }, 'run/result.csv: It is not what was listed.'],
      [{ 'run/result.csv': null }, 'run/result.csv: It is listed, and not there.'],
      [{ 'run/more.txt': 'x' }, 'run/more.txt: It is there, and not listed.'],
      [{ 'run/run.evidence-run.json': other }, 'run/run.evidence-run.json: It is not'],
      [{ 'ro-crate-metadata.json.minisig': null }, 'bundle:       NOT SIGNED'],
      [
        { 'run/run.evidence-run.json': other, 'ro-crate-metadata.json': rehashed },
        'bundle:       signature NOT VALID',
      ],
      [
        {
          'run/run.evidence-run.json': other,
          'ro-crate-metadata.json': rehashed,
          'ro-crate-metadata.json.minisig': signFile(key, Buffer.from(rehashed), 'x'),
          'ro-crate-metadata.json.pub': publicKeyFile(publicKeyText(key)),
        },
        'content hash: DOES NOT MATCH',
      ],
      [
        {
          'run/signatures/1-review.json': forged,
          'ro-crate-metadata.json': named(
            'run/signatures/1-review.json',
            nodeHasher.sha256Hex(forged),
          ),
        },
        'signature:    NOT VALID',
      ],
      [{ 'run/run.evidence-run.json': '[]' }, 'This file is not a run record'],
    ] as const) {
      const { code, words } = await verified(await withParts(parts));
      expect(words).toContain(said);
      expect(code).toBe(1);
    }
  });

  it('is refused where it is a crate of something else, or none', async () => {
    const crate = JSON.stringify({
      '@context': 'https://w3id.org/ro/crate/1.1/context',
      '@graph': [{ '@id': 'ro-crate-metadata.json', '@type': 'CreativeWork' }],
    });
    for (const [parts, code] of [
      [{ 'x/ro-crate-metadata.json': crate }, 'foreign'],
      [{ 'x/ro-crate-metadata.json': '{' }, 'no_metadata'],
      [{ 'x/ro-crate-metadata.json': '{"@graph":[]}' }, 'no_metadata'],
      [{ 'x/a': '' }, 'no_metadata'],
      [{ 'x/a': '', 'y/a': '' }, 'no_single_folder'],
      [{ a: '' }, 'no_single_folder'],
      [{}, 'no_single_folder'],
    ] as const)
      expect(readBundle(new Map(Object.entries(parts))).problems).toMatchObject([{ code }]);
  });
});

describe('a hostile ZIP file', () => {
  const LIMITS = { file: 1_000_000, unpacked: 100_000, parts: 10 };
  const problemOf = (file: Uint8Array): Promise<unknown> =>
    unzipParts(file, LIMITS).catch((error: unknown) => error);

  it('unpacks to no more than a bundle may hold, whatever it says of itself', async () => {
    const bomb = Buffer.from(
      await zipOf([
        ['a', 'x'.repeat(99_000)],
        ['b', 'x'.repeat(99_000)],
      ]),
    );
    expect(bomb.length).toBeLessThan(2_000);
    expect(await problemOf(bomb)).toBeInstanceOf(ZipProblem);
    // Both of its lists say that each unpacks to one byte.
    const size = Buffer.alloc(4);
    size.writeUInt32LE(99_000);
    const one = Buffer.from([1, 0, 0, 0]);
    for (let at = bomb.indexOf(size); at >= 0; at = bomb.indexOf(size)) one.copy(bomb, at);
    expect(await problemOf(bomb)).toBeInstanceOf(ZipProblem);
  });

  it('is refused where it is damaged, protected, ambiguous, or no texts', async () => {
    const good = Buffer.from(
      await zipOf([
        ['a', 'one'],
        ['b', 'two'],
      ]),
    );
    expect(await problemOf(good)).toEqual(
      new Map([
        ['x/a', 'one'],
        ['x/b', 'two'],
      ]),
    );
    const changed = (bytes: Buffer, change: (copy: Buffer) => void): Buffer => {
      const copy = Buffer.from(bytes);
      change(copy);
      return copy;
    };
    const twice = Buffer.from(
      await zipOf([
        ['a', 'one'],
        ['c', 'two'],
      ]),
    );
    for (let at = twice.indexOf('x/c'); at >= 0; at = twice.indexOf('x/c')) twice.write('x/a', at);
    const central = good.indexOf('PK\u0001\u0002', 0, 'latin1');
    for (const [what, file] of [
      ['cut short', good.subarray(0, good.length - 30)],
      ['nothing', Buffer.alloc(0)],
      ['no ZIP file', Buffer.from('PK and no more')],
      ['two of one name', twice],
      [
        'protected',
        changed(
          good,
          (copy) => void copy.writeUInt16LE(copy.readUInt16LE(central + 8) | 1, central + 8),
        ),
      ],
      [
        'other names in its two lists',
        changed(good, (copy) => void copy.write('x/q', good.indexOf('x/a'))),
      ],
      ['text before it', Buffer.concat([Buffer.from('MZ'), good])],
      ['too large', Buffer.alloc(LIMITS.file + 1)],
      [
        'too many parts',
        Buffer.from(await zipOf(Array.from({ length: 11 }, (_, n) => [`p${n}`, ''] as const))),
      ],
    ] as const)
      expect(await problemOf(file), what).toBeInstanceOf(ZipProblem);
  });
});

describe('the import of a bundle in the window', () => {
  const pace = createPace();
  const asking = {} as Parameters<typeof readOpened>[1];
  const fileOf = (bytes: Uint8Array): File => new File([new Uint8Array(bytes)], 'run.eln');
  const read = async (bytes: Uint8Array) => {
    const opened = await openFile(fileOf(bytes), pace);
    return { kind: opened.kind, ...(await readOpened(opened, asking, pace)).table };
  };

  it('reads the run in it', async () => {
    const json = new File([files.get('run/run.evidence-run.json')!], 'run.json');
    const opened = await openFile(json, pace);
    const { table } = await readOpened(opened, asking, pace);
    expect(await read(bundle)).toEqual({ kind: 'json', ...table });
  });

  it('refuses what is not the run that is listed, and other crates', async () => {
    const text = files.get('run/run.evidence-run.json')!;
    for (const [parts, said] of [
      [{ 'run/run.evidence-run.json': text.replace('Ä 0/1', 'x') }, /not what the bundle lists/],
      [{ 'run/run.evidence-run.json': null }, /not what the bundle lists/],
      [{ 'ro-crate-metadata.json': '{}' }, /no bundle of a run/],
    ] as const)
      await expect(read(await withParts(parts))).rejects.toThrow(said);
  });
});
