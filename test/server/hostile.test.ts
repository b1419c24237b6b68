import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCase, recordCell, TRIO } from '../support/evidence.ts';
import { rawRequest } from '../support/raw-http.ts';
import { bootServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let host: string;
let auth: string;
beforeAll(async () => {
  server = await bootServer({
    server: {
      limits: { headersTimeout: 900, requestTimeout: 1_500, connectionsCheckingInterval: 100 },
    },
  });
  host = new URL(server.url).host;
  auth = `Host: ${host}\r\nAuthorization: Bearer ${server.key}`;
  await makeCase(server, 'case-1');
  await recordCell(server, 'case-1');
});
afterAll(() => server.close());

const get = (target: string, headers = ''): string =>
  `GET ${target} HTTP/1.1\r\n${auth}\r\n${headers}\r\n`;
const post = (
  target: string,
  body: string | Buffer,
  headers = 'Content-Type: application/json',
): Buffer =>
  Buffer.concat([
    Buffer.from(
      `POST ${target} HTTP/1.1\r\n${auth}\r\n${headers}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
      'latin1',
    ),
    Buffer.from(body),
  ]);
const PROJECTS = '/api/v1/projects';
const EVIDENCE = '/api/v1/cases/case-1/evidence';
const cell = (raw: string): string =>
  `{"profile_uid":"${TRIO}","outcomes":[{"item_uid":"item_1","rule_uid":"parents_genotype_missing","raw_outcome":${raw}}]}`;

/** [what, bytes, status]. Status 0: the connection ends without an answer. */
const REQUESTS: [string, () => string | Buffer, number, string?][] = [
  ['no Host', () => `GET ${PROJECTS} HTTP/1.1\r\n\r\n`, 400, 'invalid_request'],
  ['HTTP/1.0 without Host', () => `GET ${PROJECTS} HTTP/1.0\r\n\r\n`, 400, 'invalid_request'],
  [
    'two Hosts',
    () => `GET ${PROJECTS} HTTP/1.1\r\n${auth}\r\nHost: evil.test\r\n\r\n`,
    400,
    'invalid_request',
  ],
  ['an empty Host', () => `GET ${PROJECTS} HTTP/1.1\r\nHost:\r\n\r\n`, 403, 'host_not_allowed'],
  [
    'a rebound Host',
    () =>
      `GET ${PROJECTS} HTTP/1.1\r\nHost: evil.test\r\nAuthorization: Bearer ${server.key}\r\n\r\n`,
    403,
    'host_not_allowed',
  ],
  [
    'a rebound Host with our port',
    () => `GET ${PROJECTS} HTTP/1.1\r\nHost: evil.test:${new URL(server.url).port}\r\n\r\n`,
    403,
    'host_not_allowed',
  ],
  [
    'our address without the port',
    () => `GET ${PROJECTS} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`,
    403,
    'host_not_allowed',
  ],
  [
    '0.0.0.0',
    () => `GET ${PROJECTS} HTTP/1.1\r\nHost: 0.0.0.0:${new URL(server.url).port}\r\n\r\n`,
    403,
    'host_not_allowed',
  ],
  [
    'the name of connections inside the process',
    () => `GET ${PROJECTS} HTTP/1.1\r\nHost: studio\r\n\r\n`,
    403,
    'host_not_allowed',
  ],
  [
    'a user in the Host',
    () => `GET ${PROJECTS} HTTP/1.1\r\nHost: a@${host}\r\n\r\n`,
    403,
    'host_not_allowed',
  ],
  [
    'an absolute target',
    () => `GET http://evil.test${PROJECTS} HTTP/1.1\r\n${auth}\r\n\r\n`,
    400,
    'invalid_request',
  ],
  [
    'an absolute target that is ours',
    () => `GET ${server.url}${PROJECTS} HTTP/1.1\r\n${auth}\r\n\r\n`,
    400,
    'invalid_request',
  ],
  ['an asterisk target', () => `OPTIONS * HTTP/1.1\r\n${auth}\r\n\r\n`, 400, 'invalid_request'],
  ['CONNECT', () => `CONNECT evil.test:443 HTTP/1.1\r\n${auth}\r\n\r\n`, 0],
  [
    'two keys',
    () => `GET ${PROJECTS} HTTP/1.1\r\n${auth}\r\nAuthorization: Bearer x\r\n\r\n`,
    400,
    'invalid_request',
  ],
  [
    'two content types',
    () => post(PROJECTS, '{}', 'Content-Type: text/plain\r\nContent-Type: application/json'),
    400,
    'invalid_request',
  ],
  [
    'too many headers',
    () => get(PROJECTS, Array.from({ length: 70 }, (_, i) => `X-${i}: 1\r\n`).join('')),
    431,
    'headers_too_large',
  ],
  ['a huge header', () => get(PROJECTS, `X: ${'x'.repeat(20_000)}\r\n`), 431, 'headers_too_large'],
  ['a huge target', () => get(`${PROJECTS}?${'x'.repeat(20_000)}`), 431, 'headers_too_large'],
  [
    'length and chunks',
    () =>
      `POST ${PROJECTS} HTTP/1.1\r\n${auth}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
    'invalid_request',
  ],
  [
    'a negative length',
    () => `POST ${PROJECTS} HTTP/1.1\r\n${auth}\r\nContent-Length: -5\r\n\r\n`,
    400,
    'invalid_request',
  ],
  [
    'two lengths',
    () =>
      `POST ${PROJECTS} HTTP/1.1\r\n${auth}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
    400,
    'invalid_request',
  ],
  ['bare line feeds', () => `GET ${PROJECTS} HTTP/1.1\nHost: ${host}\n\n`, 400, 'invalid_request'],
  [
    'an unknown method',
    () => `FOO ${PROJECTS} HTTP/1.1\r\n${auth}\r\n\r\n`,
    400,
    'invalid_request',
  ],
  ['no HTTP at all', () => `\x16\x03\x01\x02\x00\x01\x00\r\n\r\n`, 400, 'invalid_request'],
  [
    'a broken chunk',
    () =>
      `POST ${PROJECTS} HTTP/1.1\r\n${auth}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    400,
    'invalid_request',
  ],
  ['TRACE', () => `TRACE ${PROJECTS} HTTP/1.1\r\n${auth}\r\n\r\n`, 405, 'method_not_allowed'],
  [
    'an odd expectation',
    () => `POST ${PROJECTS} HTTP/1.1\r\n${auth}\r\nExpect: miracles\r\nContent-Length: 2\r\n\r\n{}`,
    400,
    'invalid_request',
  ],
  ['slow headers', () => `GET ${PROJECTS} HTTP/1.1\r\nHost: ${host}\r\n`, 408, 'request_timeout'],
  [
    'a slow body',
    () =>
      `POST ${PROJECTS} HTTP/1.1\r\n${auth}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"name":`,
    408,
    'request_timeout',
  ],
  ['an upgrade', () => get(PROJECTS, 'Connection: Upgrade\r\nUpgrade: websocket\r\n'), 200],
  [
    'a foreign Origin',
    () => get(PROJECTS, 'Origin: http://evil.test\r\n'),
    403,
    'origin_not_allowed',
  ],
  ['Origin null', () => get(PROJECTS, 'Origin: null\r\n'), 403, 'origin_not_allowed'],
  [
    'the other of our names as Origin',
    () => get(PROJECTS, `Origin: http://localhost:${new URL(server.url).port}\r\n`),
    403,
    'origin_not_allowed',
  ],
  [
    'our Origin by https',
    () => get(PROJECTS, `Origin: https://${host}\r\n`),
    403,
    'origin_not_allowed',
  ],
  [
    'a cross-site image',
    () =>
      get(
        PROJECTS,
        'Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n',
      ),
    403,
    'origin_not_allowed',
  ],
  [
    'another port of this computer',
    () => get(PROJECTS, 'Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: cors\r\n'),
    403,
    'origin_not_allowed',
  ],
  [
    'a cross-site navigation into the API',
    () =>
      get(
        PROJECTS,
        'Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n',
      ),
    403,
    'origin_not_allowed',
  ],
  [
    'a cross-site sign-in',
    () =>
      get(
        '/sign-in?token=x',
        'Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n',
      ),
    403,
    'origin_not_allowed',
  ],
  [
    'a cross-site frame of a page',
    () =>
      get(
        '/docs',
        'Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n',
      ),
    403,
    'origin_not_allowed',
  ],
  [
    'a preflight',
    () =>
      `OPTIONS ${PROJECTS} HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://evil.test\r\nAccess-Control-Request-Method: POST\r\n\r\n`,
    403,
    'origin_not_allowed',
  ],
  [
    'OPTIONS without a key',
    () => `OPTIONS ${PROJECTS} HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    401,
    'missing_credentials',
  ],
  [
    'an unknown path without a key',
    () => `GET /api/v1/nowhere HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    401,
    'missing_credentials',
  ],
  [
    'a key in the query, escaped',
    () => get(`${PROJECTS}?t=${server.key.replace('e', '%65')}`),
    400,
    'key_in_url',
  ],
  ['a key in the path', () => get(`/api/v1/runs/${server.key}`), 400, 'key_in_url'],
  ['another case of the path', () => get('/API/V1/projects'), 404, 'not_found'],
  ['another case below the prefix', () => get('/api/v1/Projects'), 404, 'not_found'],
  ['a slash too many', () => get(`${PROJECTS}/`), 404, 'not_found'],
  ['two slashes', () => get('/api//v1/projects'), 404, 'not_found'],
  ['dot segments', () => get(`/api/v1/cases/../evidence?profile_uid=${TRIO}`), 400, 'invalid_uid'],
  [
    'escaped dot segments',
    () => get(`/api/v1/cases/%2e%2e/evidence?profile_uid=${TRIO}`),
    400,
    'invalid_uid',
  ],
  [
    'a path out of the folder',
    () => get(`/api/v1/cases/..%2f..%2fetc%2fpasswd/evidence?profile_uid=${TRIO}`),
    400,
    'invalid_uid',
  ],
  [
    'NUL in a uid',
    () => get(`/api/v1/cases/a%00b/evidence?profile_uid=${TRIO}`),
    400,
    'invalid_uid',
  ],
  [
    'a line break in a uid',
    () => get(`/api/v1/cases/a%0d%0aX:1/evidence?profile_uid=${TRIO}`),
    400,
    'invalid_uid',
  ],
  [
    'overlong UTF-8 in a uid',
    () => get(`/api/v1/cases/%C0%AE/evidence?profile_uid=${TRIO}`),
    400,
    'invalid_path',
  ],
  [
    '__proto__ as a uid',
    () => get(`/api/v1/cases/__proto__/evidence?profile_uid=${TRIO}`),
    400,
    'invalid_uid',
  ],
  [
    'constructor, an ordinary uid',
    () => get(`/api/v1/cases/constructor/evidence?profile_uid=${TRIO}`),
    404,
    'not_found',
  ],
  ['__proto__ as a parameter', () => get(`${PROJECTS}?__proto__=1`), 400, 'invalid_query'],
  ['limit 0x10', () => get(`${PROJECTS}?limit=0x10`), 400, 'invalid_query'],
  ['limit -1', () => get(`${PROJECTS}?limit=-1`), 400, 'invalid_query'],
  ['limit 201', () => get(`${PROJECTS}?limit=201`), 400, 'invalid_query'],
  ['a limit with spaces', () => get(`${PROJECTS}?limit=%205%20`), 400, 'invalid_query'],
  ['an invented cursor', () => get(`${PROJECTS}?cursor=AAAA`), 400, 'invalid_query'],
  ['a body on a read', () => get(PROJECTS, 'Content-Length: 2\r\n') + '{}', 400, 'invalid_request'],
  [
    'text',
    () => post(PROJECTS, '{"name":"a"}', 'Content-Type: text/plain'),
    415,
    'unsupported_media_type',
  ],
  [
    'a form',
    () => post(PROJECTS, 'name=a', 'Content-Type: application/x-www-form-urlencoded'),
    415,
    'unsupported_media_type',
  ],
  [
    'a JSON patch',
    () => post(PROJECTS, '[]', 'Content-Type: application/json-patch+json'),
    415,
    'unsupported_media_type',
  ],
  [
    'UTF-16',
    () => post(PROJECTS, '{}', 'Content-Type: application/json; charset=utf-16'),
    415,
    'unsupported_media_type',
  ],
  ['no type', () => post(PROJECTS, '{}', 'X: 1'), 415, 'unsupported_media_type'],
  [
    'a compressed body',
    () =>
      post(
        PROJECTS,
        gzipSync('{"name":"a"}'),
        'Content-Type: application/json\r\nContent-Encoding: gzip',
      ),
    415,
    'unsupported_media_type',
  ],
  [
    'a gzip bomb',
    () =>
      post(
        '/api/v1/sync/cases/bombed/push',
        gzipSync(Buffer.alloc(64 * 1024 * 1024, ' ')),
        'Content-Type: application/json\r\nContent-Encoding: gzip',
      ),
    413,
    'payload_too_large',
  ],
  [
    'gzip that is none',
    () =>
      post(
        '/api/v1/sync/cases/bombed/push',
        '{}',
        'Content-Type: application/json\r\nContent-Encoding: gzip',
      ),
    400,
    'invalid_encoding',
  ],
  [
    'an announced 9 MiB',
    () =>
      `POST ${PROJECTS} HTTP/1.1\r\n${auth}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 9437184\r\n\r\n`,
    413,
    'payload_too_large',
  ],
  [
    'a body a byte too large',
    () => post(PROJECTS, `"${'x'.repeat(1024 * 1024 - 1)}"`),
    413,
    'payload_too_large',
  ],
  ['an empty body', () => post(PROJECTS, ''), 400, 'invalid_json'],
  [
    'invalid UTF-8',
    () => post(PROJECTS, Buffer.from([0x7b, 0xc3, 0x28, 0x7d])),
    400,
    'invalid_encoding',
  ],
  ['a byte order mark', () => post(PROJECTS, '\ufeff{"name":"a"}'), 400, 'invalid_json'],
  ['a hundred thousand brackets', () => post(PROJECTS, '['.repeat(100_000)), 400, 'json_too_deep'],
  ['a repeated key', () => post(PROJECTS, '{"name":"a","name":"b"}'), 400, 'duplicate_key'],
  [
    '__proto__ as a key',
    () => post('/api/v1/cases', '{"metadata":{"__proto__":{"a":1}}}'),
    400,
    'forbidden_key',
  ],
  ['an unsafe integer', () => post(PROJECTS, '{"name":9007199254740993}'), 400, 'invalid_json'],
  [
    'an infinite number',
    () =>
      post(
        '/api/v1/runs',
        `{"case_uid":"case-1","profile_uid":"${TRIO}","settings":{"ci_level":1e400}}`,
      ),
    400,
    'invalid_json',
  ],
  ['a lone surrogate', () => post(PROJECTS, '{"name":"\\ud800"}'), 422, 'validation_failed'],
  [
    'a lone surrogate deep in metadata',
    () => post('/api/v1/cases', '{"project_id":"x","case_uid":"c","metadata":{"a":["\\udfff"]}}'),
    422,
    'validation_failed',
  ],
  ['NUL in a text', () => post(PROJECTS, '{"name":"a\\u0000b"}'), 422, 'validation_failed'],
  [
    'an item uid that hides its end',
    () => post(EVIDENCE, cell('"TRUE"').replace('item_1', 'item\\u202e_1')),
    422,
    'validation_failed',
  ],
  [
    'a decomposed item uid',
    () => post(EVIDENCE, cell('"TRUE"').replace('item_1', 'e\\u0301')),
    422,
    'validation_failed',
  ],
  ['a boolean outcome', () => post(EVIDENCE, cell('false')), 422, 'validation_failed'],
  ['the outcome "true"', () => post(EVIDENCE, cell('"true"')), 422, 'validation_failed'],
  ['a padded outcome', () => post(EVIDENCE, cell('" TRUE"')), 422, 'validation_failed'],
  [
    'a server-owned field',
    () => post(PROJECTS, '{"name":"a","account_id":"acc_other"}'),
    422,
    'validation_failed',
  ],
  ['an array for an object', () => post(PROJECTS, '[]'), 422, 'validation_failed'],
  ['null', () => post(PROJECTS, 'null'), 422, 'validation_failed'],
  ['SQL in a uid', () => get("/api/v1/runs/x'%20OR%201=1--"), 400, 'invalid_uid'],
  [
    'a witness that is none',
    () => get('/api/v1/sync/cases/case-1/changes?after=0', 'Sync-Witness: a;b;c\r\n'),
    400,
    'invalid_request',
  ],
  [
    'an If-Match that is none',
    () => post(PROJECTS, '{"name":"a"}', 'Content-Type: application/json\r\nIf-Match: v1'),
    400,
    'invalid_request',
  ],
  [
    'a precondition where none is taken',
    () =>
      post(
        '/api/v1/sync/cases/case-1/push',
        '{}',
        'Content-Type: application/json\r\nIf-Match: "v1"',
      ),
    400,
    'invalid_request',
  ],
  [
    'an idempotency key with a space',
    () => post(PROJECTS, '{"name":"a"}', 'Content-Type: application/json\r\nIdempotency-Key: a b'),
    400,
    'invalid_request',
  ],
];

describe('hostile requests', () => {
  it.each(REQUESTS)('%s', { timeout: 15_000 }, async (_, bytes, status, code) => {
    const before = await server.stored();
    const answer = await rawRequest(server.url, bytes());
    expect(answer.status).toBe(status);
    if (code !== undefined) {
      const envelope = JSON.parse(answer.body);
      expect(envelope.error).toBe(code);
      expect(JSON.stringify(envelope)).not.toMatch(/evil|passwd|evs_[0-9A-Za-z]{10}_|OR 1=1/);
    }
    if (status !== 0) {
      expect(answer.head).toMatch(/^x-content-type-options: nosniff/im);
      expect(answer.head).toMatch(/^content-security-policy: default-src 'none'/im);
    }
    expect(answer.head).not.toMatch(/access-control|x-powered-by|^server:/im);
    expect(await server.stored()).toBe(before);
  });

  it('leave the server working, and the prototype of objects as it was', async () => {
    expect((await server.call('GET', PROJECTS)).status).toBe(200);
    expect({}).not.toHaveProperty('a');
    expect(server.log()).not.toContain(server.key.slice(15));
    expect(server.log()).not.toMatch(/"level":50/);
  });

  it('a bad chunk in a pipeline does not change the answer before it', async () => {
    const answer = await rawRequest(server.url, `${get(PROJECTS)}\r\nGARBAGE`);
    expect(answer.status).toBe(200);
  });
});
