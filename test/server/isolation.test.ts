import type { AccountId } from '../../src/shared/contract/ids.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SYNC_EVENTS_PATH } from '../../src/shared/contract/sync.ts';
import { API } from '../../src/shared/contract/api.ts';
import type { Access } from '../../src/shared/contract/endpoint.ts';
import type { TestAnswer } from '../support/server.ts';
import { type Expected, type Row, ROWS } from './isolation/rows.ts';
import { unseenOutcome, wireChange } from '../support/sync-change.ts';
import { hearUnbound } from './isolation/statements.ts';
import {
  ABSENT,
  CANARY,
  CELL,
  type Credentials,
  createWorld,
  type Objects,
  type World,
} from './isolation/world.ts';
import { lengthOf } from '../support/length.ts';
import { SHARED_POSTGRES } from '../support/plain-database.ts';

const ACCESS: ReadonlyMap<string, Access> = new Map([
  ...API.map(({ method, path, access }) => [`${method} ${path}`, access] as const),
  [`GET ${SYNC_EVENTS_PATH}`, 'read'],
  ['GET /api/v1/openapi.json', 'open'],
]);
const ROLES = ['owner', 'member', 'viewer'] as const;
/** Who may do what is decided before a database is asked: in CI whole on one. */
const ROLES_ON = {
  SQLite: ROLES,
  PostgreSQL: lengthOf<readonly (typeof ROLES)[number][]>(['owner'], ROLES),
};
const ROUTES = Object.entries(ROWS);
/**
 * What credentials hold is looked up before the route is known: in CI all of them for one route of
 * each access, and on SQLite for every other route some, by turns.
 */
const ONE_OF_EACH = new Map(ROUTES.map((row) => [ACCESS.get(row[0]), row]));
const CHECKED_ON = {
  SQLite: ROUTES,
  PostgreSQL: lengthOf([...ONE_OF_EACH.values()], ROUTES),
};
const isWhole = lengthOf(
  (route: string) => [...ONE_OF_EACH.values()].some(([name]) => name === route),
  () => true,
);

/** What is there of an answer to tell one caller's from another's. */
function shown({ status, headers, text }: TestAnswer, names: Objects): string {
  const kept = [...headers].filter(
    ([name]) => !['date', 'x-request-id', 'content-length'].includes(name),
  );
  return Object.entries(names).reduce(
    (all, [name, value]) => all.replaceAll(value, `<${name}>`),
    JSON.stringify([status, kept, text.replace(/req_[0-9a-f]+/g, '<request>')]),
  );
}
function outcome({ status, body }: TestAnswer, row: Row): Expected {
  if (row.nobody !== undefined) return body?.error ?? status;
  return status < 300 ? 'ok' : body?.error;
}

/** What a caller with this role gets, by a key or by a session. */
function expected(
  route: string,
  row: Row,
  role: (typeof ROLES)[number],
  door: 'key' | 'session',
): Expected {
  const access = ACCESS.get(route);
  if (row.nobody !== undefined)
    return door === 'key' ? row.nobody : (row.roles?.[role] ?? row.other);
  if (access === 'session' && door === 'key') return 'insufficient_scope';
  const changes =
    access === 'write' ||
    access === 'suggest' ||
    (access === 'session' && !route.startsWith('GET '));
  return row.roles?.[role] ?? (role === 'viewer' && changes ? 'read_only_role' : 'ok');
}

describe.each(['SQLite', 'PostgreSQL'] as const)('accounts on %s', (engine) => {
  let world: World;
  const statements = hearUnbound();
  beforeAll(async () => {
    world = await createWorld(engine === 'PostgreSQL' ? SHARED_POSTGRES : undefined);
  }, 60_000);
  afterAll(async () => {
    statements[Symbol.dispose]();
    await world[Symbol.asyncDispose]();
  });

  async function ask(
    route: string,
    row: Row,
    who: Credentials,
    names: Objects,
  ): Promise<TestAnswer> {
    const [method = ''] = route.split(' ');
    const path = typeof row.path === 'string' ? row.path : row.path(names);
    if (path === SYNC_EVENTS_PATH) {
      // A stream of events does not end: whether it opens is asked without it, and why not by
      // itself.
      const opened = await world.call('HEAD', path, who);
      if (opened.status === 200) return opened;
    }
    return world.call(method, path, who, row.body?.(names, world));
  }
  const names = async (row: Row): Promise<Objects> => ({
    ...world.objects,
    ...(await row.fresh?.(world)),
  });

  it('has a row for every route, and no other', () => {
    expect(Object.keys(ROWS).sort()).toEqual([...world.server.server.routes].sort());
  });

  describe.each(ROUTES)('%s', (route, row) => {
    it.each(ROLES_ON[engine])('answers the account’s %s', async (role) => {
      const session = await world.session(world[role]);
      expect(
        outcome(
          await ask(route, row, { key: await world.keyOf(world[role]) }, await names(row)),
          row,
        ),
        'with a key',
      ).toBe(expected(route, row, role, 'key'));
      expect(outcome(await ask(route, row, session, await names(row)), row), 'with a session').toBe(
        expected(route, row, role, 'session'),
      );
    });

    it('shows another account nothing: the same bytes as for what is not there', async () => {
      const isOperation = row.nobody === undefined;
      const onlySession = ACCESS.get(route) === 'session' || !isOperation;
      const session = (await world.session(world.other)).headers;
      const who: Credentials = onlySession
        ? { headers: session }
        : { key: await world.keyOf(world.other) };
      const present = await names(row);
      const absent = await ask(route, row, who, ABSENT);
      // Signing out ends the session.
      const again: Credentials =
        route === 'POST /sign-out' ? await world.session(world.other) : who;
      const answer = await ask(route, row, again, present);
      expect(outcome(answer, row)).toBe(row.other);
      expect(answer.text).not.toContain(CANARY);
      if (row.differs === undefined) expect(shown(answer, present)).toBe(shown(absent, ABSENT));
    });
  });

  describe.each(CHECKED_ON[engine])('%s', (route, row) => {
    it('asks for credentials that hold', async () => {
      const access = ACCESS.get(route);
      const open = access === 'open';
      const reader = { key: (await world.key(world.owner, { scopes: ['read'] })).key };
      const seen: Record<string, Expected> = {};
      const turn = ROUTES.findIndex(([name]) => name === route);
      const useless = Object.entries(world.out).filter(
        (_, at) => isWhole(route) || (at + turn) % 3 === 0,
      );
      const asked: [string, Credentials][] = [['none', {}], ['reader', reader], ...useless];
      for (const [name, who] of asked) {
        world.server.advance(10_000);
        seen[name] = outcome(await ask(route, row, who, await names(row)), row);
      }
      const page = row.nobody;
      const reads = access === 'read' || open ? 'ok' : 'insufficient_scope';
      const out = (code: Expected): Expected => page ?? (open ? 'ok' : code);
      const right: Record<string, Expected> = {
        removed: out('key_revoked'),
        removedStudio: out('key_revoked'),
        removedSession: out('missing_credentials'),
        disabled: out('user_disabled'),
        disabledStudio: out('user_disabled'),
        disabledSession: out('missing_credentials'),
        none: page ?? (open ? 'ok' : 'missing_credentials'),
        revoked: page ?? (open ? 'ok' : 'key_revoked'),
        expired: page ?? (open ? 'ok' : 'key_expired'),
        ended: page ?? (open ? 'ok' : 'missing_credentials'),
        reader: page ?? row.reader ?? reads,
      };
      expect(seen).toEqual(Object.fromEntries(asked.map(([name]) => [name, right[name]])));
    });
  });

  const session = async (): Promise<Credentials> => ({
    headers: (await world.session(world.other)).headers,
  });
  const anybody = async (route: string): Promise<Credentials> =>
    ACCESS.get(route) === 'session' ? session() : { key: await world.keyOf(world.other) };

  describe('what only the server may say', () => {
    it.each(
      Object.entries(ROWS).filter(([route, row]) => row.body !== undefined && ACCESS.has(route)),
    )('is refused in the body of %s', async (route, row) => {
      const [method = ''] = route.split(' ');
      const who = await anybody(route);
      const names = await row.fresh?.(world);
      const own = { ...world.objects, ...names };
      for (const [field, value] of Object.entries({
        account_id: world.owner.account_id,
        user_id: world.owner.user_id,
        created_by: 'x',
        is_admin: true,
        version: 9,
      })) {
        const body = row.body?.(own, world) as Record<string, unknown>;
        // The one operation that takes an account is the switch to another of one's own.
        if (field in body) continue;
        const answer = await world.call(
          method,
          typeof row.path === 'string' ? row.path : row.path(own),
          who,
          { ...body, [field]: value },
        );
        expect([field, answer.status, answer.body.error]).toEqual([
          field,
          422,
          'validation_failed',
        ]);
      }
    });
  });

  describe('SQL in a request', () => {
    const INJECTIONS = [
      `' OR '1'='1`,
      `x'; DROP TABLE cases; --`,
      `") OR 1=1 --`,
      `x' UNION SELECT mac FROM api_keys --`,
      `\\'; SELECT set_config('evidence_studio.account', '*', false); --`,
    ];
    /** In CI each on one database at least, and on each one that cannot stay without effect. */
    const tried = INJECTIONS.filter((_, at) =>
      lengthOf({ SQLite: [0, 2, 3], PostgreSQL: [1, 2, 4] }[engine], [0, 1, 2, 3, 4]).includes(at),
    );
    /** Every value with one of its texts replaced. */
    function* injected(value: unknown, text: string): Generator<unknown> {
      if (typeof value === 'string') yield text;
      else if (Array.isArray(value))
        for (const [index, one] of value.entries())
          for (const other of injected(one, text)) yield value.with(index, other);
      else if (typeof value === 'object' && value !== null)
        for (const [name, one] of Object.entries(value))
          for (const other of injected(one, text)) yield { ...value, [name]: other };
    }
    it.each(
      Object.entries(ROWS).filter(
        ([route, row]) =>
          ACCESS.has(route) &&
          route !== `GET ${SYNC_EVENTS_PATH}` &&
          (row.body !== undefined || route.includes('{') || typeof row.path === 'function'),
      ),
    )('is text to %s', async (route, row) => {
      const [method = '', template = ''] = route.split(' ');
      const who = await anybody(route);
      const path = typeof row.path === 'string' ? row.path : row.path(world.objects);
      const [plain = '', search = ''] = path.split('?');
      for (const text of tried) {
        const requests: [path: string, body: unknown][] = [];
        const body = row.body?.(world.objects, world);
        for (const name of Object.keys(Object.fromEntries(new URLSearchParams(search))))
          requests.push([
            `${plain}?${String(new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(search)), [name]: text }))}`,
            body,
          ]);
        if (template.includes('{'))
          requests.push([
            `${template.replace(/\{\w+\}/g, encodeURIComponent(text))}?${search}`,
            body,
          ]);
        for (const other of injected(body, text)) requests.push([path, other]);
        for (const [asked, sent] of requests) {
          const answer = await world.call(method, asked, who, sent);
          expect([asked, answer.status < 500]).toEqual([asked, true]);
          expect(answer.text).not.toContain(CANARY);
        }
      }
    });
  });

  describe('what is kept between requests', () => {
    it('an Idempotency-Key of one account says nothing to another, nor does its cursor', async () => {
      const [own, others] = [
        { key: (await world.key(world.owner)).key },
        { key: (await world.key(world.other)).key },
      ];
      const repeated = { 'idempotency-key': 'the-same-for-both' };
      const first = await world.call(
        'POST',
        '/api/v1/projects',
        { ...own, headers: repeated },
        { name: 'Once' },
      );
      expect(first.status).toBe(201);
      const second = await world.call(
        'POST',
        '/api/v1/projects',
        { ...others, headers: repeated },
        { name: 'Once' },
      );
      expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([201, null]);
      expect(second.body.project_id).not.toBe(first.body.project_id);
      const { next_cursor } = (await world.call('GET', '/api/v1/cases?limit=1', own)).body;
      const rest = await world.call(
        'GET',
        `/api/v1/cases?limit=200&cursor=${encodeURIComponent(next_cursor)}`,
        others,
      );
      expect(rest.status).toBe(200);
      // It may have a log of the same name as one of the first account's: what it was sent itself.
      expect(rest.body.data.map((one: { case_uid: string }) => one.case_uid)).not.toContain(CANARY);
    });

    it('a change in the name of another account’s person does not learn that name', async () => {
      const key = { key: (await world.key(world.owner, { scopes: ['sync'] })).key };
      const change = wireChange(`${CANARY}-named`, world.other.user_id, [
        unseenOutcome(CELL, 'TRUE'),
      ]);
      expect(
        (
          await world.call('POST', `/api/v1/sync/cases/${CANARY}-named/push`, key, {
            protocol: 1,
            changes: [change],
          })
        ).status,
      ).toBe(200);
      const { body } = await world.call('GET', `/api/v1/cases/${CANARY}-named/audit`, key);
      expect(JSON.stringify(body)).toContain(world.other.user_id);
      expect(JSON.stringify(body)).not.toContain('Stranger');
    });

    it('somebody who is in both accounts is in one at a time, with the role of that one', async () => {
      const { member, other, server } = world;
      await server.deps.store.transact(
        (writer) => writer.teamWrites.add(other.account_id, member.user_id, 'viewer'),
        other.account_id,
      );
      const browser = await world.session(member);
      const evidence = (): Promise<TestAnswer> =>
        world.call('GET', `/api/v1/cases/${CANARY}/evidence?profile_uid=${CELL.profile}`, browser);
      const change = async (): Promise<number> =>
        (await world.call('POST', '/api/v1/projects', browser, { name: 'Of both' })).status;
      const enter = async (account_id: AccountId): Promise<unknown> =>
        (await world.call('PUT', '/api/v1/session', browser, { account_id })).body.user.role;
      expect([(await evidence()).status, await change()]).toEqual([200, 201]);
      expect(await enter(other.account_id)).toBe('viewer');
      expect([(await evidence()).status, await change()]).toEqual([404, 403]);
      expect((await world.call('GET', '/api/v1/projects', browser)).text).not.toContain(CANARY);
      expect(await enter(member.account_id)).toBe('member');
      expect((await evidence()).status).toBe(200);
    });

    it('a stream of events tells of the account’s own logs alone', async () => {
      const headers = { authorization: `Bearer ${(await world.key(world.other)).key}` };
      const stream = (await fetch(`${world.server.url}${SYNC_EVENTS_PATH}`, { headers }))
        .body!.pipeThrough(new TextDecoderStream())
        .getReader();
      let heard = String((await stream.read()).value);
      expect(heard).toContain('retry');
      const write = async (who: World['owner'], name: string) =>
        world.call('POST', '/api/v1/projects', { key: (await world.key(who)).key }, { name });
      expect((await write(world.owner, `${CANARY} told`)).status).toBe(201);
      const own = await write(world.other, 'Told');
      while (!heard.includes(own.body.project_id)) heard += String((await stream.read()).value);
      expect(heard.match(/prj_[0-9a-z]+/g)).toEqual([own.body.project_id]);
      await stream.cancel();
    });
  });

  it.runIf(engine === 'SQLite')(
    'named the account, or what was found by it, in every statement',
    () => {
      expect(statements.unbound()).toEqual([]);
    },
  );

  it('left the first account as it was but for its own members’ work', async () => {
    const owner = { key: (await world.key(world.owner)).key };
    const page = await world.call(
      'GET',
      `/api/v1/cases/${CANARY}/evidence?profile_uid=trio_rare_disease`,
      owner,
    );
    expect(['seen', CANARY]).toContain(page.body.items[0].evidence[0].notes);
    const { body } = await world.call('GET', '/api/v1/projects', {
      key: (await world.key(world.other)).key,
    });
    for (const { name } of body.data as { name: string }[])
      expect(name).toMatch(/^(Sample|Once|Told|Unsorted)/);
  });
});
