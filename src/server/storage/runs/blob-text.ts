import { inflateRawSync } from 'node:zlib';
import type { ReadContext } from '../db/context.ts';

/** No text of a blob is longer: what would become so was never stored by this program. */
const MAX_TEXT_BYTES = 256 * 1_048_576;

/**
 * The text of a stored blob; undefined where the bytes are not those that its name is the hash of.
 */
export function blobText(
  ctx: Pick<ReadContext, 'ports'>,
  packed: Uint8Array,
  name: string,
): string | undefined {
  try {
    const text = inflateRawSync(packed, { maxOutputLength: MAX_TEXT_BYTES }).toString('utf8');
    return ctx.ports.hasher.sha256Hex(text) === name ? text : undefined;
  } catch {
    return undefined;
  }
}
