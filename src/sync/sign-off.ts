import { z } from 'zod';
import { ApprovedRun, CaseStage, NEXT_STAGES } from '../shared/domain/sign-off.ts';
import { ENTRY_NAME } from './change.ts';
import { compareHeads } from './heads.ts';
import { parseRegister } from './register.ts';

/** Sign-off: in which stage a case is, by the moves in its log (SPEC.md, Z). */

/**
 * A move to another stage. `after` names the move that was displayed, and `run` what is approved.
 */
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

/** The displayed move, and others that do not count beside it. */
export interface ShownStage {
  stage: CaseStage;
  move: PlacedMove | undefined;
  unaware: readonly PlacedMove[];
}

/** While a case was approved: from the approval to the move that opened it again. */
interface ApprovedSpan<M extends PlacedMove> {
  from: M;
  to: M | undefined;
}

/** Z1: the moves that count, oldest first. Nothing but an amendment supersedes an approval. */
function counted<M extends PlacedMove>(moves: readonly M[]): M[] {
  const count: M[] = [];
  for (const move of moves.toSorted(compareHeads))
    if (count.at(-1)?.value.stage !== 'approved' || move.value.stage === 'amended')
      count.push(move);
  return count;
}

/** Z1, Z2: a function of the set of moves, whatever order they come in. */
export function stageOf(moves: readonly PlacedMove[]): ShownStage {
  const move = counted(moves).at(-1);
  if (move === undefined) return { stage: 'in_progress', move, unaware: [] };
  const unaware = moves.filter(
    (one) =>
      one.name !== move.name &&
      (one.value.after === move.value.after || compareHeads(one, move) > 0),
  );
  return { stage: move.value.stage, move, unaware };
}

/** Z4: while the moves leave a case approved, oldest first. */
export function approvedSpans<M extends PlacedMove>(moves: readonly M[]): ApprovedSpan<M>[] {
  const count = counted(moves);
  return count.flatMap((from, index) =>
    from.value.stage === 'approved' ? [{ from, to: count[index + 1] }] : [],
  );
}

export const mayMove = (from: CaseStage, to: CaseStage): boolean => NEXT_STAGES[from].includes(to);

const RECORD = new Set(['assertion', 'notes', 'item', 'document']);

/** Whether an entry of this address writes what runs freeze. */
export const isOfRecord = (reg: string): boolean => {
  const register = parseRegister(reg);
  return register !== undefined && RECORD.has(register.kind);
};
