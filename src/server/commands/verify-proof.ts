import { provenRoot } from '../../shared/domain/run-proof.ts';
import type { SignedItemProof } from '../../shared/domain/signed-proof.ts';
import { statementOf } from '../../shared/domain/sign-off.ts';
import { nodeHasher } from '../instance/hasher.ts';
import { isSignedBy } from '../instance/minisign.ts';
import type { CliCommand } from './command.ts';

type Print = Parameters<CliCommand['run']>[0]['print'];

/**
 * Checks a proof of one item: whether it leads to the root that signatures cover, and whether they
 * are such. Nothing besides the file is needed; so whose the keys are, it cannot say.
 */
export function verifyProof(proof: SignedItemProof, print: Print): number {
  const root = provenRoot(proof, nodeHasher);
  const signatures = proof.signatures.map((signature) => {
    const statement = statementOf(signature);
    const { public_key, signature: minisig } = signature;
    return {
      meaning: statement?.meaning ?? null,
      name: statement?.signer.name ?? null,
      signed_at: statement?.signed_at ?? null,
      public_key,
      valid: isSignedBy(public_key, Buffer.from(signature.statement), minisig),
      covers:
        statement !== undefined &&
        statement.items_root === root &&
        statement.run_uid === proof.run_uid &&
        statement.content_hash === proof.content_hash,
    };
  });
  const ok = signatures.length > 0 && signatures.every(({ valid, covers }) => valid && covers);
  print(
    [
      `item:       ${proof.leaf}`,
      `place:      ${proof.index + 1} of ${proof.items} in run ${proof.run_uid}`,
      ...signatures.map(
        ({ meaning, name, signed_at, public_key, valid, covers }) =>
          `signature:  ${valid ? 'valid' : 'NOT VALID'}, ${covers ? 'covers the item' : 'DOES NOT COVER THE ITEM'}; ` +
          `${meaning ?? 'no meaning'} by ${name ?? 'nobody'}, ${signed_at ?? 'no time'}, key ${public_key}`,
      ),
      signatures.length === 0
        ? 'signature:  NONE: nothing says which run this is of'
        : 'person:     NOT KNOWN: names are what the statements say. A valid signature shows that whoever has its key made it; compare the key with the one that the person, or their server, names',
    ].join('\n'),
    { ok, root: root ?? null, signatures },
  );
  return ok ? 0 : 1;
}
