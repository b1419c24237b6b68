import type { WriteContext } from '../db/context.ts';
import type { CaseView } from '../records/case-view.ts';
import type { Gesture } from '../log/gesture.ts';
import type { Actor } from '../db/actor.ts';
import { WorkCounter, yieldToEventLoop } from '../db/event-loop.ts';
import { author, authorOf } from '../log/author.ts';
import { refuseApproved } from '../sign-off/approved.ts';
import { ASSERTION } from '../log/cell-map.ts';

/** Appends the entries of a gesture and applies them; answers the ids of its changes. */
export async function place(
  ctx: WriteContext,
  view: CaseView,
  gesture: Gesture,
  actor: Actor,
  reason: string | undefined,
): Promise<string[]> {
  refuseApproved(view.stored, gesture.texts);
  const work = new WorkCounter();
  const by = authorOf(actor);
  const spans = await author(ctx, view.stream, actor, gesture.texts, reason, (index) =>
    gesture.isBound(index),
  );
  for (const { seq, start, count } of spans) {
    if (gesture.hasLayers)
      view.stream.changes.add(view.stream.changes.at(seq), {
        entries: gesture.entries.slice(start, start + count),
        by,
      });
    for (let index = 0; index < count; index += 1) {
      const entry = start + index;
      const cell = gesture.cells[entry];
      if (cell === undefined) {
        const slotted = gesture.bindings.get(entry);
        if (slotted !== undefined)
          await view.heads.apply(slotted.binding, {
            seq,
            index,
            parents: slotted.parents,
            value: slotted.value,
            restores: slotted.restores,
          });
        if (slotted?.register !== undefined)
          view.layers.note(slotted.register, slotted.value, { seq, index }, by);
      } else if (gesture.bits[entry] === ASSERTION) {
        cell.headSeq = seq;
        cell.headIndex = index;
      } else {
        cell.notesSeq = seq;
        cell.notesIndex = index;
      }
      if (work.due(0.2)) await yieldToEventLoop();
    }
  }
  await view.flush();
  return spans.map(({ id }) => id);
}
