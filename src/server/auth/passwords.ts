// Through the default export: an Electron without argon2 lacks the named one and would not start.
import crypto, { type Argon2Parameters, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ApiError } from '../context/errors.ts';

/** OWASP's minimum for argon2id, in KiB; takes 25 to 50 ms. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const SALT_LENGTH = 16;
const TAG_LENGTH = 32;
const AT_ONCE = 2;
const QUEUE = 20;

const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22,86})\$([A-Za-z0-9+/]{43,86})$/;

/** False where this Node was built without argon2, as in some distributions. */
export function hasPasswords(): boolean {
  return typeof crypto.argon2 === 'function';
}

type Cost = Pick<Argon2Parameters, 'memory' | 'passes' | 'parallelism'>;

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes).toString('base64').replaceAll('=', '');

function derive(
  password: string,
  nonce: Uint8Array,
  cost: Cost,
  tagLength: number,
): Promise<Buffer> {
  return promisify(crypto.argon2)('argon2id', {
    ...cost,
    message: password.normalize('NFC'),
    nonce,
    tagLength,
  });
}

export interface Passwords {
  /** Hash as a PHC string, which names its own parameters. */
  hash(password: string): Promise<string>;
  /** Takes the same time where there is no hash to compare with. */
  verify(password: string, phc: string | null): Promise<boolean>;
}

/**
 * Hashing takes time and memory on purpose: two run at once, twenty may wait, and any further one
 * is refused.
 */
export function createPasswords(random: { bytes(length: number): Uint8Array }): Passwords {
  let running = 0;
  const waiting: (() => void)[] = [];

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= AT_ONCE) {
      if (waiting.length >= QUEUE)
        throw new ApiError('unavailable', {
          message: 'Too many people sign in at this moment. Try again.',
        });
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  }

  return {
    hash: (password) =>
      inTurn(async () => {
        const salt = random.bytes(SALT_LENGTH);
        const tag = await derive(password, salt, COST, TAG_LENGTH);
        return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${base64(salt)}$${base64(tag)}`;
      }),
    verify: (password, phc) =>
      inTurn(async () => {
        const [, memory, passes, parallelism, salt, tag] = PHC.exec(phc ?? '') ?? [];
        if (salt === undefined || tag === undefined) {
          await derive(password, new Uint8Array(SALT_LENGTH), COST, TAG_LENGTH);
          return false;
        }
        const known = Buffer.from(tag, 'base64');
        const given = await derive(
          password,
          Buffer.from(salt, 'base64'),
          { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
          known.length,
        );
        return timingSafeEqual(known, given);
      }),
  };
}
