import { z } from 'zod';
import { ApprovedRun, CaseStage, NEXT_STAGES } from '../shared/domain/sign-off.ts';
import { ENTRY_NAME } from './change.ts';
import { compareHeads } from './heads.ts';
import { parseRegister } from './register.ts';

/** Sign-off: in which stage a case is, by the moves in its log (SPEC.md, Z). */

/** A move to another stage. `after` names the move that was displayed, and `run` what is approved. */
export const StageMove = z
  .strictObject({
    stage: CaseStage,
    after: z.string().regex(ENTRY_NAME).nullable(),
    run: ApprovedRun.optional(),
  })
  .refine(({ stage, run }) => (stage === 'approved') === (run !== undefined), {
    path: ['run'],
    message: 'An approval, and nothing else, names a run.',
  });
export type StageMove = z.infer<typeof StageMove>;

/** An applied move: its entry's name, its change's clock, and what it says. */
export interface PlacedMove {
  name: string;
  hlc: string;
  value: StageMove;
}

/** The displayed move, and others that were made without knowing of it. */
export interface ShownStage {
  stage: CaseStage;
  move: PlacedMove | undefined;
  unaware: readonly PlacedMove[];
}

/** Z1, Z2: a function of the set of moves, whatever order they come in. */
export function stageOf(moves: readonly PlacedMove[]): ShownStage {
  const move = moves.reduce<PlacedMove | undefined>(
    (best, one) => (best === undefined || compareHeads(best, one) < 0 ? one : best),
    undefined,
  );
  if (move === undefined) return { stage: 'in_progress', move, unaware: [] };
  const unaware = moves.filter(
    ({ name, value }) => name !== move.name && value.after === move.value.after,
  );
  return { stage: move.value.stage, move, unaware };
}

/** Z4: whether the moves leave a case approved at a clock value, so that what is written then waits. */
export const isApprovedAt = (moves: readonly PlacedMove[], hlc: string): boolean =>
  stageOf(moves.filter((move) => move.hlc < hlc)).stage === 'approved';

export const mayMove = (from: CaseStage, to: CaseStage): boolean => NEXT_STAGES[from].includes(to);

const RECORD = new Set(['assertion', 'notes', 'item', 'document']);

/** Whether an entry of this address writes what runs freeze. */
export const isOfRecord = (reg: string): boolean => {
  const register = parseRegister(reg);
  return register !== undefined && RECORD.has(register.kind);
};
