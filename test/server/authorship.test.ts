import { randomBytes, randomInt } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeHasher } from '../../src/server/instance/hasher.ts';
import { API } from '../../src/shared/contract/api.ts';
import { verifyRun } from '../../src/shared/domain/run.ts';
import { type Author, type Change, type Entry, seal } from '../../src/sync/change.ts';
import { TRIO } from '../support/evidence.ts';
import { ENGINES, IS_LONG, lengthOf, seedOf } from '../support/length.ts';
import { type Way, waysInto } from './authorship/credentials.ts';
import { ROWS } from './isolation/rows.ts';
import { ABSENT, CELL, createWorld, type World } from './isolation/world.ts';
import type { LogChange } from '../../src/server/storage/log/log-read.ts';
import { asCase, asKey, asStream, asUser } from '../support/ids.ts';
import { SHARED_POSTGRES } from '../support/plain-database.ts';

/** `EVIDENCE_TEST_MINUTES=60` plays that long, with fresh seeds. */
const MINUTES = Number(process.env['EVIDENCE_TEST_MINUTES'] ?? '0');
const RUNS = lengthOf(4, 50);
const FIVE_MINUTES = 300_000;
const NEVER = 'usr_nobodyofthisname0000000000000';

/** One entry of every register that there is, and of ones that there are not. */
const ENTRIES: readonly Entry[] = [
  ...['TRUE', 'FALSE', 'NA'].map((raw_outcome): Entry => ({
    op: 'set',
    parents: [],
    reg: `a/${TRIO}@1.1/${CELL.rule}/i1`,
    value: { raw_outcome },
  })),
  { op: 'set', parents: [], reg: `n/${TRIO}@1.1/${CELL.rule}/i1`, value: 'a note' },
  { op: 'set', parents: [], reg: 'item/item_type/i1', value: 'item' },
  { op: 'set', parents: [], reg: 'item/label/i1', value: 'Label' },
  { op: 'set', parents: [], reg: 'item/metadata/i1', value: {} },
  { op: 'set', parents: [], reg: 'item/position/i1', value: 3 },
  { op: 'set', parents: [], reg: 'case/title', value: 'Title' },
  { op: 'set', parents: [], reg: 'case/description', value: 'd' },
  { op: 'set', parents: [], reg: 'case/case_type', value: 'general' },
  { op: 'set', parents: [], reg: 'case/metadata', value: {} },
  {
    op: 'set',
    parents: [],
    reg: 'case/profile',
    value: { profile_uid: TRIO, profile_version: '1.1' },
  },
  { op: 'set', parents: [], reg: 'case/project_id', value: 'prj_00000000000000000000000fzz' },
  {
    op: 'announce',
    parents: [],
    reg: 'run/run_forged',
    value: { content_hash: `sha256:${'0'.repeat(64)}` },
  },
  { op: 'set', parents: [], reg: 'project/name', value: 'Name' },
  { op: 'set', parents: [], reg: 'project/description', value: 'd' },
  { op: 'set', parents: [], reg: 'project/domain', value: 'general' },
  { op: 'announce', parents: [], reg: `profile/${TRIO}@1.1`, value: { digest: 'd', document: {} } },
  { op: 'resolve', parents: [`c1_${'A'.repeat(43)}#0`], reg: 'case/title', value: 'Settled' },
  { op: 'set', parents: [], reg: 'future/thing', value: 1 },
  { op: 'set', parents: [], reg: 's/source/x', value: null },
  // `@own` stands for the change's author as a source.
  ...['@own', NEVER].map((source): Entry => ({
    op: 'set',
    parents: [],
    reg: `s/${source}/${TRIO}@1.1/${CELL.rule}/i1`,
    value: { raw_outcome: 'TRUE', basis: null },
  })),
];
/** What people alone decide. */
const DECISIONS: readonly Entry[] = [
  {
    op: 'set',
    parents: [],
    reg: `d/@own/${TRIO}@1.1/${CELL.rule}/i1`,
    value: { entry: `c1_${'A'.repeat(43)}#0`, verdict: 'refused', reason: 'r' },
  },
  {
    op: 'set',
    parents: [],
    reg: `d/${NEVER}/${TRIO}@1.1/${CELL.rule}/i1`,
    value: { entry: `c1_${'A'.repeat(43)}#0`, verdict: 'accepted' },
  },
  { op: 'set', parents: [], reg: 'policy/requires_source', value: false },
];
const REMOVALS: readonly Entry[] = [
  ...['item/x/i1', 'case/x', 'project/x'].flatMap((reg): Entry[] =>
    [true, false].map((deleted) => ({ op: 'set', parents: [], reg, value: { deleted } })),
  ),
  // Kept in quarantine by this version, and applied by one that may read it.
  { op: 'set', parents: [], reg: 'item/x/i2', value: { deleted: true, until: 'next year' } },
  { op: 'remove', parents: [], reg: 'case/x', value: null },
];
/** One of each kind of credential. */
const ALONE = [
  'session of the member',
  'session of the viewer',
  'window',
  'key read+write of the member',
  'key suggest of the member',
  'key write+delete of the member',
  'key sync of the member',
  'revoked key sync of the member',
];
const STREAMS = ['forging-1', 'forging-2', '@profiles', '@project/prj_00000000000000000000000fzz'];

interface Draft {
  author: 'own' | number;
  entries: readonly Entry[];
  removes: boolean;
  decides: boolean;
  late: number;
}
interface Batch {
  way: number;
  stream: string;
  drafts: readonly Draft[];
}

const draft: fc.Arbitrary<Draft> = fc
  .record({
    author: fc.oneof(
      { weight: 3, arbitrary: fc.constant('own' as const) },
      { weight: 1, arbitrary: fc.nat(1_000) },
    ),
    entries: fc.array(fc.constantFrom(...ENTRIES), { minLength: 1, maxLength: 4 }),
    removal: fc.option(fc.constantFrom(...REMOVALS), { freq: 5 }),
    decision: fc.option(fc.constantFrom(...DECISIONS), { freq: 5 }),
    late: fc.constantFrom(0, 0, 4 * 60_000, 7 * 60_000, -6 * 60_000, 6 * 365 * 86_400_000),
  })
  .map(({ removal, decision, entries, ...rest }) => ({
    ...rest,
    entries: [...entries, ...[removal, decision].filter((entry) => entry !== null)],
    removes: removal !== null,
    decides: decision !== null,
  }));
const batch: fc.Arbitrary<Batch> = fc.record({
  way: fc.nat(10_000),
  stream: fc.constantFrom(...STREAMS),
  drafts: fc.array(draft, { minLength: 1, maxLength: 4 }),
});

describe.each(ENGINES)('Y1 Y3 Y15 L7 the credentials decide the author on %s', (engine) => {
  let world: World;
  let ways: Way[];
  let authors: Author[];
  let tick = 0;
  /**
   * Every way in, with new credentials: a long run goes through more days than a session lasts.
   */
  async function comeIn(): Promise<void> {
    ways = await waysInto(world);
    const [first] = ways.flatMap(({ own }) => own);
    authors = [
      ...ways.flatMap(({ own }) => own),
      { user: asUser(NEVER), kind: 'human', agent: null, key: null },
      { user: asUser(NEVER), kind: 'human', agent: null, key: null, name: 'Professor' },
      { ...first!, name: 'Professor' },
      { ...first!, agent: 'Robot' },
      { ...first!, kind: 'agent' },
      { ...first!, key: asKey('NobodyHas0') },
      { user: world.other.user_id, kind: 'human', agent: null, key: null },
    ];
  }
  beforeAll(async () => {
    world = await createWorld(engine === 'PostgreSQL' ? SHARED_POSTGRES : undefined);
    await comeIn();
  }, 60_000);
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
  });

  const sameAuthor = (a: Author, b: Author): boolean =>
    a.user === b.user &&
    a.kind === b.kind &&
    a.agent === b.agent &&
    a.key === b.key &&
    a.name === b.name;
  const lengths = async (): Promise<Map<string, number>> => {
    const { account_id } = world.owner;
    return new Map(
      (
        await world.server.deps.store.read((reader) => reader.log.lengths(account_id), account_id)
      ).map(({ name, seq }) => [name, seq]),
    );
  };
  /** What has come into any log since. */
  async function since(
    before: ReadonlyMap<string, number>,
  ): Promise<(LogChange & { stream: string; made: Change })[]> {
    const { account_id } = world.owner;
    const found: (LogChange & { stream: string; made: Change })[] = [];
    for (const [stream, seq] of await lengths()) {
      const from = before.get(stream) ?? 0;
      if (seq === from) continue;
      const { changes } = await world.server.deps.store.read(
        (reader) => reader.log.changes(account_id, asStream(stream), from, 2_000, undefined),
        account_id,
      );
      found.push(
        ...changes.map((change) => ({
          ...change,
          stream,
          made: JSON.parse(change.change) as Change,
        })),
      );
    }
    return found;
  }
  /** Everything that a way has put into the logs is its own, or names it as the sender. */
  function expectAuthors(way: Way, stored: readonly (LogChange & { made: Change })[]): void {
    for (const { made, sent_by } of stored) {
      const isOwn = way.own.some(
        (author) =>
          author.user === made.by.user &&
          author.kind === made.by.kind &&
          author.agent === made.by.agent &&
          author.key === made.by.key,
      );
      if (!way.relays) expect([way.name, made.by, isOwn]).toEqual([way.name, made.by, true]);
      if (sent_by !== undefined || !isOwn)
        expect([way.name, sent_by]).toMatchObject([way.name, way.who]);
    }
  }

  /**
   * Y1, Y3, YT3: a source speaks for itself, people alone decide, a key that suggests also
   * discusses.
   */
  function expectSources(
    way: Way,
    stored: readonly (LogChange & { made: Change })[],
    suggests = false,
  ): void {
    for (const { made, quarantined } of stored)
      for (const [index, { reg }] of made.entries.entries()) {
        const { kind, agent, key, user } = made.by;
        const isPerson = kind === 'human' && agent === null && key === null;
        if (suggests)
          expect([way.name, reg]).toEqual([way.name, expect.stringMatching(/^(s|thread)\//)]);
        if (quarantined.includes(index)) continue;
        if (/^(d|policy)\//.test(reg))
          expect([way.name, reg, isPerson]).toEqual([way.name, reg, true]);
        if (reg.startsWith('s/'))
          expect([way.name, reg.split('/')[1]]).toEqual([way.name, key ?? user]);
      }
  }

  async function play({ way: at, stream, drafts }: Batch): Promise<void> {
    const way = ways[at % ways.length]!;
    const { store, clock } = world.server.deps;
    const made = drafts.map((one) => {
      tick += 1;
      const by =
        one.author === 'own'
          ? way.own[tick % way.own.length]!
          : authors[one.author % authors.length]!;
      const now = clock.now() + 60_000;
      const change: Change = {
        v: 1,
        case: asStream(stream),
        hlc: `${(now + tick).toString(16).padStart(12, '0')}-0000`,
        wall: new Date(now - one.late).toISOString(),
        by,
        at: { replica: 'r_forge', app: '0', schema: 1 },
        txn: `t_${tick}`,
        why: 'r',
        nonce: randomBytes(16).toString('hex'),
        entries: one.entries.map((entry) => ({
          ...entry,
          reg: entry.reg.replace('@own', by.key ?? by.user),
        })),
      };
      const { id, text } = seal(change, nodeHasher);
      return {
        ...one,
        by,
        isOwn: way.own.some((author) => sameAuthor(author, by)),
        wire: { id, change: text },
      };
    });
    const before = await lengths();
    const { status, body } = await way.call(
      'POST',
      `/api/v1/sync/cases/${encodeURIComponent(stream)}/push`,
      { protocol: 1, changes: made.map(({ wire }) => wire) },
    );
    const said = `${way.name}: ${status} ${JSON.stringify(body)} ${JSON.stringify(made.map(({ by, removes }) => [by, removes]))}`;
    const stored = await since(before);
    const isAllowed =
      way.maySend &&
      made.every(
        ({ isOwn, removes, decides }) =>
          (isOwn || way.relays) && (!removes || way.removes) && (!decides || way.decides),
      );
    if (!isAllowed) {
      expect(status, said).toBeGreaterThanOrEqual(401);
      expect(status, said).toBeLessThanOrEqual(403);
      if (way.maySend)
        expect(['author_not_allowed', 'insufficient_scope'], said).toContain(body.error);
      expect(stored, said).toEqual([]);
      return;
    }
    expect(status, said).toBe(200);
    expect(stored.map(({ id }) => id).sort(), said).toEqual(made.map(({ wire }) => wire.id).sort());
    expectAuthors(way, stored);
    expectSources(way, stored);
    for (const { sent_by } of stored) expect(sent_by, said).toMatchObject(way.who);
    if (stream.startsWith('@')) return;
    const { account_id } = world.owner;
    const { steps } = await store.read(
      (reader) =>
        reader.auditTrail.caseSteps(
          account_id,
          asCase(stream),
          before.get(stream) ?? 0,
          Number.MAX_SAFE_INTEGER,
        ),
      account_id,
    );
    for (const { change, user, received_at, sent_by, relayed, clock_differs } of steps) {
      const one = made.find(({ wire }) => wire.id === change)!;
      expect([user, sent_by, Date.parse(received_at) > 0], said).toMatchObject([
        one.by.user,
        way.who,
        true,
      ]);
      if (!one.isOwn && (one.by.user !== way.who.user_id || one.by.kind === 'agent'))
        expect(relayed, said).toBe(true);
      expect(clock_differs, `${said} ${one.late}`).toBe(Math.abs(one.late) >= FIVE_MINUTES);
    }
  }

  it(
    'of every pushed change, in any mixture',
    { timeout: 300_000 + MINUTES * 60_000 },
    async () => {
      const until = Date.now() + MINUTES * 60_000;
      let seed = seedOf();
      do {
        await fc.assert(
          fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 3 }), async (batches) => {
            for (const one of batches) await play(one);
          }),
          { numRuns: RUNS, seed },
        );
        seed = randomInt(2 ** 31);
        if (MINUTES > 0) await comeIn();
      } while (Date.now() < until);
    },
  );

  it(
    'of every pushed change, each kind of way with each author and each register by itself',
    { timeout: 300_000 },
    async () => {
      for (const name of ALONE) {
        const way = ways.findIndex((one) => one.name === name);
        const stream = STREAMS[way % 2]!;
        for (const [author, { user, key }] of authors.entries()) {
          // Of the other keys of a person one is like another.
          if (key !== null && author % 2 === 1 && user !== ways[way]!.who.user_id) continue;
          await play({
            way,
            stream,
            drafts: [
              {
                author,
                entries: [ENTRIES[author % ENTRIES.length]!],
                removes: false,
                decides: false,
                late: 0,
              },
            ],
          });
        }
        await play({
          way,
          stream,
          drafts: ENTRIES.map((entry) => ({
            author: 'own',
            entries: [entry],
            removes: false,
            decides: false,
            late: 0,
          })),
        });
        for (const entry of REMOVALS)
          await play({
            way,
            stream,
            drafts: [{ author: 'own', entries: [entry], removes: true, decides: false, late: 0 }],
          });
        for (const entry of DECISIONS)
          await play({
            way,
            stream,
            drafts: [{ author: 'own', entries: [entry], removes: false, decides: true, late: 0 }],
          });
      }
    },
  );

  it('of whatever any operation writes', { timeout: 300_000 }, async () => {
    // These end the very sessions that ask.
    const skipped = new Set([
      'DELETE /api/v1/sessions',
      'PUT /api/v1/session',
      'POST /api/v1/sample',
    ]);
    for (const way of ways.filter(({ name }) => ALONE.includes(name))) {
      for (const { method, path } of API) {
        const route = `${method} ${path}`;
        const row = ROWS[route];
        if (row === undefined || skipped.has(route)) continue;
        // What reads writes for nobody: one way shows it, the long form each.
        if (method === 'GET' && way.name !== ALONE[0] && !IS_LONG) continue;
        const names = { ...world.objects, ...(await row.fresh?.(world)) };
        const before = await lengths();
        await way.call(
          method,
          typeof row.path === 'string' ? row.path : row.path(names),
          row.body?.(names, world),
        );
        const stored = (await since(before)).filter(({ stream }) => stream !== ABSENT.pushed);
        expectAuthors(way, stored);
        expectSources(way, stored, way.name === 'key suggest of the member');
      }
    }
  });

  it('of runs that are brought: who froze them is the caller, or the sender is named', async () => {
    for (const way of ways) {
      for (const created_by of [
        'Professor',
        'test',
        ...new Set(
          way.own.map(({ agent, name }) => agent ?? name ?? '').filter((name) => name !== ''),
        ),
      ]) {
        const run_uid = `run_${randomBytes(8).toString('hex')}`;
        const ticket = { ...(world.ticket as object), run_uid, created_by };
        const { status, body } = await way.call(
          'PUT',
          `/api/v1/sync/runs/${encodeURIComponent(world.objects.hash)}`,
          { manifest: world.manifest, run: ticket },
        );
        const isOwn = way.own.some(
          ({ agent, name, kind }) => (kind === 'agent' ? agent : name) === created_by,
        );
        expect([way.name, created_by, status], JSON.stringify(body)).toEqual([
          way.name,
          created_by,
          !way.maySend
            ? expect.toSatisfy((code: number) => code === 401 || code === 403)
            : isOwn || way.relays
              ? 201
              : 403,
        ]);
        if (status !== 201) continue;
        const { account_id } = world.owner;
        const { data } = await world.server.deps.store.read(
          (reader) =>
            reader.runs.list(
              account_id,
              { case_uid: undefined, project_id: undefined, profile_uid: undefined },
              { limit: 1, cursor: undefined },
            ),
          account_id,
        );
        expect(data).toMatchObject([
          { run_uid, created_by, sent_by: way.who, received_at: expect.any(String) },
        ]);
        const [{ sent_by, received_at } = {}] = data;
        for (const [reader, shown] of [
          ['session of the member', sent_by],
          ['session of the viewer', { ...sent_by, key_id: null }],
        ] as const) {
          const asked = ways.find(({ name }) => name === reader)!;
          const record = (
            await asked.call(
              'GET',
              `/api/v1/runs/${run_uid}?content_hash=${encodeURIComponent(world.objects.hash)}`,
            )
          ).body;
          expect([reader, record.sent_by, record.received_at]).toEqual([
            reader,
            shown,
            received_at,
          ]);
          expect(verifyRun(record, nodeHasher)).toMatchObject({
            valid_document: true,
            content_hash: { ok: true },
          });
          expect((await asked.call('GET', '/api/v1/runs?limit=1')).body.data[0].sent_by).toEqual(
            shown,
          );
        }
      }
    }
  });
});
