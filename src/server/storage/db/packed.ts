import { promisify } from 'node:util';
import { constants, deflateRaw, inflateRawSync } from 'node:zlib';

/**
 * Changes shorter than this are stored as text: a keypress stays readable, and would hardly shrink.
 */
const PACK_FROM = 4_096;

const deflate = promisify(deflateRaw);

/** Canonical JSON as it is stored compressed on every engine. */
export function deflateText(text: string): Promise<Uint8Array> {
  return deflate(text);
}

/** Compresses a large change, off the main thread. Undefined where the text is stored as it is. */
export function pack(text: string, packs: boolean): Promise<Uint8Array> | undefined {
  return packs && text.length >= PACK_FROM
    ? deflate(text, { level: constants.Z_BEST_SPEED })
    : undefined;
}

/** The canonical JSON of a stored change. */
export function unpack(text: string | null, packed: Uint8Array | null): string {
  if (text !== null) return text;
  return inflateRawSync(packed as Uint8Array).toString('utf8');
}
