import type { Round } from '../../shared/contract/v1/rounds.ts';
import type { Library } from './api/library.ts';
import { userIdOf } from './api/who.ts';
import type { OpenMatrix, Restrictions } from './store/port.ts';

/** A round hides the matrix from the person at this window (YR7). */
export class HiddenMatrixError extends Error {
  override name = 'HiddenMatrixError';
  readonly round: Round;

  constructor(round: Round) {
    super(round.title);
    this.round = round;
  }
}

/** As last known where the server does not answer in `patienceMs`. `owner`: of the copy. */
export async function restrictionsOf(
  library: Pick<Library, 'case' | 'rounds'>,
  owner: string,
  { caseUid, profileUid, profileVersion }: Parameters<OpenMatrix>[0],
  patienceMs: number,
): Promise<Restrictions> {
  const user: string = userIdOf(owner);
  const isHiding = ({ state, record, profile_uid, profile_version, recorders }: Round): boolean =>
    state === 'open' &&
    record === 'hidden' &&
    profile_uid === profileUid &&
    profile_version === profileVersion &&
    recorders.some(({ recorder, removed }) => recorder === user && !removed);
  const [hiddenBy, isApproved] = await Promise.all([
    library.rounds(caseUid, patienceMs).then(
      ({ data }) => data.data.find(isHiding) ?? null,
      () => undefined,
    ),
    library.case(caseUid, patienceMs).then(
      ({ data }) => data.stage === 'approved',
      () => undefined,
    ),
  ]);
  return { hiddenBy, isApproved };
}
