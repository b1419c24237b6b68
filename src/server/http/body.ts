import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Refusal } from '../errors.ts';
import { parseJson } from './json-scan.ts';

const JSON_TYPE = /^application\/json(?:\s*;\s*charset=(?:utf-8|"utf-8"))?\s*$/i;
/** Most bodies received at one time, over all connections. */
const MAX_READING = 32;
/** Turns of the event loop that a new body waits for a free place before another sender has to give one up. */
const TURNS = 4;
/** How much of a refused body is still read and thrown away before the connection is closed, so that the client gets to read the answer. */
const DISCARD_BYTES = 16 * 1024 * 1024;
const DISCARD_MS = 2_000;

/** The bodies being received, in the order in which they began: who sends each, and how to end it early. */
const reading = new Set<{ sender: string; giveWay(): void }>();
const unzip = promisify(gunzip);

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
  if (type === undefined || !JSON_TYPE.test(type)) throw new Refusal('unsupported_media_type');
  if (coding !== 'identity' && !gzip) throw new Refusal('unsupported_media_type');
  return { gzip };
}

/** Unpacks to at most `limit` bytes, however small the packed body is. */
async function inflate(bytes: Uint8Array, limit: number): Promise<Buffer> {
  try {
    return await unzip(bytes, { maxOutputLength: limit });
  } catch (error) {
    throw error instanceof RangeError ? tooLarge(limit) : new Refusal('invalid_encoding', { message: 'The body is not the gzip that its header says.' });
  }
}

/** Reads on for a moment, so that a client that is still sending sees the refusal instead of a reset connection. */
async function discard(req: IncomingMessage): Promise<void> {
  let left = DISCARD_BYTES;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, DISCARD_MS);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    req.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) done();
    });
    req.once('end', done);
    req.once('close', done);
    req.resume();
  });
}

function tooLarge(limit: number): Refusal {
  return new Refusal('payload_too_large', { message: `The body is larger than ${limit} bytes.`, headers: { Connection: 'close' } });
}

/** Where all places are taken, the sender with the most of them loses its oldest. A sender that holds half of them is refused itself. */
async function makeRoom(sender: string): Promise<void> {
  // Short bodies that have arrived already are done at the next turn, so a moment's patience is often enough.
  for (let turn = 0; reading.size >= MAX_READING && turn < TURNS; turn += 1) await nextTurn();
  if (reading.size < MAX_READING) return;
  const held = new Map<string, number>();
  for (const body of reading) held.set(body.sender, (held.get(body.sender) ?? 0) + 1);
  const most = Math.max(...held.values());
  const own = held.get(sender) ?? 0;
  if (own >= MAX_READING / 2) throw new Refusal('rate_limited', { message: 'Too many bodies of this account are on their way; wait until they have come.' });
  const greedy = [...reading].find((body) => held.get(body.sender) === most && most > own + 1);
  if (greedy === undefined) throw new Refusal('unavailable');
  greedy.giveWay();
}

function receive(req: IncomingMessage, limit: number, sender: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const refuse = (refusal: Refusal): void => {
      req.off('data', onData);
      reading.delete(place);
      reject(refusal);
    };
    const place = { sender, giveWay: () => refuse(new Refusal('request_timeout', { message: 'The body came too slowly while others waited.', headers: { Connection: 'close' } })) };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limit) refuse(tooLarge(limit));
      else chunks.push(chunk);
    };
    reading.add(place);
    req.on('data', onData);
    req.once('end', () => {
      reading.delete(place);
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size));
    });
    // The client went away, or the parser refused what came next. Nobody reads this answer.
    const aborted = (): void => refuse(new Refusal('invalid_request', { message: 'The body ended early.' }));
    req.once('error', aborted);
    req.once('close', aborted);
    // The client had gone away before these listeners were added.
    if (req.destroyed) aborted();
  });
}

/** Receives a body of at most `limit` bytes. Places are shared fairly among the values of `sender`. */
export async function receiveBody(req: IncomingMessage, res: ServerResponse, limit: number, sender: string): Promise<Buffer> {
  const announced = Number(req.headers['content-length'] ?? 0);
  if (announced > limit) {
    if (req.headers.expect === undefined) await discard(req);
    throw tooLarge(limit);
  }
  await makeRoom(sender);
  try {
    if (req.headers.expect !== undefined) res.writeContinue();
    return await receive(req, limit, sender);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'payload_too_large') await discard(req);
    throw error;
  }
}

/** A body as it was sent. */
export interface Received {
  bytes: Uint8Array;
  gzip: boolean;
  /** Most bytes, packed and unpacked. */
  limit: number;
}

/** Receives a request's body: media type and size are checked in that order. */
export async function receiveJson(req: IncomingMessage, res: ServerResponse, limit: number, mayBeGzip: boolean, sender: string): Promise<Received> {
  const { gzip } = checkType(req, mayBeGzip);
  return { bytes: await receiveBody(req, res, limit, sender), gzip, limit };
}

/** Reads a body that has arrived: its unpacked size, encoding and JSON are checked in that order. */
export async function readJson({ bytes: received, gzip, limit }: Received): Promise<Body> {
  const bytes = gzip ? await inflate(received, limit) : Buffer.from(received.buffer, received.byteOffset, received.byteLength);
  if (!isUtf8(bytes)) throw new Refusal('invalid_encoding');
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
