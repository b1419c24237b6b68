import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../context/errors.ts';

/** Bytes of bodies that have not arrived in full yet, over all connections. */
const MAX_BYTES = 256 * 1024 * 1024;
/** A body that brings so many bytes more counts as coming along. */
const STEP = 64 * 1024;
/**
 * How much of a refused body is still read and thrown away before the connection is closed, so that
 * the client gets to read the answer.
 */
const DISCARD_BYTES = 16 * 1024 * 1024;
const DISCARD_MS = 2_000;

/**
 * Reads on for a moment, so that a client that is still sending sees the refusal instead of a reset
 * connection.
 */
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

export function tooLarge(limit: number): ApiError {
  return new ApiError('payload_too_large', {
    message: `The body is larger than ${limit} bytes.`,
    headers: { Connection: 'close' },
  });
}

/**
 * The whole of a body. Its parts are given back at once: this thread collects its garbage too
 * rarely to keep them until then.
 */
function join(parts: readonly Buffer[], size: number): Buffer {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const whole = Buffer.concat(parts, size);
  for (const { buffer, byteLength } of parts)
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
  return whole;
}

/** A body that is on its way: who sends it, how much of it is here, and how to end it early. */
interface Coming {
  sender: string;
  size: number;
  giveWay(): void;
}

/**
 * The bodies that are being received. What they take is memory, so bytes are counted and not
 * bodies: one that comes slowly, or not at all, takes next to nothing, and keeps nobody out.
 */
export class Bodies {
  readonly #most: number;
  /** Those that have not come along for the longest time first. */
  readonly #coming = new Set<Coming>();
  #bytes = 0;

  constructor(most: number = MAX_BYTES) {
    this.#most = most;
  }

  /**
   * Notes bytes that have come. Where they are too many in all, somebody's are given up, which may
   * be this one's.
   */
  #came(body: Coming, bytes: number): void {
    const isAlong = Math.floor((body.size + bytes) / STEP) > Math.floor(body.size / STEP);
    body.size += bytes;
    this.#bytes += bytes;
    if (isAlong) {
      this.#coming.delete(body);
      this.#coming.add(body);
    }
    while (this.#bytes > this.#most) this.#giveUpOne();
  }

  #gone(body: Coming): void {
    if (this.#coming.delete(body)) this.#bytes -= body.size;
  }

  /**
   * Of the senders with far more than their share, or else of all, the body that has not come along
   * for the longest time. Short ones would free nothing.
   */
  #giveUpOne(): void {
    const held = new Map<string, number>();
    for (const { sender, size } of this.#coming) held.set(sender, (held.get(sender) ?? 0) + size);
    const share = this.#most / held.size;
    const long = [...this.#coming].filter(({ size }) => size >= STEP);
    const body =
      long.find(({ sender }) => held.get(sender)! > 2 * share) ?? long[0] ?? [...this.#coming][0]!;
    body.giveWay();
  }

  #receive(req: IncomingMessage, limit: number, sender: string): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const refuse = (refusal: ApiError): void => {
        req.off('data', onData);
        this.#gone(body);
        reject(refusal);
      };
      const body: Coming = {
        sender,
        size: 0,
        giveWay: () =>
          refuse(
            new ApiError('request_timeout', {
              message: 'The body came too slowly while others waited.',
              headers: { Connection: 'close' },
            }),
          ),
      };
      const onData = (chunk: Buffer): void => {
        if (body.size + chunk.length > limit) return refuse(tooLarge(limit));
        chunks.push(chunk);
        this.#came(body, chunk.length);
      };
      this.#coming.add(body);
      req.on('data', onData);
      req.once('end', () => {
        this.#gone(body);
        resolve(join(chunks, body.size));
      });
      // The client went away, or the parser refused what came next. Nobody reads this answer.
      const aborted = (): void =>
        refuse(new ApiError('invalid_request', { message: 'The body ended early.' }));
      req.once('error', aborted);
      req.once('close', aborted);
      // The client had gone away before these listeners were added.
      if (req.destroyed) aborted();
    });
  }

  /**
   * Receives a body of at most `limit` bytes. Memory is shared fairly among the values of `sender`.
   */
  async receive(
    req: IncomingMessage,
    res: ServerResponse,
    limit: number,
    sender: string,
  ): Promise<Buffer> {
    const announced = Number(req.headers['content-length'] ?? 0);
    if (announced > limit) {
      if (req.headers.expect === undefined) await discard(req);
      throw tooLarge(limit);
    }
    try {
      if (req.headers.expect !== undefined) res.writeContinue();
      return await this.#receive(req, limit, sender);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'payload_too_large') await discard(req);
      throw error;
    }
  }
}
