import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { nodeFetch } from '../../network/node-fetch.ts';
import { codeOf, MAX_OBJECT_BYTES, type ObjectStore, ObjectStoreError } from './object-store.ts';
import type { S3Place } from './place.ts';

/** Larger objects are sent in parts of this size; S3 takes no smaller ones but the last. */
const PART_BYTES = 8 * 1_048_576;
/** How long a request may take, and what it is given more for each byte that it sends: 1 MB/s. */
const REQUEST_MS = 4_000;
const MS_PER_BYTE = 1 / 1_000;
/** Waits before a request that failed at once is sent again, ms. */
const AGAIN_MS = [50, 250];
/** Codes of what may pass, whichever status they come with. */
const PASSING = new Set(['InternalError', 'RequestTimeout', 'ServiceUnavailable', 'SlowDown']);
const NONE = new Uint8Array();

interface S3Request {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  key: string;
  query?: string;
  bytes?: Uint8Array;
  headers?: Record<string, string>;
}

interface S3Answer {
  status: number;
  headers: Headers;
  bytes: Uint8Array;
}

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/** The text of an XML element that holds no others. */
function element(answer: S3Answer, name: string): string | undefined {
  const text = Buffer.from(answer.bytes).toString('utf8');
  return new RegExp(`<${name}>([^<]{1,2000})</${name}>`).exec(text)?.[1];
}

/** Where an object is: the bucket is in the path, or in the name of the host. */
export function addressOf({ endpoint, bucket, prefix, pathStyle }: S3Place, key: string): URL {
  const url = new URL(endpoint);
  const full = prefix === '' ? key : `${prefix}/${key}`;
  if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`;
  url.pathname = pathStyle ? `/${bucket}/${full}` : `/${full}`;
  return url;
}

/** What an answer other than 2xx means. */
function refusalOf(answer: S3Answer): ObjectStoreError {
  const { status } = answer;
  const code = /^\w+$/.exec(element(answer, 'Code') ?? '')?.[0] ?? String(status);
  if (status === 507 || code.endsWith('StorageFull') || code === 'QuotaExceeded')
    return new ObjectStoreError('full', code);
  const mayPass = status >= 500 || status === 429 || status === 408 || PASSING.has(code);
  return new ObjectStoreError(mayPass ? 'unreachable' : 'refused', code);
}

/** Requests to one bucket: signed with the hash of their body, which the store compares. */
class S3Requests {
  readonly #place: S3Place;
  /** Signing keys, which are good for a day. */
  readonly #keys = new Map<string, ArrayBuffer>();

  constructor(place: S3Place) {
    this.#place = place;
  }

  async #once(
    { method, key, query, bytes = NONE, headers = {} }: S3Request,
    signal: AbortSignal,
  ): Promise<S3Answer> {
    const { accessKeyId, secretAccessKey, sessionToken, region } = this.#place;
    const address = addressOf(this.#place, key);
    if (query !== undefined) address.search = query;
    const signed = await new AwsV4Signer({
      method,
      url: address.href,
      headers: { ...headers, 'x-amz-content-sha256': sha256(bytes).toString('hex') },
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      service: 's3',
      region,
      cache: this.#keys,
    }).sign();
    const response = await nodeFetch(signed.url, {
      method,
      headers: signed.headers,
      ...(method === 'PUT' || method === 'POST' ? { body: Buffer.from(bytes) } : {}),
      redirect: 'manual',
      signal,
    });
    if (Number(response.headers.get('content-length') ?? 0) > MAX_OBJECT_BYTES) {
      await response.body?.cancel();
      return { status: 404, headers: response.headers, bytes: NONE };
    }
    return {
      status: response.status,
      headers: response.headers,
      bytes: new Uint8Array(await response.arrayBuffer()),
    };
  }

  /** The answer, whatever it says. Throws ObjectStoreError where there is none. */
  async #answer(request: S3Request, signal: AbortSignal): Promise<S3Answer> {
    const limit = Math.ceil(REQUEST_MS + (request.bytes?.length ?? 0) * MS_PER_BYTE);
    const ended = AbortSignal.any([signal, AbortSignal.timeout(limit)]);
    try {
      return await this.#once(request, ended);
    } catch (error) {
      throw new ObjectStoreError('unreachable', codeOf(error), { cause: error });
    }
  }

  /**
   * The answer to a request that may be sent again, and is where it failed for a moment; not where
   * nobody answered in time, since others wait behind it.
   */
  async send(request: S3Request, signal: AbortSignal): Promise<S3Answer> {
    for (let attempt = 0; ; attempt += 1) {
      const wait = AGAIN_MS[attempt];
      try {
        const answer = await this.#answer(request, signal);
        if (answer.status < 300 || answer.status === 404) return answer;
        throw refusalOf(answer);
      } catch (error) {
        const mayPass =
          error instanceof ObjectStoreError &&
          error.problem === 'unreachable' &&
          !/Timeout|Abort/.test(error.message);
        if (!mayPass || wait === undefined) throw error;
        await delay(wait);
      }
    }
  }
}

/** A key of a bucket that is not there is not missing: nothing can be said of it. */
function missing(answer: S3Answer): undefined {
  if (element(answer, 'Code') === 'NoSuchBucket') throw refusalOf(answer);
  return undefined;
}

async function putParts(
  requests: S3Requests,
  key: string,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<void> {
  const begun = await requests.send({ method: 'POST', key, query: 'uploads=' }, signal);
  const uploadId = element(begun, 'UploadId');
  if (uploadId === undefined) throw new ObjectStoreError('refused', 'UploadId');
  const upload = `uploadId=${encodeURIComponent(uploadId)}`;
  try {
    const tags: string[] = [];
    for (let start = 0; start < bytes.length; start += PART_BYTES) {
      const part = {
        method: 'PUT',
        key,
        query: `partNumber=${tags.length + 1}&${upload}`,
        bytes: bytes.subarray(start, start + PART_BYTES),
      } as const;
      const { status, headers } = await requests.send(part, signal);
      const tag = headers.get('etag');
      if (status === 404 || tag === null) throw new ObjectStoreError('refused', 'ETag');
      tags.push(tag);
    }
    const list = tags
      .map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${tag}</ETag></Part>`)
      .join('');
    const text = `<CompleteMultipartUpload>${list}</CompleteMultipartUpload>`;
    const done = await requests.send(
      { method: 'POST', key, query: upload, bytes: Buffer.from(text) },
      signal,
    );
    // It may fail after it has answered 200.
    if (done.status === 404 || element(done, 'Code') !== undefined) throw refusalOf(done);
  } catch (error) {
    await requests.send({ method: 'DELETE', key, query: upload }, signal).catch(() => undefined);
    throw error;
  }
}

/**
 * Objects in a bucket of an S3-compatible store. What is sent carries its SHA-256 in the signature
 * and as a checksum that S3 keeps with the object.
 */
export function openS3Store(place: S3Place): ObjectStore {
  const requests = new S3Requests(place);
  return {
    async put(key, bytes, signal) {
      if (bytes.length > PART_BYTES) return putParts(requests, key, bytes, signal);
      const answer = await requests.send(
        {
          method: 'PUT',
          key,
          bytes,
          headers: {
            'content-type': 'application/octet-stream',
            'x-amz-checksum-sha256': sha256(bytes).toString('base64'),
          },
        },
        signal,
      );
      if (answer.status === 404) throw refusalOf(answer);
    },
    async get(key, signal) {
      const answer = await requests.send({ method: 'GET', key }, signal);
      return answer.status === 404 ? missing(answer) : answer.bytes;
    },
  };
}
