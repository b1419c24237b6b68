import { type RunSignature, statementOf } from '../../shared/domain/sign-off.ts';
import { isSignedBy } from '../instance/minisign.ts';
import { type FoundTime, STATED } from '../time-stamps/found.ts';

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
  time: FoundTime;
}

export function findSignature(
  signature: RunSignature,
  run: SignedRun,
  time: FoundTime = STATED,
): FoundSignature {
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
    time,
  };
}

/** A time-stamp that is none is no proof of a wrong signature: the time is then not confirmed. */
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

/** What is said of the time of a signature, apart from the signature. */
function timeLine({ time, signed_at }: FoundSignature): string {
  const { stamp, problem } = time;
  switch (time.time) {
    case 'confirmed':
      return `time:         CONFIRMED: the signature was there at ${stamp?.at}, by ${stamp?.authority} (policy ${stamp?.policy})`;
    case 'another_authority':
      return `time:         stamped ${stamp?.at} by ${stamp?.authority}, AN AUTHORITY THAT IS NOT KNOWN: EVIDENCE_STUDIO_TIME_STAMP_CA names those that are trusted`;
    case 'invalid':
      return `time:         NOT CONFIRMED: the time-stamp is none on this signature. ${problem}`;
    case 'waiting':
      return `time:         STATED ${signed_at}; an authority is still to be asked${problem === null ? '' : ` (last: ${problem})`}`;
    case 'given_up':
      return `time:         STATED ${signed_at}; the authority's answers were refused. ${problem}`;
    case 'stated':
      return `time:         STATED ${signed_at} by the computer that signed; no authority confirms it`;
  }
}
export const timeLines = (signatures: readonly FoundSignature[]): string[] =>
  signatures.map(timeLine);
