import type { ReadContext } from '../db/context.ts';
import type { States } from '../log/change-log.ts';
import type { StoredProfile } from '../db/stored-profile.ts';
import { StoreError } from '../db/errors.ts';
import type { Precondition } from '../db/precondition.ts';

/**
 * The changes that last touched the case's items and the cells of one matrix; empty where none ever
 * did.
 */
interface MatrixState {
  items: string;
  cells: string;
}

function stateOf(states: States, { document }: StoredProfile): MatrixState {
  const {
    items = states['*'] ?? '',
    [`${document.profileUid}@${document.version}`]: cells = states['*'] ?? '',
  } = states;
  return { items, cells };
}

function tagOf({ ports, schema }: ReadContext, states: States, profile: StoredProfile): string {
  const { document, entry } = profile;
  const { items, cells } = stateOf(states, profile);
  const state = [items, cells, document.profileUid, document.version, entry.digest, schema];
  return `m${ports.hasher.sha256Hex(JSON.stringify(state)).slice(0, 24)}`;
}

/**
 * Entity tag of a page of evidence: `m` and a hash of the state of the matrix, which is the same on
 * all its pages and covers nothing else of the case, then one of the page. Precondition of writes
 * and runs is the first part.
 */
export function evidenceEtag(
  ctx: ReadContext,
  states: States,
  profile: StoredProfile,
  page: readonly unknown[],
): string {
  return `${tagOf(ctx, states, profile)}-${ctx.ports.hasher.sha256Hex(JSON.stringify(page)).slice(0, 12)}`;
}

/**
 * Throws precondition_failed unless the matrix is as the client was shown it; `absent` asks that
 * nothing was ever recorded in it.
 */
export function checkReviewed(
  ctx: ReadContext,
  precondition: Precondition,
  states: States,
  profile: StoredProfile,
): void {
  if (precondition === undefined) return;
  const tag = tagOf(ctx, states, profile);
  const holds =
    precondition === 'absent'
      ? stateOf(states, profile).cells === ''
      : (precondition.tags ?? []).some((given) => given.split('-')[0] === tag);
  if (!holds)
    throw new StoreError(
      'precondition_failed',
      precondition === 'absent'
        ? 'Evidence was recorded under this profile before.'
        : 'The evidence of the case under this profile has changed since.',
    );
}
