import { mayRelay } from '../../../shared/contract/rights.ts';
import { participantIdOf } from '../../../shared/contract/participant.ts';
import { isForOwners } from '../../../shared/domain/sign-off.ts';
import type { Change } from '../../../sync/change.ts';
import { participantOf } from '../../../sync/layers/authors.ts';
import { isOfRecord, StageMove } from '../../../sync/sign-off.ts';
import type { ReadContext } from '../db/context.ts';
import { StoreError } from '../db/errors.ts';
import { appliedEntries, type ValidatedChange } from '../log/log-view.ts';
import type { StoredCase } from '../records/cases.ts';
import { movesOf } from './read-stage.ts';

function refuseEntry(
  code: 'author_not_allowed' | 'insufficient_scope',
  index: number,
  why: string,
): never {
  throw new StoreError(code, '', [{ path: `/changes/${index}`, code: 'signs_off', message: why }]);
}

/**
 * Z3: whether a move is for owners: to or from an approval, or one that cannot be read here yet.
 */
async function needsOwner(
  ctx: ReadContext,
  stored: StoredCase | undefined,
  move: StageMove | undefined,
): Promise<boolean> {
  if (move === undefined || isForOwners(move.stage) || stored?.stage === 'approved') return true;
  if (stored === undefined || move.after === null) return false;
  const known = (await movesOf(ctx, stored)).find(({ name }) => name === move.after);
  return known?.value.stage === 'approved';
}

/**
 * Z3, Z6, Z7: who may bring a move, a signature or a time-stamp. A signature is made where the
 * password is asked for, so a studio brings it, and nobody sends one of their own.
 */
export async function permitSignOff(
  ctx: ReadContext,
  stored: StoredCase | undefined,
  { by, entries }: Change,
  index: number,
): Promise<void> {
  const { credential } = ctx;
  if (credential === undefined) return;
  for (const [place, { reg, value }] of entries.entries()) {
    if (/^(signature|time_stamp)\//.test(reg) && !mayRelay(credential))
      refuseEntry(
        'author_not_allowed',
        index,
        `Entry ${place} was made elsewhere: a studio brings it.`,
      );
    if (!reg.startsWith('stage/')) continue;
    if (!(await needsOwner(ctx, stored, StageMove.safeParse(value).data))) continue;
    if (participantOf(by) !== participantIdOf(credential))
      refuseEntry('author_not_allowed', index, `Entry ${place} is for its author to bring.`);
    if (credential.role !== 'owner')
      refuseEntry(
        mayRelay(credential) ? 'author_not_allowed' : 'insufficient_scope',
        index,
        `Entry ${place} moves a case to or from its approval, which owners do.`,
      );
  }
}

/**
 * Z4: refuses what a key pushes of its own into the record of an approved case. What people wrote
 * without knowing of the approval is taken, and listed.
 */
export function refuseLater(
  { credential }: Pick<ReadContext, 'credential'>,
  changes: Iterable<ValidatedChange>,
): void {
  if (credential === undefined || credential.authMethod !== 'key' || mayRelay(credential)) return;
  for (const change of changes)
    for (const { entry } of appliedEntries(change))
      if (isOfRecord(entry.reg)) throw new StoreError('case_approved', '');
}
