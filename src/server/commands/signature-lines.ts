import { type RunSignature, statementOf } from '../../shared/domain/sign-off.ts';
import { isSignedBy } from '../instance/minisign.ts';

/** What a signature has to be over. */
interface SignedRun {
  case_uid?: string;
  run_uid: string;
  content_hash: string;
  items_root: string | undefined;
}

/** A signature as it was found: whether it is one, and whether it is over this run. */
export interface FoundSignature {
  meaning: string | null;
  name: string | null;
  signed_at: string | null;
  public_key: string;
  valid: boolean;
  covers: boolean;
}

export function findSignature(signature: RunSignature, run: SignedRun): FoundSignature {
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
      statement.items_root === run.items_root &&
      statement.run_uid === run.run_uid &&
      statement.content_hash === run.content_hash &&
      (run.case_uid === undefined || statement.case_uid === run.case_uid),
  };
}

export const isGood = ({ valid, covers }: FoundSignature): boolean => valid && covers;

/** A line on a signature. `what`: what it is to cover. */
export const signatureLine = (
  { meaning, name, signed_at, public_key, valid, covers }: FoundSignature,
  what: 'item' | 'run',
): string =>
  `signature:    ${valid ? 'valid' : 'NOT VALID'}, ${covers ? `covers the ${what}` : `DOES NOT COVER THE ${what.toUpperCase()}`}; ` +
  `${meaning ?? 'no meaning'} by ${name ?? 'nobody'}, ${signed_at ?? 'no time'}, key ${public_key}`;

export const PERSON_LINE =
  'person:       NOT KNOWN: names are what the statements say. A valid signature shows that whoever has its key made it; compare the key with the one that the person, or their server, names';
export const TIME_LINE =
  'time:         STATED by the computers that signed; no authority besides confirms it';
