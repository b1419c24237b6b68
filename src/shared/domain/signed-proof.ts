import { z } from 'zod';
import { ContentHash } from './run-record.ts';
import { ItemProof } from './run-proof.ts';
import { RunSignature } from './sign-off.ts';
import { RunUid } from './uid.ts';

/** A proof of one item with the signatures on its run: a file that is checked by itself. */
export const SignedItemProof = ItemProof.extend({
  run_uid: RunUid,
  content_hash: ContentHash,
  signatures: z.array(RunSignature),
});
export type SignedItemProof = z.infer<typeof SignedItemProof>;
