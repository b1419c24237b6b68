import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openS3Store } from '../../../src/server/storage/blobs/s3-store.ts';
import { type RunningS3, startS3 } from '../../support/s3.ts';

const signal = (): AbortSignal => AbortSignal.timeout(20_000);
const bytes = Buffer.from('some bytes');

describe('objects in an S3 server', () => {
  let s3: RunningS3;
  beforeAll(async () => {
    s3 = await startS3();
  });
  afterAll(() => s3.stop());

  it('come back as they were, in one piece or in parts', async () => {
    const store = openS3Store(s3.place);
    expect(await store.get('acc_1/ab/one', signal())).toBeUndefined();
    await store.put('acc_1/ab/one', bytes, signal());
    expect(Buffer.from((await store.get('acc_1/ab/one', signal()))!)).toEqual(bytes);
    const large = Buffer.alloc(9 * 1_048_576, 'large');
    await store.put('acc_1/ab/large', large, signal());
    expect(large.equals((await store.get('acc_1/ab/large', signal()))!)).toBe(true);
  });

  it.each([
    ['SignatureDoesNotMatch', { secretAccessKey: 'another' }],
    ['InvalidAccessKeyId', { accessKeyId: 'nobody' }],
    ['NoSuchBucket', { bucket: 'no-such-bucket' }],
  ])(
    'are refused with %s, which is neither an outage nor a missing object',
    async (code, wrong) => {
      const store = openS3Store({ ...s3.place, ...wrong });
      const refused = { problem: 'refused', message: code };
      await expect(store.get('a', signal())).rejects.toMatchObject(refused);
      await expect(store.put('a', bytes, signal())).rejects.toMatchObject(refused);
    },
  );
});

/** What no S3 server does on demand. */
describe('an S3 server', () => {
  const seen: { method: string | undefined; headers: IncomingHttpHeaders; body: Buffer }[] = [];
  let answers: { status: number; text: string; tag?: string }[] = [];
  let server: Server;
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const { method, headers } = request;
      seen.push({ method, headers, body: await buffer(request) });
      const { status, text, tag } = answers.shift() ?? { status: 200, text: '' };
      response.writeHead(status, tag === undefined ? {} : { etag: tag }).end(text);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());
  const store = () =>
    openS3Store({
      kind: 's3',
      bucket: 'bucket',
      prefix: '',
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'us-east-1',
      pathStyle: true,
      accessKeyId: 'name',
      secretAccessKey: 'the-secret',
      sessionToken: 'the-token',
    });
  const error = (code: string): string => `<Error><Code>${code}</Code></Error>`;

  it('is told the SHA-256 of what it gets, in the signature and as a checksum, and no secret', async () => {
    await store().put('a', bytes, signal());
    const { headers, body } = seen.at(-1)!;
    const hash = createHash('sha256').update(bytes).digest();
    expect(body).toEqual(bytes);
    expect(headers).toMatchObject({
      'x-amz-content-sha256': hash.toString('hex'),
      'x-amz-checksum-sha256': hash.toString('base64'),
      'x-amz-security-token': 'the-token',
    });
    expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=name\//);
    expect(headers.authorization).toMatch(/SignedHeaders=[^,]*x-amz-checksum-sha256/);
    expect(JSON.stringify(headers)).not.toContain('the-secret');
  });

  it('is asked again where it failed for a moment, and then is out of reach', async () => {
    answers = [
      { status: 503, text: error('SlowDown') },
      { status: 500, text: '' },
    ];
    await store().put('a', bytes, signal());
    answers = Array.from({ length: 3 }, () => ({ status: 503, text: error('SlowDown') }));
    await expect(store().get('a', signal())).rejects.toMatchObject({
      problem: 'unreachable',
      message: 'SlowDown',
    });
  });

  it.each([
    [507, error('XMinioStorageFull'), 'full'],
    [403, error('AccessDenied'), 'refused'],
    [301, error('PermanentRedirect'), 'refused'],
    [400, 'not even XML', 'refused'],
  ])('answers %i: %s means %s', async (status, text, problem) => {
    answers = [{ status, text }];
    await expect(store().put('a', bytes, signal())).rejects.toMatchObject({ problem });
  });

  it.each([
    ['says 200 and an error to the last request', '"tag"', 'refused', 'InvalidPart'],
    ['says 200 and that it failed inside', '"tag"', 'unreachable', 'InternalError'],
    ['does not name what it has got', undefined, 'refused', 'ETag'],
  ])('that %s has not stored the parts, and is told to forget them', async (_, tag, ...means) => {
    const [problem, message] = means;
    const part = { status: 200, text: '', ...(tag && { tag }) };
    answers = [
      { status: 200, text: '<R><UploadId>u</UploadId></R>' },
      part,
      ...(tag === undefined ? [] : [part, { status: 200, text: error(message!) }]),
    ];
    await expect(store().put('a', Buffer.alloc(9 * 1_048_576), signal())).rejects.toMatchObject({
      problem,
      message,
    });
    expect(seen.at(-1)?.method).toBe('DELETE');
  });
});
