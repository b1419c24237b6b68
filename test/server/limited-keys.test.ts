import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API } from '../../src/shared/contract/api.ts';
import { MOST_WAITING } from '../../src/shared/contract/v1/discussion.ts';
import { SYNC_EVENTS_PATH } from '../../src/shared/contract/sync.ts';
import { nodeHasher } from '../../src/server/instance/hasher.ts';
import { type Change, type Entry, seal } from '../../src/sync/change.ts';
import { TRIO } from '../support/evidence.ts';
import { ENGINES } from '../support/length.ts';
import { ROWS } from './isolation/rows.ts';
import {
  ABSENT,
  CANARY,
  CELL,
  type Credentials,
  createWorld,
  type Objects,
  type World,
} from './isolation/world.ts';
import { SHARED_POSTGRES } from '../support/plain-database.ts';
import { asKey, asStream } from '../support/ids.ts';

describe.each(ENGINES)('L10 a key that is limited to a project, on %s', (engine) => {
  let world: World;
  let limited: Credentials;
  let made: { key_id: string };
  let inside: string;
  beforeAll(async () => {
    world = await createWorld(engine === 'PostgreSQL' ? SHARED_POSTGRES : undefined);
    const owner = await world.session(world.owner);
    inside = (await world.call('POST', '/api/v1/projects', owner, { name: 'Inside' })).body
      .project_id;
    const { body } = await world.call('POST', '/api/v1/keys', owner, {
      name: 'Limited',
      scopes: ['read', 'write', 'delete'],
      projects: [inside],
    });
    expect(body.projects).toEqual([inside]);
    [limited, made] = [{ key: body.key }, body];
  }, 60_000);
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
  });
  const ask = (method: string, path: string, body?: unknown) => {
    world.server.advance(60_000);
    return world.call(method, path, limited, body);
  };
  /** A change by the key itself. */
  const own = (name: string, entries: Entry[]): { id: string; change: string } => {
    const change: Change = {
      v: 1,
      case: asStream(name),
      hlc: `${Date.now().toString(16).padStart(12, '0')}-0000`,
      wall: new Date().toISOString(),
      by: { user: world.owner.user_id, kind: 'agent', agent: 'Limited', key: asKey(made.key_id) },
      at: { replica: 'r', app: '0', schema: 1 },
      txn: 't',
      why: null,
      nonce: nodeHasher.sha256Hex(`${name}${entries.length}${Math.random()}`).slice(0, 32),
      entries,
    };
    const { id, text } = seal(change, nodeHasher);
    return { id, change: text };
  };
  const push = (name: string, entries: Entry[]) =>
    ask('POST', `/api/v1/sync/cases/${encodeURIComponent(name)}/push`, {
      protocol: 1,
      changes: [own(name, entries)],
    });
  const set = (reg: string, value: unknown): Entry => ({ op: 'set', parents: [], reg, value });

  it('works inside as any other', async () => {
    expect(
      (await ask('GET', '/api/v1/projects')).body.data.map(
        (one: { project_id: string }) => one.project_id,
      ),
    ).toEqual([inside]);
    expect(
      (await ask('POST', '/api/v1/cases', { project_id: inside, case_uid: 'inside' })).status,
    ).toBe(201);
    expect(
      (
        await ask('POST', '/api/v1/evidence', {
          case_uid: 'inside',
          profile_uid: TRIO,
          items: [{ item_uid: 'i', evidence: [{ rule_uid: CELL.rule, raw_outcome: 'TRUE' }] }],
        })
      ).status,
    ).toBe(200);
    expect((await ask('GET', '/api/v1/cases')).body.data).toMatchObject([{ case_uid: 'inside' }]);
    expect(
      (await ask('POST', '/api/v1/runs', { case_uid: 'inside', profile_uid: TRIO })).status,
    ).toBe(201);
    expect((await ask('GET', '/api/v1/runs')).body.data).toMatchObject([{ case_uid: 'inside' }]);
    expect((await push('inside', [set('case/title', 'By push')])).status).toBe(200);
    expect(
      (await push('pushed-inside', [set('case/project_id', inside), set('case/title', 'New')]))
        .status,
    ).toBe(200);
    expect(
      (await ask('GET', '/api/v1/sync/cases')).body.cases
        .map((one: { case_uid: string }) => one.case_uid)
        .sort(),
    ).toEqual(['@profiles', `@project/${inside}`, 'inside', 'pushed-inside'].sort());
    expect((await ask('GET', '/api/v1/cases/inside/audit')).status).toBe(200);
  });

  it('finds outside what is found of what does not exist, whatever it asks for', async () => {
    const shown = ({ status, text }: { status: number; text: string }, names: Objects): string =>
      Object.values(names).reduce(
        (all, name) => all.replaceAll(name, '<name>'),
        `${status} ${text.replace(/req_[0-9a-f]+/g, '')}`,
      );
    // The account's own, which are of no project, and what another body or time is answered with.
    const alike = new Set([
      'POST /api/v1/sync/cases/{caseUid}/push',
      'GET /api/v1/profiles',
      'GET /api/v1/profiles/{profileUid}',
      'POST /api/v1/profiles',
      'POST /api/v1/profiles/{profileUid}/state',
      'GET /api/v1/sync/hello',
      'GET /api/v1/openapi.json',
    ]);
    for (const { method, path, access } of API) {
      const route = `${method} ${path}`;
      const row = ROWS[route];
      if (row === undefined || alike.has(route)) continue;
      const answers = await Promise.all(
        [world.objects, ABSENT].map(async (names) => {
          const answer = await ask(
            method,
            typeof row.path === 'string' ? row.path : row.path(names),
            row.body?.(names, world),
          );
          return shown(answer, names);
        }),
      );
      expect([route, answers[0]]).toEqual([route, answers[1]]);
      if (access === 'read' && !path.includes('profiles'))
        expect([route, answers[0]]).not.toEqual([route, expect.stringContaining(CANARY)]);
    }
    expect((await ask('HEAD', SYNC_EVENTS_PATH)).status).toBe(403);
  });

  it('takes nothing in and nothing out', async () => {
    const { objects } = world;
    const { status, body } = await push(objects.case, [set('case/title', 'Seen')]);
    expect([status, body.error]).toEqual([404, 'not_found']);
    expect(
      (await push(`@project/${objects.project}`, [set('project/name', 'Seen')])).body.error,
    ).toBe('not_found');
    expect((await push('inside', [set('case/project_id', objects.project)])).body.error).toBe(
      'not_found',
    );
    expect((await push('made-outside', [set('case/project_id', objects.project)])).body.error).toBe(
      'not_found',
    );
    expect((await push('made-nowhere', [set('case/title', 'Unsorted')])).body.error).toBe(
      'not_found',
    );
    expect(
      (await ask('POST', '/api/v1/cases', { project_id: objects.project, case_uid: 'inside' })).body
        .error,
    ).toBe('not_found');
    expect(
      (await ask('POST', '/api/v1/cases', { project_id: inside, case_uid: objects.case })).body
        .error,
    ).toBe('not_found');
    for (const name of ['A new one', `${CANARY} project`])
      expect((await ask('POST', '/api/v1/projects', { name })).body.error).toBe('not_found');
    expect((await ask('GET', '/api/v1/usage')).body.error).toBe('insufficient_scope');
  });

  it('is told what waits for it inside, however much does outside', async () => {
    const owner = await world.session(world.owner);
    const call = async (path: string, body: object): Promise<void> => {
      const { status, text } = await world.call('POST', `/api/v1/${path}`, owner, body);
      expect(status, text).toBeLessThan(300);
      world.server.advance(1_000);
    };
    const outside = (await world.call('POST', '/api/v1/projects', owner, { name: 'Outside' })).body
      .project_id;
    const mention = async (case_uid: string, project_id: string): Promise<void> => {
      await call('cases', { case_uid, project_id });
      await call('evidence', { case_uid, profile_uid: TRIO, items: [{ item_uid: 'i' }] });
      await call(`cases/${case_uid}/threads`, {
        place: { on: 'item', item_uid: 'i' },
        ...{ kind: 'query', text: 't', mentions: [made.key_id] },
      });
    };
    await mention('waits-inside', inside);
    for (let one = 0; one < MOST_WAITING; one += 1) await mention(`waits-outside-${one}`, outside);
    expect((await ask('GET', '/api/v1/waiting')).body.data).toMatchObject([
      { case_uid: 'waits-inside', waiting: 1 },
    ]);
  });
});
