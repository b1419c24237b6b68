import type { AccountId } from '../../shared/contract/ids.ts';
import type { Deps, TimeStampSettings } from '../context/deps.ts';
import { describeError } from '../instance/logger.ts';
import { LEASE_MS, startLooking } from '../notices/looking.ts';
import { EVERY_ACCOUNT } from '../storage/db/session.ts';
import type { StampRequest } from '../storage/sign-off/time-stamps.ts';
import { askAuthority } from './ask.ts';

/** After each failed attempt, ms, and then ever the last: a computer may be offline for weeks. */
const AGAIN_MS = [5_000, 60_000, 300_000, 1_800_000, 3_600_000];
/** So many answers are refused before nobody asks any more. */
const MOST_REFUSED = 8;

type StampingDeps = Pick<Deps, 'store' | 'clock' | 'logger' | 'random'>;
type Authority = NonNullable<TimeStampSettings['authority']>;

/**
 * A number that no other request has. It begins with a bit, so that it is of eight bytes for DER.
 */
function nonceOf({ random }: Pick<Deps, 'random'>): Uint8Array {
  const nonce = random.bytes(8);
  nonce[0] = ((nonce[0] ?? 0) & 0x3f) | 0x40;
  return nonce;
}

/** The token that the authority gave; rejects with NotStamped for an answer that is none. */
async function stamped(
  { covers, signed }: StampRequest,
  nonce: Uint8Array,
  { authority, trusted }: { authority: Authority; trusted: string },
): Promise<Uint8Array> {
  // Loaded with the first request: what reads the answers is a large library.
  const { checkToken, NotStamped, stampRequest, tokenIn } = await import('./token.ts');
  const { policy } = authority;
  const { status, type, bytes } = await askAuthority(
    stampRequest(covers, { nonce, policy }),
    authority,
  );
  if (status >= 500) throw Object.assign(new Error('no answer'), { code: `answer ${status}` });
  if (status !== 200) throw new NotStamped(`The authority refused: answer ${status}.`);
  if (!/^application\/timestamp-reply[ \t]*(?:;|$)/i.test(type))
    throw new NotStamped('The answer is of another type.');
  const token = tokenIn(bytes);
  const { isKnown } = await checkToken(token, {
    covered: Buffer.from(signed),
    nonce,
    policy,
    trusted,
  });
  if (!isKnown)
    throw new NotStamped('Its authority is none of those in EVIDENCE_STUDIO_TIME_STAMP_CA.');
  return token;
}

/** Asks for one time-stamp, and stores it or when it is asked for again. */
async function attempt(
  deps: StampingDeps,
  account: AccountId,
  request: StampRequest,
  settings: { authority: Authority; trusted: string },
): Promise<void> {
  const { store, clock, logger } = deps;
  const { covers, attempts, refused } = request;
  try {
    const token = await stamped(request, nonceOf(deps), settings);
    await store.transact(
      (writer) =>
        writer.signOffWrites.addTimeStamp(account, {
          covers,
          token: Buffer.from(token).toString('base64'),
        }),
      account,
    );
  } catch (error) {
    const isRefused = error instanceof Error && error.name === 'NotStamped';
    const { code } = describeError(error);
    const result = isRefused ? error.message : typeof code === 'string' ? code : 'no answer';
    const isOver = isRefused && refused + 1 >= MOST_REFUSED;
    const wait = AGAIN_MS[Math.min(attempts, AGAIN_MS.length - 1)] as number;
    logger.warn(
      { result, attempts: attempts + 1 },
      isOver ? 'a time-stamp is no longer asked for' : 'a time-stamp is asked for again',
    );
    await store.transact(
      (writer) =>
        writer.signOffWrites.noteStampAttempt(covers, {
          result,
          isRefused,
          again: isOver ? null : clock.now() + wait,
        }),
      account,
    );
  }
}

/** Has signatures stamped until it is closed; nothing where no authority is named. */
export function startStamping(
  deps: StampingDeps,
  { authority, trusted }: TimeStampSettings = { authority: undefined, trusted: '' },
): { close(): void } {
  if (authority === undefined) return { close: () => undefined };
  const { store } = deps;
  return startLooking(deps, {
    what: 'requests for time-stamps',
    accounts: () => store.read((reader) => reader.signOff.stampingAccounts(), EVERY_ACCOUNT),
    async take(account) {
      const due = await store.transact(
        (writer) => writer.signOffWrites.takeStampRequests(LEASE_MS),
        account,
      );
      return due.map((one) => () => attempt(deps, account, one, { authority, trusted }));
    },
  });
}
