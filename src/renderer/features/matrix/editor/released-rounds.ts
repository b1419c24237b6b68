import type { CellAgreement } from '../../../../shared/domain/round.ts';
import type { RatedCells } from '../../../data/api/library.ts';

/** A round of this matrix whose recordings may be read. */
export interface ReleasedRound {
  id: string;
  title: string;
}
/** What recorders of rounds of this matrix recorded independently. */
export interface ReleasedRounds {
  /** The round that the address of the page asks for. */
  asked: string | undefined;
  list(): Promise<readonly ReleasedRound[]>;
  /** All cells in which the recorders stand so. */
  cells(round: string, agreement: CellAgreement): Promise<RatedCells>;
}
