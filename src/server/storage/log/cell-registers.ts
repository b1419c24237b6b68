import { type CellRow, rawNumber, ASSERTION, NOTES } from './cell-map.ts';
import type { RegisterBinding } from './head-map.ts';
import type { Assertion } from '../../../sync/assertion.ts';
import type { EntryPosition } from './change-index.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';

/** The register of a cell's assertion, as its row holds it. */
export function assertionBinding(cell: CellRow, reg: string): RegisterBinding {
  return {
    reg,
    get head() {
      return cell.headSeq === null ? null : { seq: cell.headSeq, index: cell.headIndex as number };
    },
    set head(head: EntryPosition | null) {
      cell.headSeq = head?.seq ?? null;
      cell.headIndex = head?.index ?? null;
      cell.changed = true;
    },
    show(value, restores) {
      const assertion = value as Assertion;
      cell.restores = restores;
      cell.raw = rawNumber(assertion.raw_outcome);
      cell.sourceValue = assertion.source_value ?? null;
      cell.provenance =
        assertion.provenance === undefined ? null : canonicalJson(assertion.provenance);
      cell.changed = true;
    },
    noteConflict: (conflicting, contested) => noteConflict(cell, ASSERTION, conflicting, contested),
  };
}

/** The register of a cell's notes, as its row holds it. */
export function notesBinding(cell: CellRow, reg: string): RegisterBinding {
  return {
    reg,
    get head() {
      return cell.notesSeq === null
        ? null
        : { seq: cell.notesSeq, index: cell.notesIndex as number };
    },
    set head(head: EntryPosition | null) {
      cell.notesSeq = head?.seq ?? null;
      cell.notesIndex = head?.index ?? null;
      cell.changed = true;
    },
    show(value) {
      cell.notes = value as string | null;
      cell.changed = true;
    },
    noteConflict: (conflicting, contested) => noteConflict(cell, NOTES, conflicting, contested),
  };
}

function noteConflict(cell: CellRow, bit: number, conflicting: boolean, contested: boolean): void {
  cell.further = conflicting ? cell.further | bit : cell.further & ~bit;
  cell.contested = contested ? cell.contested | bit : cell.contested & ~bit;
  cell.changed = true;
}
