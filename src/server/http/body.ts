import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiError } from '../context/errors.ts';
import { tooLarge } from './bodies.ts';
import { isSyncPath } from './compression.ts';
import type { RequestBody } from '../context/call.ts';
import type { RequestContext } from '../context/request.ts';
import { unzip } from '../network/gzip.ts';
import { parseJson } from './json-scan.ts';

const JSON_TYPE = /^application\/json(?:\s*;\s*charset=(?:utf-8|"utf-8"))?\s*$/i;

export interface Body {
  value: unknown;
  /** The text as received: a profile is stored exactly so. */
  text: string;
  bytes: Buffer;
}

/** Checks the media type; answers whether the body is compressed, which only some paths allow. */
function checkType(req: IncomingMessage, mayBeGzip: boolean): { gzip: boolean } {
  const type = req.headers['content-type'];
  const coding = req.headers['content-encoding']?.toLowerCase() ?? 'identity';
  const gzip = mayBeGzip && coding === 'gzip';
  if (type === undefined || !JSON_TYPE.test(type)) throw new ApiError('unsupported_media_type');
  if (coding !== 'identity' && !gzip) throw new ApiError('unsupported_media_type');
  return { gzip };
}

/** Unpacks to at most `limit` bytes, however small the packed body is. */
async function inflate(bytes: Uint8Array, limit: number): Promise<Buffer> {
  try {
    return await unzip(bytes, limit);
  } catch (error) {
    throw error instanceof RangeError
      ? tooLarge(limit)
      : new ApiError('invalid_encoding', {
          message: 'The body is not the gzip that its header says.',
        });
  }
}

/** Throws unless the body is said to be plain JSON. */
export const requireJson = ({ req }: RequestContext): void => void checkType(req, false);

/** Receives a request's body: media type and size are checked in that order. */
export async function receiveJson(
  { req, res, bodies, path }: RequestContext,
  limit: number,
  sender: string,
): Promise<RequestBody> {
  const { gzip } = checkType(req, isSyncPath(path));
  return { bytes: await bodies.receive(req, res, limit, sender), gzip, limit };
}

/**
 * Reads a body that has arrived: its unpacked size, encoding and JSON are checked in that order.
 */
export async function readJson({ bytes: received, gzip, limit }: RequestBody): Promise<Body> {
  const bytes = gzip
    ? await inflate(received, limit)
    : Buffer.from(received.buffer, received.byteOffset, received.byteLength);
  if (!isUtf8(bytes)) throw new ApiError('invalid_encoding');
  await nextTurn();
  const text = bytes.toString('utf8');
  const value = parseJson(text);
  await nextTurn();
  return { value, text, bytes };
}

/** Digest of what an Idempotency-Key is bound to: the path and the exact bytes of the body. */
export function requestDigest(path: string, body: Buffer): string {
  return createHash('sha256').update(path).update('\n').update(body).digest('hex');
}
