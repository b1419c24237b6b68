import { createHash, timingSafeEqual } from 'node:crypto';
import type { ProjectId } from '../../shared/contract/ids.ts';
import { covers } from '../../shared/contract/rights.ts';
import type { CreatedKey, Scope } from '../../shared/contract/v1/account.ts';
import type {
  CollectedKey,
  PairingRequest,
  StartedPairing,
} from '../../shared/contract/v1/pairing.ts';
import type { Deps } from '../context/deps.ts';
import { ApiError } from '../context/errors.ts';
import { randomBase62, randomText } from '../auth/base62.ts';
import { createTokenBuckets, SET_BACK, type TokenBuckets } from './token-bucket.ts';

/** How long a program may wait for a person, ms. */
const LASTS_MS = 5 * 60_000;
const POLL_AFTER_SECONDS = 2;
/** Six at once, then one in half a minute: more questions than that nobody reads. */
const ASKING = { burst: 6, perSecond: 1 / 30, subjects: 1 };
const POLLING = { burst: 10, perSecond: 2, subjects: 100 };
const ANYBODY = 'anybody';
/** Consonants alone: the code is no word, and no two of them look alike. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

/** What a key is allowed. */
export interface KeyLimits {
  scopes: Scope[];
  projects: ProjectId[] | null;
}

interface Pairing extends KeyLimits {
  name: string;
  code: string;
  secretHash: Buffer;
  askedAt: number;
  state: 'waiting' | 'deciding' | 'allowed' | 'refused';
  key: CreatedKey | undefined;
}

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();
const timeOf = (ms: number): string => new Date(ms).toISOString();
const gone = (): ApiError =>
  new ApiError('not_found', {
    message:
      'There is no such pairing: it has ended after five minutes, its key was handed over, or the secret is not its own. Ask again.',
  });

function spend(buckets: TokenBuckets, subject: string, now: number): void {
  const wait = buckets.wait(subject, now);
  if (wait > 0)
    throw new ApiError('rate_limited', {
      message: 'Too many programs ask to be let in, or too often; wait and try again.',
      headers: { 'Retry-After': String(wait) },
    });
  buckets.take(subject, now);
}

/** Refuses what goes beyond the question that the person was shown. */
function requireWithin(asked: KeyLimits, { scopes, projects }: KeyLimits): void {
  const problem = (path: string, message: string): ApiError =>
    new ApiError('validation_failed', { details: [{ path, code: 'custom', message }] });
  if (!covers(asked.scopes, scopes))
    throw problem('/scopes', 'Must not allow more than the program asks for.');
  const limit = asked.projects;
  if (limit !== null && projects?.every((project) => limit.includes(project)) !== true)
    throw problem('/projects', 'Must be among the projects that the program asks for.');
}

/**
 * Programs of this computer that ask to be let in. In memory alone: with the process they are gone,
 * and no secret of theirs is ever on the disk. A key that is not collected in time is forgotten, so
 * that nobody has it.
 */
export class Pairings {
  readonly #random: Deps['random'];
  readonly #pairings = new Map<string, Pairing>();
  readonly #asking = createTokenBuckets(ASKING);
  readonly #polling = createTokenBuckets(POLLING);

  constructor({ random }: Pick<Deps, 'random'>) {
    this.#random = random;
  }

  /** `now`: when a request came. A clock that was set back ends them as well. */
  #forgetOld(now: number): void {
    for (const [id, { askedAt }] of this.#pairings)
      if (now - askedAt >= LASTS_MS || askedAt - now > SET_BACK) this.#pairings.delete(id);
  }
  #find(id: string, now: number): Pairing {
    this.#forgetOld(now);
    const found = this.#pairings.get(id);
    if (found === undefined) throw gone();
    return found;
  }

  ask({ name, scopes, projects }: KeyLimits & { name: string }, now: number): StartedPairing {
    this.#forgetOld(now);
    spend(this.#asking, ANYBODY, now);
    const id = `pair_${randomBase62(this.#random, 22)}`;
    const secret = randomBase62(this.#random, 43);
    const letters = randomText(this.#random, 8, LETTERS);
    const code = `${letters.slice(0, 4)}-${letters.slice(4)}`;
    this.#pairings.set(id, {
      name,
      scopes: [...new Set(scopes)],
      projects,
      code,
      secretHash: hashOf(secret),
      askedAt: now,
      state: 'waiting',
      key: undefined,
    });
    return {
      pairing_id: id,
      secret,
      code,
      expires_at: timeOf(now + LASTS_MS),
      poll_after_seconds: POLL_AFTER_SECONDS,
    };
  }

  waiting(now: number): PairingRequest[] {
    this.#forgetOld(now);
    return [...this.#pairings]
      .filter(([, { state }]) => state === 'waiting')
      .map(([pairing_id, { name, scopes, projects, code, askedAt }]) => ({
        pairing_id,
        name,
        scopes,
        projects,
        code,
        asked_at: timeOf(askedAt),
        expires_at: timeOf(askedAt + LASTS_MS),
      }));
  }

  refuse(id: string, now: number): KeyLimits {
    const pairing = this.#find(id, now);
    if (pairing.state !== 'waiting') throw decided();
    pairing.state = 'refused';
    return pairing;
  }

  /** `make` makes the key; where it fails, the program keeps waiting. */
  async allow(
    id: string,
    chosen: { [limit in keyof KeyLimits]?: KeyLimits[limit] | undefined },
    make: (name: string, limits: KeyLimits) => Promise<CreatedKey>,
    now: number,
  ): Promise<KeyLimits> {
    const pairing = this.#find(id, now);
    if (pairing.state !== 'waiting') throw decided();
    const limits = {
      scopes: chosen.scopes ?? pairing.scopes,
      projects: chosen.projects === undefined ? pairing.projects : chosen.projects,
    };
    requireWithin(pairing, limits);
    pairing.state = 'deciding';
    try {
      pairing.key = await make(pairing.name, limits);
    } catch (error) {
      pairing.state = 'waiting';
      throw error;
    }
    pairing.state = 'allowed';
    return limits;
  }

  /** Hands the key over; after that there is no such pairing. */
  collect(id: string, secret: string, now: number): CollectedKey {
    const pairing = this.#find(id, now);
    spend(this.#polling, id, now);
    if (!timingSafeEqual(pairing.secretHash, hashOf(secret))) throw gone();
    if (pairing.state === 'refused') return { state: 'refused', api_key: null };
    if (pairing.key === undefined) return { state: 'waiting', api_key: null };
    this.#pairings.delete(id);
    return { state: 'allowed', api_key: pairing.key };
  }
}

const decided = (): ApiError =>
  new ApiError('conflict', { message: 'Somebody has decided about this request already.' });
