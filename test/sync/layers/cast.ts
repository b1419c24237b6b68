import type { Author } from '../../../src/sync/change.ts';
import { formatRegister } from '../../../src/sync/register.ts';
import { asKey, asProfile, asUser } from '../../support/ids.ts';

/** Who acts, in which store, and what about. */

export const CASE = 'case_1';
export const PROFILE = asProfile('test_profile');
export const VERSION = '1.0';
export const RULES = ['rule_0', 'rule_1'];
export const ITEMS = ['i0', 'i1'];
/** Suggested for, and never recorded by itself. */
export const GHOST = 'ghost';
export const OUTCOMES = ['TRUE', 'FALSE', 'NA'] as const;
export const DOCUMENTS = ['a', 'b'].map((digit) => `sha256:${digit.repeat(64)}`);
export const DOCUMENT_REG = formatRegister({
  kind: 'document',
  profile: PROFILE,
  version: VERSION,
});

export const CELLS = ITEMS.flatMap((item) =>
  RULES.map((rule) => ({ profile: PROFILE, version: VERSION, rule, item })),
);
export const GHOST_CELL = { profile: PROFILE, version: VERSION, rule: 'rule_0', item: GHOST };

const person = (user: string): Author => ({
  user: asUser(user),
  kind: 'human',
  agent: null,
  key: null,
});
const agent = (user: string, key: string): Author => ({
  user: asUser(user),
  kind: 'agent',
  agent: `agent of ${key}`,
  key: asKey(key),
});

/** A and B record; C is an owner. */
export const A = person('usr_a');
export const B = person('usr_b');
export const C = person('usr_c');
/** B's agent with a key of the hosted server, one with a key of A's studio, and a hostile one. */
export const G = agent('usr_b', 'keyGkeyGke');
export const L = agent('usr_a', 'keyLkeyLke');
export const X = agent('usr_c', 'keyXkeyXke');

export const idOf = ({ kind, key, user }: Author): string => (kind === 'agent' ? `${key}` : user);

export interface Place {
  name: string;
  /** Who is signed in at the hosted server from here. */
  signedIn: Author;
  isStudio: boolean;
  isOwner: boolean;
  /** Who writes here. */
  authors: readonly Author[];
}
const place = (
  name: string,
  signedIn: Author,
  { isStudio = false, isOwner = false, authors = [signedIn] } = {},
): Place => ({ name, signedIn, isStudio, isOwner, authors });

/** Three studios, one of them an owner's, a second device of A, and two agents' programs. */
export const PLACES: readonly Place[] = [
  place('HA', A, { isStudio: true, authors: [A, L] }),
  place('HB', B, { isStudio: true }),
  place('HC', C, { isStudio: true, isOwner: true }),
  place('WA', A),
  place('PG', G),
  place('PX', X),
];
export const HOSTED_KEYS: ReadonlySet<string> = new Set([idOf(G), idOf(X)]);
/** Who can be a recorder. */
export const RECORDERS = [A, B, G, L];
