import { createHash } from 'node:crypto';
import type { Deps } from '../deps.ts';
import { Refusal } from '../errors.ts';
import type { SignInLimit } from '../storage/team-port.ts';
import { subjectOf } from './address.ts';

const MINUTE = 60_000;
/** Longer than any of the windows below. */
export const LIMITS_KEPT = 2 * 60 * MINUTE;

/** Names are kept as hashes: a table of limits is no list of who signs in from where. */
function subject(...parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Of a sign-in: by name and address, and by address alone. */
export function signInLimits(email: string, address: string): SignInLimit[] {
  const from = subjectOf(address);
  return [{ subject: subject('sign-in', email, from), most: 5, within: 15 * MINUTE }, { subject: subject('address', from), most: 30, within: 60 * MINUTE }];
}

/** Of the password of somebody who is signed in. */
export function confirmLimits(userId: string): SignInLimit[] {
  return [{ subject: subject('confirm', userId), most: 5, within: 15 * MINUTE }];
}

class UsedUp extends Error {
  override name = 'UsedUp';
  readonly wait: number;
  constructor(wait: number) {
    super();
    this.wait = wait;
  }
}

/** Does `check` unless too many of its kind have failed. A success is not counted. Limits are in the store, so they hold across its servers. */
export async function withinLimits(store: Deps['store'], limits: readonly SignInLimit[], check: () => Promise<boolean>): Promise<boolean> {
  try {
    await store.transact(async (writer) => {
      const wait = await writer.signInLimits.count(limits);
      if (wait > 0) throw new UsedUp(wait);
    });
  } catch (error) {
    if (!(error instanceof UsedUp)) throw error;
    throw new Refusal('rate_limited', { message: `Too many failed sign-ins. Try again in ${Math.ceil(error.wait / MINUTE)} min.`, headers: { 'Retry-After': String(Math.ceil(error.wait / 1_000)) } });
  }
  const uncount = (): Promise<void> => store.transact((writer) => writer.signInLimits.uncount(limits.map((limit) => limit.subject)));
  try {
    const passed = await check();
    if (passed) await uncount();
    return passed;
  } catch (error) {
    await uncount();
    throw error;
  }
}
