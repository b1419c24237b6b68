import {
  type RunSignature,
  type SignatureTime,
  stampedText,
} from '../../shared/domain/sign-off.ts';
import { nodeHasher } from '../instance/hasher.ts';
import type { KnownStamps } from '../storage/sign-off/time-stamps.ts';

/** What is found of the time of a signature. */
export interface FoundTime {
  time: SignatureTime;
  /** Why there is no time-stamp, as far as that is known. */
  problem: string | null;
  /** The time-stamp: when, by whom, under which policy, and the token as base64. */
  stamp: { at: string; authority: string; policy: string; token: string } | null;
}

export const STATED: FoundTime = { time: 'stated', problem: null, stamp: null };
/** Of one signature so many are looked at. */
const MOST = 5;

/**
 * The time of a signature, by the tokens that are said to be over it: the first good one counts.
 */
export async function timeOf(
  signature: RunSignature,
  tokens: readonly string[],
  trusted: string,
): Promise<FoundTime> {
  if (tokens.length === 0) return STATED;
  // Loaded with the first token: what reads them is a large library.
  const { checkToken, NotStamped } = await import('./token.ts');
  const covered = Buffer.from(stampedText(signature));
  let best: FoundTime | undefined;
  for (const token of tokens.slice(0, MOST)) {
    try {
      const { isKnown, at, authority, policy } = await checkToken(Buffer.from(token, 'base64'), {
        covered,
        trusted,
      });
      const time = isKnown ? 'confirmed' : 'another_authority';
      if (isKnown || best === undefined || best.stamp === null)
        best = { time, problem: null, stamp: { at, authority, policy, token } };
      if (isKnown) break;
    } catch (error) {
      if (!(error instanceof NotStamped)) throw error;
      best ??= { time: 'invalid', problem: error.message, stamp: null };
    }
  }
  return best ?? STATED;
}

/** The time of a signature, by what is known of it in the store. */
export async function knownTime(
  signature: RunSignature,
  { stamps, requests }: KnownStamps,
  trusted: string,
): Promise<FoundTime> {
  const covers = nodeHasher.sha256Hex(stampedText(signature));
  const found = await timeOf(
    signature,
    stamps.filter((one) => one.covers === covers).map(({ token }) => token),
    trusted,
  );
  const request = requests.find((one) => one.covers === covers);
  return found.time !== 'stated' || request === undefined
    ? found
    : { time: request.isOver ? 'given_up' : 'waiting', problem: request.result, stamp: null };
}
