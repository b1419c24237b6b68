import type { Hasher } from '../../shared/lib/hash.ts';
import type { ReadContext } from './context.ts';
import { type Precondition, StoreError } from './port.ts';
import type { StoredProfile } from './stored-profile.ts';

/** The matrix of one version of a profile: the changes that last touched the case's items and the matrix's cells. */
export interface MatrixState {
  items: string;
  /** Empty where nothing was ever recorded. */
  cells: string;
}

/** The state of a matrix's cells; empty where there is no matrix. */
export async function cellsState({ session }: ReadContext, casePk: number, profileUid: string, version: string): Promise<string> {
  const row = await session.db.selectFrom('matrices').select('state').where('case_pk', '=', casePk).where('profile_uid', '=', profileUid).where('profile_version', '=', version).executeTakeFirst();
  return row?.state ?? '';
}

function tagOf({ hasher }: { hasher: Hasher }, { items, cells }: MatrixState, { document, entry }: StoredProfile, schema: number): string {
  return `m${hasher.sha256Hex(JSON.stringify([items, cells, document.profileUid, document.version, entry.digest, schema])).slice(0, 24)}`;
}

/**
 * Entity tag of a page of evidence: `m` and a hash of the state of the matrix, which is the same on all its pages and covers nothing else of the case, then one
 * of the page. Precondition of writes and runs is the first part.
 */
export function evidenceEtag(ctx: ReadContext, state: MatrixState, profile: StoredProfile, page: readonly unknown[]): string {
  return `${tagOf(ctx.ports, state, profile, ctx.schema)}-${ctx.ports.hasher.sha256Hex(JSON.stringify(page)).slice(0, 12)}`;
}

/** Throws precondition_failed unless the matrix is as the client was shown it; `absent` asks that nothing was ever recorded in it. */
export function checkReviewed(ctx: ReadContext, precondition: Precondition, state: MatrixState, profile: StoredProfile): void {
  if (precondition === undefined) return;
  const tag = tagOf(ctx.ports, state, profile, ctx.schema);
  const holds = precondition === 'absent' ? state.cells === '' : (precondition.tags ?? []).some((given) => given.split('-')[0] === tag);
  if (!holds) throw new StoreError('precondition_failed', precondition === 'absent' ? 'Evidence was recorded under this profile before.' : 'The evidence of the case under this profile has changed since.');
}
