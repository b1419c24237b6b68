import type { AccountId, CaseUid } from '../../../shared/contract/ids.ts';
import { participantIdOf } from '../../../shared/contract/participant.ts';
import { hidesFrom, hidesRecord, type RecordingRound } from '../../../sync/layers/rounds.ts';
import { hidesPlace } from '../../../sync/layers/discussion.ts';
import { parseRegister, type RegisterCell } from '../../../sync/register.ts';
import type { ThreadPlace } from '../../../shared/domain/thread.ts';
import type { ReadContext } from '../db/context.ts';
import { roundsOfCases } from './stored-rounds.ts';

/**
 * What of a case's record, of its suggestions and decisions is not shown to the caller, because they
 * record these cells in an open round (YR7). It is a rule of what is shown: the log travels whole.
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

/** Undefined where nothing is hidden from the caller. */
export async function hiddenCells(
  ctx: ReadContext,
  account: AccountId,
  caseUid: CaseUid,
): Promise<HiddenCells | undefined> {
  if (ctx.credential === undefined) return undefined;
  const reader = participantIdOf(ctx.credential);
  const rounds = (await roundsOfCases(ctx, account, [caseUid])).get(caseUid) ?? [];
  const hiding = rounds.filter((round) => hidesFrom(round, reader));
  return hiding.length === 0 ? undefined : new HiddenCells(reader, hiding);
}
