import type { Round } from '../../shared/contract/v1/rounds.ts';
import type { Library } from './api/library.ts';
import { userIdOf } from './api/who.ts';
import type { OpenMatrix } from './store/port.ts';

/** A round hides the matrix from the person at this window (YR7). */
export class HiddenMatrixError extends Error {
  override name = 'HiddenMatrixError';
  readonly round: Round;

  constructor(round: Round) {
    super(round.title);
    this.round = round;
  }
}

/**
 * The open round whose recorder the owner of a copy is, and that hides the record of the matrix
 * from them; as last known where the server does not answer in `patienceMs`.
 */
export async function hidingRound(
  library: Pick<Library, 'rounds'>,
  owner: string,
  { caseUid, profileUid, profileVersion }: Parameters<OpenMatrix>[0],
  patienceMs: number,
): Promise<Round | undefined> {
  const user: string = userIdOf(owner);
  const rounds = await library.rounds(caseUid, patienceMs).then(
    ({ data }) => data.data,
    (): Round[] => [],
  );
  return rounds.find(
    ({ state, record, profile_uid, profile_version, recorders }) =>
      state === 'open' &&
      record === 'hidden' &&
      profile_uid === profileUid &&
      profile_version === profileVersion &&
      recorders.some(({ recorder, removed }) => recorder === user && !removed),
  );
}
