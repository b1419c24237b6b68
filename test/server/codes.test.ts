import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSignInLink } from '../../src/server/auth/sign-in.ts';
import type { Deps } from '../../src/server/context/deps.ts';
import { ApiError } from '../../src/server/context/errors.ts';
import { nodeHasher } from '../../src/server/instance/hasher.ts';
import { ticketOf } from '../../src/server/storage/runs/run-content.ts';
import { ERROR_STATUS, type ErrorCode } from '../../src/shared/contract/errors.ts';
import { splitRun } from '../../src/shared/domain/run-split.ts';
import { type ProfileDocument, profileDigest } from '../../src/shared/domain/profile.ts';
import { canonicalJson } from '../../src/shared/lib/canonical-json.ts';
import { sampleRecord } from '../unit/shared/domain/run-sample.ts';
import { alone, describeAlone } from '../support/alone.ts';
import { makeCase, recordCell, TRIO } from '../support/evidence.ts';
import { rawRequest } from '../support/raw-http.ts';
import { bootServer, INSTANCES, type TestAnswer, type TestServer } from '../support/server.ts';
import { unseenOutcome, wireChange } from '../support/sync-change.ts';
import { StoreError } from '../../src/server/storage/db/errors.ts';
import { UpstreamPresence } from '../../src/server/uplink/presence.ts';
import { asKey } from '../support/ids.ts';

/** What the wrapped store does at the next write: fail so, or wait for this. */
let failure: Error | undefined;
let gate: Promise<void> | undefined;
function wrapStore(store: Deps['store']): Deps['store'] {
  return {
    ...store,
    async transact(work, account) {
      if (failure !== undefined) throw failure;
      await gate;
      return store.transact(work, account);
    },
  };
}

let server: TestServer;
let project: string;
let profile: Record<string, unknown>;
beforeAll(async () => {
  server = await bootServer({
    wrapStore,
    server: {
      limits: { requestTimeout: 1_000, headersTimeout: 900, connectionsCheckingInterval: 100 },
    },
  });
  project = await makeCase(server, 'case-1');
  await makeCase(server, 'empty', 'Other');
  await recordCell(server, 'case-1');
  profile = {
    ...(await server.call('GET', `/api/v1/profiles/${TRIO}`)).body,
    profileUid: 'mine',
    visibility: 'private',
  };
  await server.call('POST', '/api/v1/profiles', { body: profile });
});
afterAll(() => server.close());

/** A run whose blobs this server has never seen. */
function uploadedRun() {
  const run = sampleRecord();
  const { manifest } = splitRun(
    { ...run.frozen, settings: run.settings, method: run.method, result: run.result },
    run.content_hash,
    nodeHasher,
  );
  return { manifest, run };
}

type Answer = Pick<TestAnswer, 'status' | 'body'> & { header(name: string): string | null };

async function call(...args: Parameters<TestServer['call']>): Promise<Answer> {
  const answer = await server.call(...args);
  return { status: answer.status, body: answer.body, header: (name) => answer.headers.get(name) };
}
async function raw(bytes: string): Promise<Answer> {
  const { status, head, body } = await rawRequest(server.url, bytes);
  return {
    status,
    body: JSON.parse(body),
    header: (name) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim() ?? null,
  };
}
const host = (): string => new URL(server.url).host;
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  call('POST', path, { body, headers });
const postRaw = (text: string | Uint8Array<ArrayBuffer>) =>
  call('POST', '/api/v1/projects', { raw: text });
async function failing(error: Error): Promise<Answer> {
  failure = error;
  try {
    return await post('/api/v1/projects', { name: 'x' });
  } finally {
    failure = undefined;
  }
}
async function signedIn(linked: TestServer): Promise<string> {
  const link = await createSignInLink(linked.deps, linked.url);
  return (await linked.call('GET', link.slice(linked.url.length), { key: null })).headers
    .get('set-cookie')!
    .split(';')[0]!;
}
async function refusedByUplink(code: ErrorCode): Promise<Answer> {
  const uplink = {
    presence: new UpstreamPresence(),
    connect: async () => Promise.reject(new ApiError(code)),
  } as unknown as NonNullable<Deps['uplink']>;
  await using linked = await bootServer({ deps: { uplink } });
  const cookie = await signedIn(linked);
  const answer = await linked.call('PUT', '/api/v1/uplink', {
    key: null,
    body: { url: 'https://evidence.test', key: 'evs_x' },
    headers: { cookie, origin: linked.url },
  });
  return { status: answer.status, body: answer.body, header: (name) => answer.headers.get(name) };
}
async function paused(): Promise<string> {
  const key = await server.makeKey();
  await server.deps.store.transact((writer) =>
    writer.keyWrites.limit(server.deps.store.local.account_id, asKey(key.slice(4, 14)), {
      paused: true,
    }),
  );
  return key;
}
async function revoked(): Promise<string> {
  const key = await server.makeKey();
  await server.deps.store.transact((writer) =>
    writer.keyWrites.revoke(server.deps.store.local.account_id, asKey(key.slice(4, 14))),
  );
  return key;
}

const CASES: Record<ErrorCode, () => Promise<Answer>> = {
  invalid_request: () =>
    raw(`GET /api/v1/projects HTTP/1.1\r\nHost: ${host()}\r\nHost: ${host()}\r\n\r\n`),
  invalid_path: () => call('GET', `/api/v1/cases/%E0%A4%A/evidence?profile_uid=${TRIO}`),
  invalid_uid: () =>
    call('GET', `/api/v1/cases/..%2f..%2fetc%2fpasswd/evidence?profile_uid=${TRIO}`),
  invalid_query: () => call('GET', '/api/v1/projects?limit=1&limit=2'),
  key_in_url: () => call('GET', `/api/v1/projects?api_key=${server.key}`),
  invalid_json: () => postRaw('{"name":'),
  invalid_encoding: () => postRaw(Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])),
  duplicate_key: () => postRaw('{"name":"a","n\\u0061me":"b"}'),
  forbidden_key: () => postRaw('{"name":"a","__proto__":{}}'),
  json_too_deep: () => postRaw('['.repeat(40_000)),
  missing_credentials: () => call('GET', '/api/v1/projects', { key: null }),
  invalid_key: () =>
    call('GET', '/api/v1/projects', {
      key: 'evs_0000000000_000000000000000000000000000000004QB974',
    }),
  key_paused: async () =>
    call('POST', '/api/v1/projects', { key: await paused(), body: { name: 'P' } }),
  key_revoked: async () => call('GET', '/api/v1/projects', { key: await revoked() }),
  operator_only: async () => {
    await using strict = await bootServer({
      deps: { operatorOnly: { accounts: true, publishing: true } },
    });
    const { body } = await strict.call('GET', `/api/v1/profiles/${TRIO}`);
    const answer = await strict.call('POST', '/api/v1/profiles', {
      body: { ...body, profileUid: 'of_the_community', visibility: 'community' },
    });
    return { status: answer.status, body: answer.body, header: (name) => answer.headers.get(name) };
  },
  user_disabled: async () => {
    const key = await server.makeKey({ user: { name: 'Left', role: 'member' } });
    await server.deps.store.transact(async (writer) =>
      writer.teamWrites.disable((await writer.keys.byId(asKey(key.slice(4, 14))))!.user_id),
    );
    return call('GET', '/api/v1/projects', { key });
  },
  key_expired: async () =>
    call('GET', '/api/v1/projects', {
      key: await server.makeKey({ expires_at: '2020-01-01T00:00:00.000Z' }),
    }),
  host_not_allowed: () => raw('GET /api/v1/projects HTTP/1.1\r\nHost: evil.test\r\n\r\n'),
  origin_not_allowed: () =>
    call('GET', '/api/v1/projects', { headers: { origin: 'http://evil.test' } }),
  insufficient_scope: () =>
    call('POST', '/api/v1/projects', { key: server.readKey, body: { name: 'x' } }),
  author_not_allowed: () =>
    post('/api/v1/sync/cases/case-1/push', {
      protocol: 1,
      changes: [
        wireChange('case-1', 'usr_somebody', [
          unseenOutcome(
            { profile: TRIO, version: '1.1', rule: 'parents_genotype_missing', item: 'item_1' },
            'TRUE',
          ),
        ]),
      ],
    }),
  read_only_role: async () =>
    post(
      '/api/v1/projects',
      { name: 'x' },
      {
        authorization: `Bearer ${await server.makeKey({ user: { name: 'Viewer', role: 'viewer' } })}`,
      },
    ),
  csrf_failed: async () => {
    const token = Buffer.alloc(32, 7).toString('base64url');
    const { account_id, user_id } = server.deps.store.local;
    const { tokenHash } = await import('../../src/server/auth/session.ts');
    await server.deps.store.transact((writer) =>
      writer.sessionWrites.create(tokenHash(token)!, {
        account_id,
        user_id,
        method: 'link',
        expires_at: '2099-01-01T00:00:00.000Z',
        address: '',
        browser: '',
      }),
    );
    return call('POST', '/api/v1/projects', {
      key: null,
      body: { name: 'x' },
      headers: { cookie: `evs_session=${token}` },
    });
  },
  password_needed: () => failing(new StoreError('password_needed', '')),
  wrong_password: () => failing(new StoreError('wrong_password', '')),
  not_found: () => call('GET', '/api/v1/runs/none'),
  method_not_allowed: () => call('PUT', '/api/v1/projects', { body: {} }),
  request_timeout: () =>
    raw(
      `POST /api/v1/projects HTTP/1.1\r\nHost: ${host()}\r\n` +
        `Authorization: Bearer ${server.key}\r\nContent-Type: application/json\r\n` +
        'Content-Length: 10\r\n\r\n{',
    ),
  conflict: async () => {
    const other = (await server.call('POST', '/api/v1/projects', { body: { name: 'Another' } }))
      .body.project_id;
    return post('/api/v1/cases', { project_id: other, case_uid: 'case-1' });
  },
  version_conflict: () => post('/api/v1/profiles', { ...profile, description: 'Another text' }),
  uid_taken: () => post('/api/v1/profiles', { ...profile, profileUid: TRIO, version: '99.0' }),
  contested_profile: async () => {
    const documents = ['a', 'b'].map(
      (description) => ({ ...profile, description }) as ProfileDocument,
    );
    const named = documents.map((document) => ({
      name: `${document.profileUid}@${document.version}`,
      digest: profileDigest(document, nodeHasher),
      document,
    }));
    await call('POST', '/api/v1/sync/cases/%40profiles/push', {
      key: server.syncKey,
      body: {
        protocol: 1,
        changes: named.map(({ name, digest, document }) =>
          wireChange('@profiles', 'usr', [
            { op: 'announce', parents: [], reg: `profile/${name}`, value: { digest, document } },
          ]),
        ),
      },
    });
    await call('POST', '/api/v1/sync/cases/case-1/push', {
      key: server.syncKey,
      body: {
        protocol: 1,
        changes: named.map(({ name, digest }) =>
          wireChange('case-1', 'usr', [
            { op: 'set', parents: [], reg: `document/${name}`, value: { digest } },
          ]),
        ),
      },
    });
    return post('/api/v1/runs', {
      case_uid: 'case-1',
      profile_uid: 'mine',
      profile_version: '1.1',
    });
  },
  idempotency_in_progress: async () => {
    let open = (): void => {};
    gate = new Promise((resolve) => (open = resolve));
    const send = () =>
      post('/api/v1/projects', { name: 'slow' }, { 'idempotency-key': 'in-progress' });
    const first = send();
    const answers = await Promise.race([first, send()]);
    gate = undefined;
    open();
    await first;
    return answers;
  },
  contested_cells: async () => {
    const cell = {
      profile: TRIO,
      version: '1.1',
      rule: 'parents_genotype_missing',
      item: 'item_1',
    };
    const { user_id } = server.deps.store.local;
    const changes = ['TRUE', 'NA'].map((outcome) =>
      wireChange('case-1', user_id, [unseenOutcome(cell, outcome)]),
    );
    expect(
      (
        await call('POST', '/api/v1/sync/cases/case-1/push', {
          key: server.syncKey,
          body: { protocol: 1, changes },
        })
      ).body.results,
    ).toMatchObject([{ status: 'applied' }, { status: 'applied' }]);
    return post('/api/v1/runs', { case_uid: 'case-1', profile_uid: TRIO });
  },
  other_user: () =>
    call('GET', '/api/v1/sync/cases/case-1/changes?after=0', {
      headers: { 'sync-user': 'u_another' },
    }),
  no_connection: () => refusedByUplink('no_connection'),
  missing_blobs: () => {
    const { manifest, run } = uploadedRun();
    return call('PUT', `/api/v1/sync/runs/${run.content_hash}`, {
      body: { manifest: canonicalJson(manifest), run: ticketOf(run) },
    });
  },
  not_here_yet: async () => {
    const announced = {
      op: 'announce',
      parents: [],
      reg: 'run/run_elsewhere',
      value: { content_hash: `sha256:${'0'.repeat(64)}` },
    };
    await call('POST', '/api/v1/sync/cases/case-1/push', {
      key: server.syncKey,
      body: { protocol: 1, changes: [wireChange('case-1', 'usr', [announced])] },
    });
    return call('GET', '/api/v1/runs/run_elsewhere');
  },
  diverged: () =>
    call('GET', '/api/v1/sync/cases/case-1/changes?after=0', {
      headers: { 'sync-witness': `another-epoch;1;${'0'.repeat(64)}` },
    }),
  precondition_failed: () =>
    post(
      '/api/v1/cases',
      { project_id: project, case_uid: 'case-1', title: 'x' },
      { 'if-match': '"v999"' },
    ),
  payload_too_large: () => postRaw(`"${'x'.repeat(1024 * 1024)}"`),
  unsupported_media_type: () =>
    call('POST', '/api/v1/projects', { raw: '{}', headers: { 'content-type': 'text/plain' } }),
  validation_failed: () => post('/api/v1/projects', { name: 7 }),
  empty_matrix: () => post('/api/v1/runs', { case_uid: 'empty', profile_uid: TRIO }),
  unused_profile: () =>
    post('/api/v1/runs', { case_uid: 'case-1', profile_uid: 'general_claim_evidence' }),
  case_approved: async () => {
    const headers = { cookie: await signedIn(server), origin: server.url };
    const move = (stage: string, run_uid?: string) =>
      call('POST', '/api/v1/cases/approved/stage', {
        key: null,
        headers,
        body: { stage, reason: 'r', ...(run_uid && { run_uid }) },
      });
    await makeCase(server, 'approved');
    await post('/api/v1/cases/approved/evidence', {
      profile_uid: TRIO,
      items: [{ item_uid: 'item_1' }],
    });
    const run = await post('/api/v1/runs', { case_uid: 'approved', profile_uid: TRIO });
    await move('in_review');
    await move('approved', run.body.run_uid);
    return post('/api/v1/cases/approved/evidence', {
      profile_uid: TRIO,
      items: [{ item_uid: 'item_2' }],
    });
  },
  citation_required: async () => {
    const headers = { cookie: await signedIn(server), origin: server.url };
    const require = (requires_source: boolean) =>
      call('POST', '/api/v1/cases/case-1/policy', {
        key: null,
        headers,
        body: { requires_source },
      });
    await require(true);
    const answer = await post('/api/v1/cases/case-1/suggestions', {
      profile_uid: TRIO,
      suggestions: [
        { item_uid: 'item_1', rule_uid: 'parents_genotype_missing', raw_outcome: 'TRUE' },
      ],
    });
    await require(false);
    return answer;
  },
  idempotency_mismatch: async () => {
    const headers = { 'idempotency-key': 'mismatch' };
    await post('/api/v1/projects', { name: 'a' }, headers);
    return post('/api/v1/projects', { name: 'b' }, headers);
  },
  hash_mismatch: () => {
    const change = wireChange('case-1', 'usr', [
      unseenOutcome(
        { profile: TRIO, version: '1.1', rule: 'parents_genotype_missing', item: 'item_1' },
        'TRUE',
      ),
    ]);
    return post('/api/v1/sync/cases/case-1/push', {
      protocol: 1,
      changes: [{ ...change, change: change.change.replace('TRUE', 'NA') }],
    });
  },
  // A newer client's body may have another form as well.
  unsupported_protocol: () => post('/api/v1/sync/cases/case-1/push', { protocol: 2, bundles: [] }),
  rate_limited: async () => {
    // Allowances grow with time: none of a busy machine's passes here.
    const at = Date.now();
    await using limited = await bootServer({
      deps: { clock: { now: () => at }, rateLimit: { perSecond: 2, writesPerSecond: 1 } },
    });
    let answer = await limited.call('GET', '/api/v1/projects');
    for (let i = 0; i < 5 && answer.status !== 429; i += 1)
      answer = await limited.call('GET', '/api/v1/projects');
    return { status: answer.status, body: answer.body, header: (name) => answer.headers.get(name) };
  },
  quota_exceeded: () =>
    failing(
      new StoreError(
        'quota_exceeded',
        'This account may hold 1 cases, and this would be more. Nothing was stored.',
      ),
    ),
  headers_too_large: () =>
    raw(`GET /api/v1/projects HTTP/1.1\r\nHost: ${host()}\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
  internal_error: () => failing(new TypeError('secret words of an accident')),
  integrity_error: () =>
    failing(new StoreError('integrity_error', 'A stored run no longer matches its hash.')),
  unavailable: () => failing(new StoreError('unavailable', 'The database does not answer.')),
  read_only: () => failing(new StoreError('read_only', 'The disk failed.')),
  storage_full: () => failing(new StoreError('storage_full', 'The disk is full.')),
};

/** Told by the memory of the process that the first of two requests is in. */
const OF_A_PROCESS = ['idempotency_in_progress'];

describe('every error code', () => {
  it.each(
    Object.entries(CASES).filter(([code]) => INSTANCES === 1 || !OF_A_PROCESS.includes(code)),
  )('%s is reached, with its status and the envelope', { timeout: 15_000 }, async (code, reach) => {
    const answer = await reach();
    expect([answer.body.error, answer.status]).toEqual([code, ERROR_STATUS[code as ErrorCode]]);
    expect(Object.keys(answer.body)).toEqual(['error', 'message', 'details', 'request_id']);
    expect(answer.body.message).toMatch(/^[A-Z0-9].*\.$/s);
    expect(answer.body.request_id).toMatch(/^req_[0-9a-f]{24}$/);
    expect(answer.header('x-request-id')).toBe(answer.body.request_id);
    expect(answer.header('cache-control')).toBe('no-store');
    expect(answer.header('x-content-type-options')).toBe('nosniff');
    expect(answer.header('access-control-allow-origin')).toBeNull();
    expect(JSON.stringify(answer.body)).not.toMatch(/secret words|passwd|SELECT|node:|\.ts/);
    if (answer.status === 401) expect(answer.header('www-authenticate')).toBe('Bearer');
    if (answer.status === 405) expect(answer.header('allow')).toBe('GET, HEAD, POST, OPTIONS');
    if (answer.status === 429 || answer.status === 503)
      expect(Number(answer.header('retry-after'))).toBeGreaterThan(0);
  });
  it('has a case for each code', () =>
    expect(Object.keys(CASES).toSorted()).toEqual(Object.keys(ERROR_STATUS).toSorted()));
});

describeAlone('the order of checks', () => {
  // A limit of one write a second is known to all instances a second later.
  alone(
    'is fixed: of a request with every fault, the faults are told one after the other',
    async () => {
      let now = Date.now();
      const advance = (ms: number): void => void (now += ms);
      await using limited = await bootServer({
        deps: { clock: { now: () => now }, rateLimit: { perSecond: 1_000, writesPerSecond: 1 } },
      });
      const own = new URL(limited.url).host;
      const full = await limited.makeKey();
      await limited.call('POST', '/api/v1/projects', { key: limited.readKey, body: {} });
      const big = 'x'.repeat(8 * 1024 * 1024 + 1);
      /** Each step mends one fault of the request; all later ones are still in it. */
      const steps: [ErrorCode, (request: Request) => void][] = [
        ['invalid_request', (request) => (request.hosts = ['evil.test'])],
        ['host_not_allowed', (request) => (request.hosts = [own])],
        ['origin_not_allowed', (request) => (request.origin = undefined)],
        ['key_in_url', (request) => (request.query = '?x=1')],
        ['missing_credentials', (request) => (request.key = limited.readKey)],
        ['not_found', (request) => (request.path = '/api/v1/cases/..%2f/evidence')],
        ['method_not_allowed', (request) => (request.method = 'POST')],
        ['rate_limited', () => advance(60_000)],
        ['insufficient_scope', (request) => (request.key = full)],
        ['invalid_uid', (request) => (request.path = '/api/v1/cases/case-1/evidence')],
        ['invalid_query', (request) => (request.query = '')],
        ['unsupported_media_type', (request) => (request.type = 'application/json')],
        ['payload_too_large', (request) => (request.body = '{')],
        ['invalid_json', (request) => (request.body = '{"profile_uid":7}')],
        ['validation_failed', (request) => (request.body = JSON.stringify({ profile_uid: TRIO }))],
        ['not_found', () => {}],
        ['precondition_failed', (request) => (request.match = undefined)],
      ];
      const request: Request = {
        method: 'PUT',
        path: '/api/v1/nowhere',
        query: `?key=${limited.key}`,
        hosts: ['evil.test', 'evil.test'],
        origin: 'http://evil.test',
        key: undefined,
        type: 'text/plain',
        body: big,
        match: '"v999"',
      };
      const seen: string[] = [];
      for (const [index, [, mend]] of steps.entries()) {
        // What is looked up exists from here on.
        if (index === 16) {
          advance(60_000);
          const project_id = (
            await limited.call('POST', '/api/v1/projects', { key: full, body: { name: 'P' } })
          ).body.project_id;
          advance(60_000);
          await limited.call('POST', '/api/v1/cases', {
            key: full,
            body: { project_id, case_uid: 'case-1' },
          });
        }
        advance(index === 7 ? 0 : 2_000);
        if (index === 7)
          await limited.call('POST', '/api/v1/projects', { key: limited.readKey, body: {} });
        const { body } = await rawRequest(limited.url, write(request));
        seen.push(JSON.parse(body).error);
        mend(request);
      }
      expect(seen).toEqual(steps.map(([code]) => code));
      advance(60_000);
      expect((await rawRequest(limited.url, write(request))).status).toBe(200);
    },
  );
});

interface Request {
  method: string;
  path: string;
  query: string;
  hosts: string[];
  origin: string | undefined;
  key: string | undefined;
  type: string;
  body: string;
  match: string | undefined;
}
function write({ method, path, query, hosts, origin, key, type, body, match }: Request): string {
  const headers = [
    ...hosts.map((name) => `Host: ${name}`),
    ...(origin === undefined ? [] : [`Origin: ${origin}`]),
    ...(key === undefined ? [] : [`Authorization: Bearer ${key}`]),
    ...(match === undefined ? [] : [`If-Match: ${match}`]),
    `Content-Type: ${type}`,
    `Content-Length: ${body.length}`,
  ];
  return `${method} ${path}${query} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
}
