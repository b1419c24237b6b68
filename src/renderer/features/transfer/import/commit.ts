import { stateOf } from '../../../../shared/domain/outcome.ts';
import {
  type CellAddress,
  type CellPatch,
  type Edit,
  LEAVE,
  MAX_EDIT_CELLS,
  type MatrixSession,
} from '../../../data/store/port.ts';
import type { Pace } from '../../../files/pace.ts';
import type { Word } from '../../../files/table.ts';
import type { ImportPlan, WideCells } from './plan.ts';
import { t } from '../../../text/t.ts';

/** Rows of a wide file that fit into one gesture. */
const rowsAGesture = ({ rules }: WideCells): number =>
  Math.max(1, Math.floor(MAX_EDIT_CELLS / Math.max(1, rules.length)));

/** How many undo steps an import takes. */
export function stepCount(plan: ImportPlan): number {
  const wide =
    plan.wide === undefined ? 0 : Math.ceil(plan.wide.items.length / rowsAGesture(plan.wide));
  return Math.max(1, wide, Math.ceil(plan.cells.length / MAX_EDIT_CELLS));
}

/**
 * Rows `from` to `to` of a wide file: outcomes as a block of the rows that change, cells that keep
 * a word one by one.
 */
function wideStep(
  wide: WideCells,
  from: number,
  to: number,
  words: readonly Word[],
): Pick<Edit, 'blocks' | 'cells'> {
  const width = wide.rules.length;
  const rows: number[] = [];
  const cells: (CellAddress & { patch: CellPatch })[] = [];
  for (let row = from; row < to; row += 1) {
    let hasOutcome = false;
    for (let column = 0; column < width; column += 1) {
      const at = row * width + column;
      const state = wide.states[at]!;
      if (state === LEAVE) continue;
      const word = wide.sources[at]!;
      if (word === 0) hasOutcome = true;
      else
        cells.push({
          item: wide.items[row]!,
          rule: wide.rules[column]!,
          patch: {
            raw_outcome: stateOf(state),
            source_value: words[word]!.text,
            provenance: wide.locate(wide.rows[row]!, wide.columns[column]!),
          },
        });
    }
    if (hasOutcome) rows.push(row);
  }
  const states = new Uint8Array(rows.length * width);
  for (const [index, row] of rows.entries()) {
    for (let column = 0; column < width; column += 1)
      states[index * width + column] =
        wide.sources[row * width + column] === 0 ? wide.states[row * width + column]! : LEAVE;
  }
  return {
    ...(rows.length > 0 && {
      blocks: [{ items: rows.map((row) => wide.items[row]!), rules: wide.rules, states }],
    }),
    ...(cells.length > 0 && { cells }),
  };
}

function* editsOf(
  plan: ImportPlan,
  words: readonly Word[],
): Generator<Pick<Edit, 'items' | 'blocks' | 'cells'>> {
  const steps = stepCount(plan);
  for (let step = 0; step < steps; step += 1) {
    const rows = plan.wide === undefined ? 0 : rowsAGesture(plan.wide);
    const cells = plan.cells.slice(step * MAX_EDIT_CELLS, (step + 1) * MAX_EDIT_CELLS);
    yield {
      ...(step === 0 && plan.items.length > 0 && { items: plan.items }),
      ...(plan.wide !== undefined &&
        wideStep(
          plan.wide,
          step * rows,
          Math.min((step + 1) * rows, plan.wide.items.length),
          words,
        )),
      ...(cells.length > 0 && { cells }),
    };
  }
}

export interface Imported {
  items: number;
  cells: number;
  /** Steps that were not done, since others have changed the matrix meanwhile. */
  left: number;
}

/**
 * Does what was planned: rows first, in as few undo steps as its size allows. Cancelled between two
 * steps, the steps done stay and can be undone. So they do where others change the matrix between
 * two: the next would do what nobody has seen.
 */
export async function commitImport(
  plan: ImportPlan,
  words: readonly Word[],
  fileName: string,
  session: Pick<MatrixSession, 'apply' | 'revision'>,
  pace: Pace,
): Promise<Imported> {
  const done: Imported = { items: 0, cells: 0, left: 0 };
  const steps = stepCount(plan);
  let step = 0;
  let { revision } = session;
  for (const edit of editsOf(plan, words)) {
    if (session.revision !== revision) return { ...done, left: steps - step };
    step += 1;
    // The reason is recorded, in English as the record is; the label is for who undoes it here.
    const part = steps === 1 ? '' : `, part ${step} of ${steps}`;
    if (Object.keys(edit).length > 0) {
      const applied = session.apply({
        label:
          steps === 1
            ? t('Import of {fileName}', { fileName })
            : t('Import of {fileName}, part {step} of {steps}', { fileName, step, steps }),
        why: `Imported from ${fileName}${part}`,
        ...edit,
      });
      // It is shown by now, and stored in a while.
      ({ revision } = session);
      const { items, cells } = await applied;
      done.items += items;
      done.cells += cells;
    }
    await pace(step / steps);
  }
  return done;
}
