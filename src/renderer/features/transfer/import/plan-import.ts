import type { MatrixSession } from '../../../data/store/port.ts';
import type { Pace } from '../../../files/pace.ts';
import type { ImportPlan, WordChoice } from './plan.ts';
import { planItems } from './plan-items.ts';
import { planLongCells } from './plan-long.ts';
import { planWideCells } from './plan-wide.ts';
import type { ImportSource } from './source.ts';

/** What an import would do, without doing it. */
export async function planImport(
  source: ImportSource,
  choice: WordChoice,
  session: MatrixSession,
  pace: Pace,
): Promise<ImportPlan> {
  const plan: ImportPlan = {
    items: [],
    added: 0,
    returned: 0,
    changed: 0,
    itemChanges: { entries: [], count: 0 },
    wide: undefined,
    cells: [],
    fresh: 0,
    overwritten: 0,
    cleared: 0,
    detailed: 0,
    contested: 0,
    unchanged: 0,
    empty: 0,
    skipped: 0,
    overwrites: { entries: [], count: 0 },
    rejections: { entries: [], count: 0 },
    flags: { entries: [], count: 0 },
    revision: session.revision,
    problem: undefined,
  };
  const accepted = await planItems(plan, source, session, pace);
  if (source.mapping.form === 'wide')
    await planWideCells(plan, source, choice, session, accepted, pace);
  else await planLongCells(plan, source, choice, session, accepted, pace);
  return plan;
}
