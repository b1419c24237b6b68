import type { MatrixSession } from '../../../data/store/port.ts';
import type { Pace } from '../../../files/pace.ts';
import { emptyPlan, type ImportChoice, type ImportPlan } from './plan.ts';
import { planItems } from './plan-items.ts';
import { planLongCells } from './plan-long.ts';
import { planWideCells } from './plan-wide.ts';
import type { ImportSource } from './source.ts';

/** What an import would do, without doing it. */
export async function planImport(
  source: ImportSource,
  choice: ImportChoice,
  session: MatrixSession,
  pace: Pace,
): Promise<ImportPlan> {
  const plan = emptyPlan(session.revision);
  const accepted = await planItems(plan, source, choice, session, pace);
  if (source.mapping.form === 'wide')
    await planWideCells(plan, source, choice, session, accepted, pace);
  else await planLongCells(plan, source, choice, session, accepted, pace);
  return plan;
}
