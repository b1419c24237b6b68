import type { ChangeIds } from '../store/change-ids.ts';
import type { HeadRef, StoredHead, StoredHeads, UndoStepRow } from '../store/db.ts';
import type { StepHeads, StepResolution, StepRow, UndoStep } from './undo-steps.ts';

/** The step in its stored form. Every change that it names must be encoded by now. */
export function stepToRow(step: UndoStep, matrix: string, changeIds: ChangeIds): UndoStepRow {
  const ids = [''];
  const places = new Map<number, number>([[0, 0]]);
  let [last, lastPlace] = [0, 0];
  const place = (ref: number): number => {
    if (ref === last) return lastPlace;
    let index = places.get(ref);
    if (index === undefined) {
      places.set(ref, (index = ids.length));
      ids.push(changeIds.id(ref) ?? '');
    }
    [last, lastPlace] = [ref, index];
    return index;
  };
  const many = ({ ref, entry }: StepHeads): StoredHeads => ({ id: ref.map(place), entry });
  const one = (head: HeadRef | null): StoredHead =>
    head === null ? [0, 0] : [place(head[0]), head[1]];
  const details: UndoStepRow['details'] = {};
  const { previous, resolutions, ...rest } = step;
  for (const [at, { previous: before, ...detail }] of Object.entries(step.details))
    details[Number(at)] = {
      ...detail,
      head: one(detail.head),
      former: one(before),
      root: one(detail.root),
    };
  const rows = step.rows.map(({ previous: before, ...row }) => ({
    ...row,
    head: one(row.head),
    former: one(before),
    root: one(row.root),
  }));
  const turns = resolutions.map(({ previous: before, ...resolution }) => ({
    ...resolution,
    heads: resolution.heads.map((head) => ({ ...head, head: one(head.head) })),
    head: one(resolution.head),
    former: one(before),
    root: one(resolution.root),
  }));
  return {
    ...rest,
    matrix,
    head: many(step.head),
    former: many(previous),
    root: step.root === null ? null : many(step.root),
    details,
    rows,
    turns,
    ids,
  };
}

export function rowToStep(row: UndoStepRow, changeIds: ChangeIds): UndoStep {
  // A change that this replica does not know gets a number all the same, so that two such changes
  // are distinguished.
  const refs = row.ids.map((id, at) => (at === 0 ? 0 : changeIds.intern(id, '', false)));
  const many = ({ id, entry }: StoredHeads): StepHeads => ({
    ref: id.map((place) => refs[place] ?? 0),
    entry,
  });
  const one = ([id, entry]: StoredHead): HeadRef | null =>
    id === 0 ? null : [refs[id] ?? 0, entry];
  const details: UndoStep['details'] = {};
  for (const [at, { former, ...detail }] of Object.entries(row.details))
    details[Number(at)] = {
      ...detail,
      head: one(detail.head),
      previous: one(former),
      root: one(detail.root),
    };
  const { matrix: _, ids: __, former: before, turns, ...rest } = row;
  const rows = row.rows.map(({ former, ...written }): StepRow => ({
    ...written,
    head: one(written.head) ?? [0, 0],
    previous: one(former),
    root: one(written.root),
  }));
  const sure = (head: StoredHead): HeadRef => one(head) ?? [0, 0];
  const resolutions = turns.map(({ former, ...resolution }): StepResolution => ({
    ...resolution,
    heads: resolution.heads.map((head) => ({ ...head, head: sure(head.head) })),
    head: sure(resolution.head),
    previous: sure(former),
    root: one(resolution.root),
  }));
  return {
    ...rest,
    head: many(row.head),
    previous: many(before),
    root: row.root === null ? null : many(row.root),
    details,
    rows,
    resolutions,
  };
}
