import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Feed, UpdateRefused } from './feed.ts';

/** Longest time without a byte. */
const SILENCE_MS = 60_000;

/** Passes bytes on while they can still be the file that was signed. */
class SignedFile extends Transform {
  readonly #hash = createHash('sha512');
  readonly #feed: Feed;
  readonly #onBytes: (received: number) => void;
  #received = 0;
  constructor(feed: Feed, onBytes: (received: number) => void) {
    super();
    this.#feed = feed;
    this.#onBytes = onBytes;
  }
  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    this.#received += chunk.length;
    this.#hash.update(chunk);
    this.#onBytes(this.#received);
    if (this.#received > this.#feed.file.size) done(this.#refused('changed'));
    else done(null, chunk);
  }
  override _flush(done: TransformCallback): void {
    const { size, sha512 } = this.#feed.file;
    if (this.#received < size) done(this.#refused('cut'));
    else if (this.#hash.digest('base64') !== sha512) done(this.#refused('changed'));
    else done();
  }
  #refused(code: 'changed' | 'cut'): UpdateRefused {
    return new UpdateRefused(code, { version: this.#feed.version });
  }
}

/**
 * Loads the file of a list into `destination`. Rejects where it is not, to the byte, what was
 * signed.
 */
export async function download(
  url: URL,
  destination: string,
  {
    feed,
    fetch,
    onPercent,
    signal,
  }: {
    feed: Feed;
    fetch: typeof globalThis.fetch;
    onPercent(percent: number): void;
    signal: AbortSignal | undefined;
  },
): Promise<void> {
  const { version, file } = feed;
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    const ended = AbortSignal.any([silence.signal, ...(signal === undefined ? [] : [signal])]);
    const response = await fetch(url.href, { signal: ended });
    if (response.status !== 200 || response.body === null)
      throw new UpdateRefused('unreachable', { version });
    const checked = new SignedFile(feed, (received) => {
      timer.refresh();
      onPercent(Math.min(100, Math.floor((100 * received) / file.size)));
    });
    await pipeline(response.body, checked, createWriteStream(destination, { mode: 0o600 }));
  } catch (error) {
    throw refusalOf(error, version);
  } finally {
    clearTimeout(timer);
  }
}

function refusalOf(error: unknown, version: string): UpdateRefused {
  if (error instanceof UpdateRefused) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  return new UpdateRefused(isFull ? 'no_room' : 'cut', { version });
}
