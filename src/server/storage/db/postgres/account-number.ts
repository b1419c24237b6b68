import { hash } from 'node:crypto';
import type { AccountId } from '../../../../shared/contract/ids.ts';

/** Bits of the number: JavaScript holds it exactly. */
const HEX_DIGITS = 13;

/**
 * The number of an account in the keys of its tables: the first 52 bits of the SHA-256 of its id,
 * as `accounts.account` computes it. A number that was counted up would be another account's after
 * the restore of an older backup.
 */
export const accountNumber = (account: AccountId): number =>
  Number.parseInt(hash('sha256', account).slice(0, HEX_DIGITS), 16);
