import type { RunCellAddress } from '../../../shared/domain/run-record.ts';
import type { EntryPosition, ChangeIndex } from '../log/change-index.ts';
import type { ReadContext } from '../db/context.ts';
import type { ContestedCell, ContestedHead, ContestedNotes } from '../../../shared/domain/run.ts';
import { conflictingHeads } from '../log/conflicting-heads.ts';
import { NOTES } from '../log/cell-map.ts';
import { compareHeads } from '../../../sync/heads.ts';
import { WorkCounter, yieldToEventLoop } from '../db/event-loop.ts';
import type { Assertion } from '../../../sync/assertion.ts';

/** A contested cell: which of its registers are contested, and what they show. */
export interface Disputed {
  address: RunCellAddress;
  bits: number;
  head: EntryPosition | null;
  notes: EntryPosition | null;
}

/** The displayed head and then the others, in their order for display. */
async function inOrder(
  changes: ChangeIndex,
  shown: EntryPosition | null,
  others: readonly EntryPosition[],
): Promise<{ entry: string; value: unknown }[]> {
  const named = (ref: EntryPosition) => ({
    name: changes.nameOf(ref),
    hlc: changes.at(ref.seq).hlc,
    ref,
  });
  const sorted = others.map(named).sort((a, b) => compareHeads(b, a));
  const heads: { entry: string; value: unknown }[] = [];
  for (const { name, ref } of shown === null ? sorted : [named(shown), ...sorted])
    heads.push({ entry: name, value: (await changes.entryAt(ref)).value });
  return heads;
}

function contestedHead({ entry, value }: { entry: string; value: unknown }): ContestedHead {
  const { raw_outcome, source_value = null, provenance = null } = value as Assertion;
  return {
    entry,
    raw_outcome,
    source_value,
    provenance: provenance as ContestedHead['provenance'],
  };
}

/**
 * All heads of the contested cells with their values, the displayed one first, the others in their
 * order for display.
 */
export async function contestedCells(
  ctx: ReadContext,
  changes: ChangeIndex,
  stream: number,
  disputed: readonly Disputed[],
  profile: string,
): Promise<ContestedCell[]> {
  if (disputed.length === 0) return [];
  const regOf = (kind: 'a' | 'n', { rule_uid, item_uid }: RunCellAddress): string =>
    `${kind}/${profile}/${rule_uid}/${item_uid}`;
  const regs = disputed.flatMap(({ address, bits }) => [
    regOf('a', address),
    ...((bits & NOTES) === 0 ? [] : [regOf('n', address)]),
  ]);
  const conflicting = await conflictingHeads(ctx, stream, regs);
  await changes.loadSeqs([
    ...[...conflicting.values()].flat().map(({ seq }) => seq),
    ...disputed.flatMap(({ head, notes }) =>
      [head, notes].flatMap((ref) => (ref === null ? [] : [ref.seq])),
    ),
  ]);
  const headsOf = (shown: EntryPosition | null, reg: string): ReturnType<typeof inOrder> =>
    inOrder(changes, shown, conflicting.get(reg) ?? []);
  const cells: ContestedCell[] = [];
  const work = new WorkCounter();
  for (const { address, bits, head, notes } of disputed) {
    const heads = (await headsOf(head, regOf('a', address))).map(contestedHead);
    const texts =
      (bits & NOTES) === 0
        ? undefined
        : (await headsOf(notes, regOf('n', address))).map(({ entry, value }): ContestedNotes => ({
            entry,
            notes: value as string | null,
          }));
    cells.push({ ...address, heads, ...(texts !== undefined && { notes: texts }) });
    if (work.due(10)) await yieldToEventLoop();
  }
  return cells;
}
