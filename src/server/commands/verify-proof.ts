import { provenRoot } from '../../shared/domain/run-proof.ts';
import type { SignedItemProof } from '../../shared/domain/signed-proof.ts';
import { nodeHasher } from '../instance/hasher.ts';
import { findSignature, isGood, PERSON_LINE, signatureLine } from './signature-lines.ts';
import type { Print } from './verify-run.ts';

/**
 * Checks a proof of one item: whether it leads to the root that signatures cover, and whether they
 * are such. Nothing besides the file is needed; so whose the keys are, it cannot say.
 */
export function verifyProof(proof: SignedItemProof, print: Print): number {
  const root = provenRoot(proof, nodeHasher);
  const { run_uid, content_hash } = proof;
  const signatures = proof.signatures.map((one) =>
    findSignature(one, { run_uid, content_hash, items_root: root }),
  );
  const ok = signatures.length > 0 && signatures.every(isGood);
  print(
    [
      `item:         ${proof.leaf}`,
      `place:        ${proof.index + 1} of ${proof.items} in run ${proof.run_uid}`,
      ...signatures.map((one) => signatureLine(one, 'item')),
      signatures.length === 0
        ? 'signature:    NONE: nothing says which run this is of'
        : PERSON_LINE,
    ].join('\n'),
    { ok, root: root ?? null, signatures },
  );
  return ok ? 0 : 1;
}
