import type { ErrorDetail } from '../../../shared/contract/errors.ts';
import type { AccountId, CaseUid } from '../../../shared/contract/ids.ts';
import { participantIdOf } from '../../../shared/contract/participant.ts';
import { hidesFrom, hidesRecord, type RecordingRound } from '../../../sync/layers/rounds.ts';
import { hidesPlace } from '../../../sync/layers/discussion.ts';
import { parseRegister, type RegisterCell } from '../../../sync/register.ts';
import type { ProfileDocument } from '../../../shared/domain/profile.ts';
import type { ThreadPlace } from '../../../shared/domain/thread.ts';
import type { ReadContext } from '../db/context.ts';
import { StoreError } from '../db/errors.ts';
import { refuse } from '../evidence/draft-items.ts';
import { roundsOfCases } from './stored-rounds.ts';

/**
 * What of a case's record, of its suggestions and decisions is not shown to the caller, because
 * they record these cells in an open round (YR7). It is a rule of what is shown: the log travels
 * whole.
 */
export class HiddenCells {
  readonly rounds: readonly RecordingRound[];
  readonly #reader: string;

  constructor(reader: string, rounds: readonly RecordingRound[]) {
    this.#reader = reader;
    this.rounds = rounds;
  }

  /** What an entity tag has of it. */
  get key(): string {
    return this.rounds.map(({ id }) => id).join();
  }

  /** Whether any cell of this matrix is hidden. */
  isOf(profile: string, version: string): boolean {
    return this.rounds.some(
      ({ terms }) => terms.profile_uid === profile && terms.profile_version === version,
    );
  }

  hides(cell: RegisterCell): boolean {
    return this.rounds.some((round) => hidesRecord(round, this.#reader, cell));
  }

  /** Whether what is said of a place would tell something of a cell that is hidden. */
  hidesPlace(place: ThreadPlace): boolean {
    return this.rounds.some((round) => hidesPlace(round, this.#reader, place));
  }

  /**
   * Whether an entry of this address may say something of a cell that is hidden: that of a thread
   * does not tell what it is about.
   */
  hidesAddress(reg: string): boolean {
    const register = parseRegister(reg);
    if (register?.kind === 'thread') return true;
    return register !== undefined && 'rule' in register && this.hides(register);
  }
}

/** By case, what is hidden from the caller; nothing of the other cases is. */
export async function hiddenOfCases(
  ctx: ReadContext,
  account: AccountId,
  cases: readonly CaseUid[],
): Promise<Map<CaseUid, HiddenCells>> {
  if (ctx.credential === undefined) return new Map();
  const reader = participantIdOf(ctx.credential);
  return new Map(
    [...(await roundsOfCases(ctx, account, cases))].flatMap(([name, rounds]) => {
      const hiding = rounds.filter((round) => hidesFrom(round, reader));
      return hiding.length === 0 ? [] : [[name, new HiddenCells(reader, hiding)]];
    }),
  );
}

/** Undefined where nothing is hidden from the caller. */
export const hiddenCells = async (
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
): Promise<HiddenCells | undefined> => (await hiddenOfCases(ctx, account, [caseUid])).get(caseUid);

/**
 * Refuses writes that name a revision, or a suggestion, of a cell that is hidden from their author:
 * whether it holds would tell of the record (YR7). `paths`: where they name it; `instead`: what the
 * author can do.
 */
export function refuseUnseen(
  paths: readonly string[],
  instead = 'record them there, or leave if_revision out.',
): void {
  const details: ErrorDetail[] = [];
  for (const path of paths)
    refuse(details, path, 'round_open', 'The cell is hidden from you while the round is open.');
  if (details.length > 0)
    throw new StoreError(
      'conflict',
      `You record these cells in an open round that hides them from you: ${instead}`,
      details,
    );
}

/**
 * Refuses what shows, or copies, all of a matrix where cells of it are hidden from the caller, who
 * records them in an open round (YR7).
 */
export async function refuseHidden(
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
  { profileUid, version }: Pick<ProfileDocument, 'profileUid' | 'version'>,
): Promise<void> {
  const hidden = await hiddenCells(ctx, account, caseUid);
  if (hidden?.isOf(profileUid, version) !== true) return;
  throw new StoreError(
    'conflict',
    'You record in an open round that hides cells of this matrix from you. Wait until the round is released.',
    [
      {
        path: '/case_uid',
        code: 'round_open',
        message:
          'The round is open: release it, or let somebody do this who does not record in it.',
      },
    ],
  );
}
