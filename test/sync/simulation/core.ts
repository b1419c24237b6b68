import { createHash } from 'node:crypto';
import type { Hasher } from '../../../src/shared/lib/hash.ts';
import { seal, type SealedChange, unseal } from '../../../src/sync/change.ts';
import { nextHlc, seeHlc } from '../../../src/sync/clock.ts';
import { editsUnderDeletion } from '../../../src/sync/deletion.ts';
import { RULES } from '../../../src/sync/driver/rules.ts';
import { applyEntry, displayedHead } from '../../../src/sync/heads.ts';
import { originOf, passAlong, witnessOf } from '../../../src/sync/link.ts';
import { addToDigest, nextChain } from '../../../src/sync/log.ts';
import { appliedRegister } from '../../../src/sync/status.ts';

/**
 * The functions under test, as the driver and the stores of the simulation call them: a planted bug
 * replaces one.
 */
export const realCore = {
  ...RULES,
  seal,
  unseal,
  nextHlc,
  seeHlc,
  editsUnderDeletion,
  applyEntry,
  displayedHead,
  originOf,
  passAlong,
  witnessOf,
  addToDigest,
  nextChain,
  appliedRegister,
};
export type Core = typeof realCore;

const kept = new Map<string, string>();
/** The same few texts are hashed again on every tier. */
export const hasher: Hasher = {
  sha256Hex: (text) => createHash('sha256').update(text, 'utf8').digest('hex'),
  sha256Base64url(text) {
    let hash = kept.get(text);
    if (hash === undefined) {
      if (kept.size > 5_000) kept.clear();
      kept.set(text, (hash = createHash('sha256').update(text, 'utf8').digest('base64url')));
    }
    return hash;
  },
};

const read = new Map<string, SealedChange>();
/** `unseal`, with what it said of the same id and the same bytes before. */
export function unsealed(core: Core, id: string, text: string): SealedChange {
  const before = read.get(id);
  if (before?.text === text && core.unseal === realCore.unseal) return before;
  const sealed = core.unseal(id, text, hasher);
  if (read.size > 5_000) read.clear();
  read.set(id, sealed);
  return sealed;
}
