import { createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { UpdateRefusal } from '../../shared/contract/updates.ts';
import { RELEASE } from './release.ts';

/** Why an update is not taken; what it says to a person is in the contract. */
export class UpdateRefused extends Error {
  readonly code: UpdateRefusal;
  readonly version: string;
  readonly known: string;
  constructor(code: UpdateRefusal, { version = '', known = '' } = {}) {
    super(code);
    this.code = code;
    this.version = version;
    this.known = known;
  }
}

const isLoopback = ({ hostname }: URL): boolean => ['127.0.0.1', '[::1]'].includes(hostname);
const Address = z.url().refine((text) => {
  const url = new URL(text);
  return (
    url.pathname.endsWith('/') &&
    `${url.search}${url.hash}${url.username}` === '' &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url)))
  );
}, 'The address begins with https and ends with a slash.');
const PublicKey = z.base64().refine((text) => ed25519(text) !== undefined);

/** Where a package looks for updates, and the publisher's keys, by which it knows them. */
export const UpdateSource = z.strictObject({
  url: Address,
  keys: z.array(PublicKey).min(1).max(4),
});
export type UpdateSource = z.infer<typeof UpdateSource>;
/** `packaging/updates.json`: null where the publisher has no place for updates. */
export const PackedSource = UpdateSource.nullable();
export type PackedSource = z.infer<typeof PackedSource>;

function ed25519(text: string) {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}

/** The source that a package brings; undefined where it has none that can be read. */
export function readSource(file: string): UpdateSource | undefined {
  try {
    return PackedSource.parse(JSON.parse(readFileSync(file, 'utf8'))) ?? undefined;
  } catch {
    return undefined;
  }
}

/** The file that the place has for one system. */
export const feedName = (platform: string, arch: string): string =>
  `update-${platform}-${arch}.json`;

export const ReleaseVersion = z.string().regex(RELEASE);
/** What a list of updates says once its signature is known to be good. */
export const Feed = z.strictObject({
  version: ReleaseVersion,
  released_at: z.iso.datetime(),
  file: z.strictObject({
    name: z.string().regex(/^[A-Za-z0-9][\w. +-]{0,199}$/),
    sha512: z.base64().length(88),
    size: z
      .int()
      .min(1)
      .max(4 * 2 ** 30),
  }),
});
export type Feed = z.infer<typeof Feed>;

/** The signed text, and the publisher's signature over it and the file's name. */
export const SignedFeed = z.strictObject({
  signed: z.string().max(16_384),
  signature: z.base64().length(88),
});
/** What is signed: also for which system, so that no list stands in for another. */
export const signedBytes = (name: string, signed: string): Buffer =>
  Buffer.from(`evidence-studio update\n${name}\n${signed}`);

const MAX_ANSWER = 65_536;
const TIMEOUT_MS = 30_000;

async function read(url: URL, fetch: typeof globalThis.fetch): Promise<string> {
  try {
    const response = await fetch(url.href, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (response.status !== 200) throw new UpdateRefused('unreachable');
    return await upTo(response, MAX_ANSWER);
  } catch (error) {
    throw error instanceof UpdateRefused ? error : new UpdateRefused('unreachable');
  }
}

/** What an answer says, read in pieces; it is ended where it is longer than that. */
async function upTo({ body }: Response, most: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the answer.
  for await (const piece of body ?? []) {
    size += piece.length;
    if (size > most) throw new UpdateRefused('not_a_list');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function parse<T extends z.ZodType>(schema: T, text: string): z.infer<T> {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new UpdateRefused('not_a_list');
  }
}

/** Asks the place what it offers. Nothing of an answer is used before its signature is checked. */
export async function readFeed(
  source: UpdateSource,
  name: string,
  fetch: typeof globalThis.fetch,
): Promise<Feed> {
  const { signed, signature } = parse(SignedFeed, await read(new URL(name, source.url), fetch));
  const bytes = signedBytes(name, signed);
  const isOurs = source.keys.some((text) => {
    const key = ed25519(text);
    return key !== undefined && verify(null, bytes, key, Buffer.from(signature, 'base64'));
  });
  if (!isOurs) throw new UpdateRefused('not_signed');
  return parse(Feed, signed);
}
