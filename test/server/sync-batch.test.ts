import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BATCH_LIMITS, type BatchPart } from '../../src/shared/contract/sync-batch.ts';
import type { Entry } from '../../src/sync/change.ts';
import { SHARED_POSTGRES } from '../support/plain-database.ts';
import { ENGINES, lengthOf, seedOf } from '../support/length.ts';
import { bootServer, type TestServer } from '../support/server.ts';
import { unseenOutcome, wireChange } from '../support/sync-change.ts';
import { withParts } from '../support/with-parts.ts';
import { CELL, type Credentials, createWorld, type Person, type World } from './isolation/world.ts';

const BATCH = '/api/v1/sync/batch';
const FAR = 'f'.repeat(64);
const set = (reg: string, value: unknown): Entry => ({ op: 'set', parents: [], reg, value });

/** The request that a part stands for. */
function alone({ operation, stream, witness, query, body }: BatchPart) {
  const search = query === undefined ? '' : `?${new URLSearchParams(query as never).toString()}`;
  return {
    method: operation === 'changes' ? 'GET' : 'POST',
    path: `/api/v1/sync/cases/${encodeURIComponent(stream)}/${operation}${search}`,
    headers: witness === undefined ? undefined : { 'sync-witness': witness },
    body,
  };
}

const shown = (status: number, body: unknown): string =>
  `${status} ${JSON.stringify(body).replace(/"request_id":"[^"]*"/g, '')}`;

describe.each(ENGINES)('a batch on %s', (engine) => {
  let world: World;
  let callers: Record<string, { who: Credentials; person: Person; agent?: string }>;
  beforeAll(async () => {
    world = await createWorld(engine === 'PostgreSQL' ? SHARED_POSTGRES : undefined);
    const { owner, member, viewer, other } = world;
    const session = async (person: Person) => ({
      who: { headers: (await world.session(person)).headers },
      person,
    });
    const key = async (
      person: Person,
      scopes: readonly ('read' | 'write' | 'delete' | 'sync')[],
    ) => {
      const made = await world.key(person, { scopes: [...scopes], name: scopes.join(' ') });
      return { who: { key: made.key }, person, agent: made.key_id };
    };
    const limited = (
      await world.call('POST', '/api/v1/keys', await world.session(owner), {
        name: 'limited',
        scopes: ['read', 'write'],
        projects: [world.objects.project],
      })
    ).body;
    callers = {
      studio: await key(owner, ['sync']),
      program: await key(member, ['read', 'write']),
      reader: await key(member, ['read']),
      limited: { who: { key: limited.key }, person: owner, agent: limited.key_id },
      owner: await session(owner),
      viewer: await session(viewer),
      'viewer’s studio': await key(viewer, ['sync']),
      stranger: await key(other, ['sync']),
      revoked: { who: world.out.revoked, person: owner },
      removed: { who: world.out.removedSession, person: owner },
    };
  }, 60_000);
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
  });

  /** What is right, wrong, damaged, unknown and out of reach, of every operation. */
  function parts({ person, agent }: { person: Person; agent?: string }): BatchPart[] {
    const by =
      agent === undefined
        ? person.user_id
        : ({ user: person.user_id, kind: 'agent', agent: 'limited', key: agent } as never);
    const cell = (item: string): Entry => unseenOutcome({ ...CELL, item }, 'NA');
    const push = (stream: string, changes: unknown[], more: object = {}): BatchPart => ({
      operation: 'push',
      stream,
      body: { protocol: 1, changes, ...more },
    });
    const here = world.objects.case;
    const good = wireChange(here, by, [cell('seen')]);
    const names = [
      here,
      'nowhere',
      '@profiles',
      `@project/${world.objects.project}`,
      '@odd',
      'ä b',
    ];
    return [
      push(here, [good]),
      push('made-by-batch', [wireChange('made-by-batch', by, [set('case/title', 'Made')])]),
      push(here, [wireChange(here, 'usr_somebody', [cell('others')])]),
      push(here, [wireChange('another', by, [cell('astray')])]),
      push(here, [{ ...good, change: good.change.replace('NA', 'TRUE') }]),
      push(here, [wireChange(here, by, [set('case/x', { deleted: true })])], { protocol: 2 }),
      push(here, []),
      push(here, [good], { more: 1 }),
      { ...push(here, [good]), witness: `elsewhere;1;${FAR}` },
      { ...push(here, [good]), witness: 'nonsense' },
      ...names.flatMap((stream): BatchPart[] => [
        { operation: 'changes', stream, query: { after: '0' } },
        { operation: 'missing', stream, body: { ids: [good.id, 'no id'] } },
        { operation: 'ancestor', stream, body: { points: [{ seq: 1, chain: FAR }] } },
      ]),
      { operation: 'changes', stream: here, query: { after: '1', limit: '1' } },
      { operation: 'changes', stream: here, query: { after: '999' } },
      { operation: 'changes', stream: here, query: { after: 'x' } },
      { operation: 'changes', stream: here, query: { after: '0', odd: '1' } },
      { operation: 'changes', stream: here },
      { operation: 'changes', stream: here, query: { after: '0' }, witness: `x;9;${FAR}` },
      { operation: 'missing', stream: here, body: { ids: 'no list' } },
      { operation: 'ancestor', stream: here, body: { points: [{ seq: -1, chain: FAR }] } },
    ];
  }

  it('answers each part as its request alone is answered, whoever asks', async () => {
    for (const [name, caller] of Object.entries(callers)) {
      // Credentials that do not hold are counted: a few of them are enough.
      const isUseless = ['revoked', 'removed'].includes(name);
      const asked = isUseless ? parts(caller).slice(0, 4) : parts(caller);
      world.server.advance(60_000);
      const ask = async (part: BatchPart): Promise<string> => {
        const { method, path, headers, body } = alone(part);
        const who = { ...caller.who, headers: { ...caller.who.headers, ...headers } };
        const answer = await world.call(method, path, who, body);
        return shown(answer.status, answer.body);
      };
      // What is new is stored by the first round, so that both of the others find the same.
      for (const part of asked) if (part.operation === 'push') await ask(part);
      const single: string[] = [];
      for (const part of asked) single.push(await ask(part));
      const { status, body } = await world.call('POST', BATCH, caller.who, { parts: asked });
      if (status !== 200) {
        expect(single, name).toEqual(
          asked.map(() => expect.stringContaining(`${status} {"error":"${body.error}"`)),
        );
        continue;
      }
      expect(
        (body.parts as { status: number; body: unknown }[]).map((part) =>
          shown(part.status, part.body),
        ),
        name,
      ).toEqual(single);
    }
  });

  it('is for whoever may read, even where it only sends', async () => {
    const { key } = await world.key(world.member, { scopes: ['write'] });
    const { status, body } = await world.call(
      'POST',
      BATCH,
      { key },
      { parts: parts(callers['program']!) },
    );
    expect([status, body.error]).toEqual([403, 'insufficient_scope']);
  });

  it('stores what is right, and nothing else, whatever stands beside it', async () => {
    const { studio } = callers;
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(5), fc.constantFrom('good', 'damaged', 'astray', 'diverged')), {
          minLength: 2,
          maxLength: 12,
        }),
        async (kinds) => {
          round += 1;
          const stored = new Map<string, string[]>();
          const asked = kinds.map(([n, kind], at): BatchPart => {
            const stream = `mixed-${round}-${n}`;
            const change = wireChange(stream, studio!.person.user_id, [
              unseenOutcome({ ...CELL, item: `i${at}` }, 'TRUE'),
            ]);
            if (kind === 'good') stored.set(stream, [...(stored.get(stream) ?? []), change.id]);
            return {
              operation: 'push',
              stream: kind === 'astray' ? `${stream}-other` : stream,
              ...(kind === 'diverged' && { witness: `elsewhere;7;${FAR}` }),
              body: {
                protocol: 1,
                changes: [kind === 'damaged' ? { ...change, id: `c1_${'A'.repeat(43)}` } : change],
              },
            };
          });
          const { body } = await world.call('POST', BATCH, studio!.who, { parts: asked });
          expect(body.parts.map((part: { status: number }) => part.status)).toEqual(
            kinds.map(
              ([, kind]) => ({ good: 200, damaged: 422, astray: 422, diverged: 409 })[kind],
            ),
          );
          const streams = [...new Set(asked.map(({ stream }) => stream))];
          const read = await world.call('POST', BATCH, studio!.who, {
            parts: streams.map((stream) => ({
              operation: 'changes',
              stream,
              query: { after: '0' },
            })),
          });
          for (const [at, stream] of streams.entries()) {
            const { status, body: page } = read.body.parts[at];
            const ids = stored.get(stream);
            expect(status).toBe(ids === undefined ? 404 : 200);
            if (ids !== undefined)
              expect(page.changes.map(({ id }: { id: string }) => id).sort()).toEqual(ids.sort());
          }
        },
      ),
      { numRuns: lengthOf(6, 60), seed: seedOf() },
    );
  }, 60_000);
});

describe('the bounds of a batch', () => {
  let server: TestServer;
  const FAULTY = 'faulty';
  beforeAll(async () => {
    server = await bootServer({
      deps: { rateLimit: { perSecond: 60, writesPerSecond: 1 } },
      wrapStore: (store) => ({
        ...store,
        transact: (fn, ...rest) =>
          store.transact(
            (writer) =>
              fn(
                withParts(writer, {
                  log: withParts(writer.log, {
                    push: (...args: Parameters<typeof writer.log.push>) => {
                      if (args[1].startsWith(FAULTY)) throw new TypeError('a fault of this server');
                      return writer.log.push(...args);
                    },
                  }),
                }),
              ),
            ...rest,
          ),
      }),
    });
  });
  afterAll(() => server.close());
  const ask = (parts: readonly BatchPart[]) => {
    server.advance(60_000);
    return server.call('POST', BATCH, { key: server.syncKey, body: { parts } });
  };
  const push = (stream: string, count: number, bytes = 0): BatchPart => ({
    operation: 'push',
    stream,
    body: {
      protocol: 1,
      changes: Array.from({ length: count }, (_, at) =>
        wireChange(stream, server.deps.store.local.user_id, [
          set(`item/label/i${at}`, `label ${'x'.repeat(bytes)}`),
        ]),
      ),
    },
  });
  const page = (stream: string): BatchPart => ({
    operation: 'changes',
    stream,
    query: { after: '0' },
  });

  it('takes up to so many parts, and what it says it takes', async () => {
    const { body } = await server.call('GET', '/api/v1/sync/hello', { key: server.syncKey });
    expect(body.features).toContain('batch');
    expect(body.limits.parts).toBe(BATCH_LIMITS.parts);
    const parts = Array.from({ length: BATCH_LIMITS.parts }, (_, at) => page(`none-${at}`));
    expect((await ask(parts)).status).toBe(200);
    for (const refused of [[...parts, page('one-more')], []])
      expect((await ask(refused)).body.error).toBe('validation_failed');
    for (const odd of [{ ...page('a'), more: 1 }, { operation: 'snapshot', stream: 'a' }, 'part'])
      expect((await ask([odd as BatchPart])).body.error).toBe('validation_failed');
  });

  it('ends an answer that has become long, and goes on where it is asked again', async () => {
    const streams = ['long-1', 'long-2', 'long-3'];
    for (const stream of streams)
      expect((await ask([push(stream, 3, 250_000)])).body.parts[0].status).toBe(200);
    const seen: string[] = [];
    for (let left = streams; left.length > 0;) {
      const { body, text } = await ask(left.map(page));
      expect(text.length).toBeLessThan(2.2 * BATCH_LIMITS.bytes);
      const answered = left.filter((_, at) => body.parts[at] !== null);
      expect(answered.length).toBeGreaterThan(0);
      seen.push(...answered);
      left = left.filter((stream) => !answered.includes(stream));
    }
    expect(seen).toEqual(streams);
  });

  it('keeps a fault of its own to the part that it befell, and logs it', async () => {
    const asked = [push('well-1', 1), push(FAULTY, 1), page('well-1'), push('well-2', 1)];
    const { status, body } = await ask(asked);
    expect([status, ...body.parts.map((part: { status: number }) => part.status)]).toEqual([
      200, 200, 500, 200, 200,
    ]);
    expect(body.parts[1].body.error).toBe('internal_error');
    expect(server.log()).toMatch(/"action":"syncPush","error":\{"name":"TypeError"/);
    expect((await ask([page(FAULTY)])).body.parts[0].status).toBe(404);
  });

  it('counts by its parts: so many of them as one request', async () => {
    const waits = async (parts: number): Promise<number> => {
      await ask(Array.from({ length: parts }, (_, at) => page(`none-${at}`)));
      const body = { parts: [page('next')] };
      const next = await server.call('POST', BATCH, { key: server.syncKey, body });
      return next.status === 429 ? Number(next.headers.get('retry-after')) : 0;
    };
    // One request with a body is allowed each second.
    expect(await waits(1)).toBeLessThanOrEqual(1);
    const most = BATCH_LIMITS.parts / BATCH_LIMITS.each;
    const waited = await waits(BATCH_LIMITS.parts);
    expect(waited).toBeGreaterThan(1);
    expect(waited).toBeLessThanOrEqual(most);
  });
});
