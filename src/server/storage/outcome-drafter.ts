import type { OutcomeInput } from '../../shared/contract/v1/evidence.ts';
import { canonicalJson } from '../../shared/lib/canonical-json.ts';
import { columnPrefix } from '../../sync/register.ts';
import { entryText, jsonString, parentsText } from './author.ts';
import type { CaseView } from './case-view.ts';
import { ASSERTION, assertionSlot, type CellRow, NOTES, notesSlot, RAW, rawNumber } from './cell-book.ts';
import type { Gesture } from './gesture.ts';
import type { ItemRow } from './item-book.ts';

/** Turns outcomes into entries. Reads and writes nothing, so that it can be fast. */
export class OutcomeDrafter {
  /** Registers with further heads. */
  readonly contested: string[] = [];
  readonly #view: CaseView;
  readonly #gesture: Gesture;
  readonly #prefixes = new Map<string, { assertion: string; notes: string }>();
  readonly #profileUid: string;
  readonly #version: string;

  constructor(view: CaseView, gesture: Gesture, profileUid: string, version: string) {
    this.#view = view;
    this.#gesture = gesture;
    this.#profileUid = profileUid;
    this.#version = version;
  }

  /** True where the cell changes. */
  draft(input: OutcomeInput, row: ItemRow, cell: CellRow): boolean {
    const raw = input.raw_outcome === undefined ? cell.raw : rawNumber(input.raw_outcome);
    const source = input.source_value === undefined ? cell.sourceValue : input.source_value;
    const provenance = input.provenance === undefined ? cell.provenance : input.provenance === null ? null : canonicalJson(input.provenance);
    const notes = input.notes === undefined ? cell.notes : input.notes;
    const asserts = raw !== cell.raw || source !== cell.sourceValue || provenance !== cell.provenance;
    const annotates = notes !== cell.notes;
    if (asserts) this.#assert(input.rule_uid, row, cell, raw, source, provenance);
    if (annotates) this.#annotate(input.rule_uid, row, cell, notes);
    return asserts || annotates;
  }

  #assert(rule: string, row: ItemRow, cell: CellRow, raw: number, source: string | null, provenance: string | null): void {
    const outcome = raw === 0 ? 'null' : `"${RAW[raw]}"`;
    const value = `{${provenance === null ? '' : `"provenance":${provenance},`}"raw_outcome":${outcome}${source === null ? '' : `,"source_value":${jsonString(source)}`}}`;
    const parent = cell.headSeq === null ? null : this.#view.stream.changes.nameOf({ seq: cell.headSeq, index: cell.headIndex as number });
    const reg = this.#prefix(rule).assertion;
    if ((cell.further & ASSERTION) !== 0) {
      this.contested.push(reg + row.uid);
      this.#gesture.entry(assertionSlot(cell, reg + row.uid), parent, value, JSON.parse(value));
      return;
    }
    this.#gesture.cell(entryText(parentsText(parent), `"${reg}${jsonString(row.uid).slice(1)}`, value), cell, ASSERTION);
    cell.raw = raw;
    cell.sourceValue = source;
    cell.provenance = provenance;
    cell.changed = true;
  }

  #annotate(rule: string, row: ItemRow, cell: CellRow, notes: string | null): void {
    const value = notes === null ? 'null' : jsonString(notes);
    const parent = cell.notesSeq === null ? null : this.#view.stream.changes.nameOf({ seq: cell.notesSeq, index: cell.notesIndex as number });
    const reg = this.#prefix(rule).notes;
    if ((cell.further & NOTES) !== 0) {
      this.contested.push(reg + row.uid);
      this.#gesture.entry(notesSlot(cell, reg + row.uid), parent, value, notes);
      return;
    }
    this.#gesture.cell(entryText(parentsText(parent), `"${reg}${jsonString(row.uid).slice(1)}`, value), cell, NOTES);
    cell.notes = notes;
    cell.changed = true;
  }

  #prefix(rule: string): { assertion: string; notes: string } {
    let prefix = this.#prefixes.get(rule);
    if (prefix === undefined) {
      prefix = { assertion: columnPrefix('assertion', this.#profileUid, this.#version, rule), notes: columnPrefix('notes', this.#profileUid, this.#version, rule) };
      this.#prefixes.set(rule, prefix);
    }
    return prefix;
  }
}
