import { type Authenticator, createAuthenticator } from './auth/authenticate.ts';
import { createSignInLimits } from './auth/limits.ts';
import type { People } from './auth/people.ts';
import { createRefusals, type Refusals } from './auth/refusals.ts';
import { createShards } from './auth/shard.ts';
import { type Cookies, createCookies } from './auth/session.ts';
import { createTriedPasswords, type TriedCounter } from './auth/tried-passwords.ts';
import type { Home } from '../shared/contract/v1/account.ts';
import type { Deps } from './context/deps.ts';
import { createEvents } from './http/events.ts';
import { createRateLimits, type RateLimits } from './http/rate-limit.ts';
import { Pairings } from './http/pairing.ts';
import type { RouteDeps } from './http/route.ts';
import { createReadiness, type Readiness } from './instance/readiness.ts';
import { createSecretCheck } from './instance/secret-mark.ts';
import { createUsage, type UsageMeter } from './instance/usage.ts';

const GATHER_MS = 1_000;
const CONNECTIONS = { desktop: 64, local: 128, hosted: 4_096 } as const;

/** How many of the connections one address, account or person may hold. */
export interface Shares {
  all: number;
  address: number;
  account: number;
  person: number;
}

export function sharesOf(home: Home, all: number = CONNECTIONS[home]): Shares {
  return home === 'hosted'
    ? { all, address: Math.ceil(all / 4), account: all / 8, person: all / 32 }
    : { all, address: Infinity, account: all / 2, person: all / 2 };
}

/** What operations and pages of a server have in common. */
export interface ServerServices {
  routeDeps: RouteDeps;
  people(): Promise<People>;
  cookies: Cookies;
  authenticator: Authenticator;
  refusals: Refusals;
  tried: TriedCounter;
  usage: UsageMeter;
  limits: RateLimits;
  events: ReturnType<typeof createEvents>;
  readiness: Readiness;
}

/** People and their passwords, loaded with the first who signs in: a large library. */
function loadPeople(deps: Deps): () => Promise<People> {
  let loading: Promise<People> | undefined;
  return () =>
    (loading ??= import('./auth/people.ts').then(({ createPeople }) => createPeople(deps)));
}

function cookiesOf(home: Home, publicUrl: URL | undefined): Cookies {
  if (home !== 'hosted') return createCookies('local');
  return createCookies(publicUrl?.protocol === 'http:' ? 'hosted without https' : 'hosted');
}

export async function createServices(
  deps: Deps,
  shares: Shares,
  { publicUrl, isLeaving }: { publicUrl: URL | undefined; isLeaving(): boolean },
): Promise<ServerServices> {
  const isHosted = deps.home === 'hosted';
  const refusals = createRefusals(deps);
  const people = loadPeople(deps);
  if (isHosted) await people();
  const hasOtherSecret = createSecretCheck(deps);
  const cookies = cookiesOf(deps.home, publicUrl);
  const usage = createUsage(deps);
  const shards = createShards(deps, cookies.shard);
  const limits = createRateLimits(deps, shards, isHosted ? shares.account : Infinity);
  const authenticator = createAuthenticator(deps, cookies.session, usage, {
    refusals,
    checkFailure: limits.checkFailure,
    hasOtherSecret,
    shards,
  });
  return {
    routeDeps: {
      ...deps,
      url: publicUrl?.origin ?? '',
      people,
      signInLimits: createSignInLimits(deps.store),
      refusals,
      pairings: new Pairings(deps),
    },
    people,
    cookies,
    authenticator,
    refusals,
    tried: createTriedPasswords(deps),
    usage,
    limits,
    events: createEvents(deps, authenticator, shards, {
      ...shares,
      all: shares.all / 2,
      gatherMs: isHosted ? GATHER_MS : 0,
    }),
    readiness: createReadiness(deps.store, isLeaving, hasOtherSecret),
  };
}
