import type { ProfileUid } from '../../../shared/contract/ids.ts';
import type { OutcomeInput } from '../../../shared/contract/v1/evidence.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { Assertion } from '../../../sync/assertion.ts';
import { columnPrefix } from '../../../sync/register.ts';
import { jsonString, parentsText } from '../../../sync/change-writer.ts';
import type { CaseView } from '../records/case-view.ts';
import { ASSERTION, type CellRow, NOTES, RAW, rawNumber } from '../log/cell-map.ts';
import type { Gesture } from '../log/gesture.ts';
import type { ItemState } from '../log/item-map.ts';
import { assertionBinding, notesBinding } from '../log/cell-registers.ts';

/** What an entry begins with, up to its register. */
const entryStart = (parents: string): string => `{"op":"set","parents":${parents},"reg":"`;
/** The same of one that replaces another entry, with its register up to the item. */
const startAfter = (parent: string, prefix: string): string =>
  entryStart(parentsText(parent)) + prefix;
/** What an entry without parents begins with, up to its register. */
const FIRST = entryStart('[]');
/** Outcomes as members of a value, by number. */
const OUTCOMES = RAW.map((raw) => `"raw_outcome":${raw === null ? 'null' : `"${raw}"`}`);
/** Ends of entries that assert no more than an outcome. */
const PLAIN = OUTCOMES.map((outcome) => `,"value":{${outcome}}}`);

/**
 * Provenance as it is shown: its members in the order in which they were sent, or in which the cell
 * has them where it says the same.
 */
function provenanceText(
  given: NonNullable<OutcomeInput['provenance']> | null,
  shown: string | null,
): string | null {
  if (given === null) return null;
  const text = JSON.stringify(given);
  return shown === null ||
    text === shown ||
    canonicalJson(given) !== canonicalJson(JSON.parse(shown))
    ? text
    : shown;
}

const assertionOf = (raw: number, source: string | null, provenance: string | null): Assertion => ({
  raw_outcome: RAW[raw] ?? null,
  ...(source !== null && { source_value: source }),
  ...(provenance !== null && {
    provenance: JSON.parse(provenance) as NonNullable<Assertion['provenance']>,
  }),
});

/** The end of an entry, from its register on: canonical JSON of `assertionOf`. */
function assertionEnd(raw: number, source: string | null, provenance: string | null): string {
  if (provenance === null)
    return source === null
      ? (PLAIN[raw] as string)
      : `,"value":{${OUTCOMES[raw]},"source_value":${jsonString(source)}}}`;
  return `,"value":${canonicalJson(assertionOf(raw, source, provenance))}}`;
}

/**
 * Addresses of a rule's registers up to the item, and the same as the beginning of an entry without
 * parents.
 */
interface Prefix {
  assertion: string;
  notes: string;
  firstAssertion: string;
  firstNotes: string;
}

/**
 * Turns outcomes into entries. It neither reads nor writes the database, and builds as few strings
 * as possible, because this is the hot path of large requests.
 */
export class OutcomeDrafter {
  /** Registers with conflicting heads. */
  readonly contested: string[] = [];
  readonly #view: CaseView;
  readonly #gesture: Gesture;
  readonly #prefixes = new Map<string, Prefix>();
  /** The item of the last entry, and its uid as the end of an address in JSON. */
  #row: ItemState | undefined;
  #ending = '';
  readonly #profileUid: ProfileUid;
  readonly #version: string;

  constructor(view: CaseView, gesture: Gesture, profileUid: ProfileUid, version: string) {
    this.#view = view;
    this.#gesture = gesture;
    this.#profileUid = profileUid;
    this.#version = version;
  }

  /**
   * True where the cell changes. Source and provenance that are not given stay only while the
   * outcome stays: they prove no other one (V3).
   */
  draft(input: OutcomeInput, row: ItemState, cell: CellRow): boolean {
    const raw = input.raw_outcome === undefined ? cell.raw : rawNumber(input.raw_outcome);
    const stays = raw === cell.raw;
    const source =
      input.source_value === undefined ? (stays ? cell.sourceValue : null) : input.source_value;
    const provenance =
      input.provenance === undefined
        ? stays
          ? cell.provenance
          : null
        : provenanceText(input.provenance, cell.provenance);
    const notes = input.notes === undefined ? cell.notes : input.notes;
    const asserts = !stays || source !== cell.sourceValue || provenance !== cell.provenance;
    const annotates = notes !== cell.notes;
    if (asserts) this.#assert(input.rule_uid, row, cell, raw, source, provenance);
    if (annotates) this.#annotate(input.rule_uid, row, cell, notes);
    return asserts || annotates;
  }

  /**
   * An outcome for a cell that is hidden from its author: stored whatever the cell holds, and
   * nothing of that is taken over, so that no answer and no amount of changes tells of it.
   */
  draftUnseen(
    { rule_uid, raw_outcome, source_value, provenance, notes }: OutcomeInput,
    row: ItemState,
    cell: CellRow,
  ): void {
    if (raw_outcome !== undefined || source_value !== undefined || provenance !== undefined) {
      const raw = raw_outcome === undefined ? cell.raw : rawNumber(raw_outcome);
      const proof = provenanceText(provenance ?? null, null);
      this.#assert(rule_uid, row, cell, raw, source_value ?? null, proof);
    }
    if (notes !== undefined) this.#annotate(rule_uid, row, cell, notes);
  }

  #assert(
    rule: string,
    row: ItemState,
    cell: CellRow,
    raw: number,
    source: string | null,
    provenance: string | null,
  ): void {
    const parent =
      cell.headSeq === null
        ? null
        : this.#view.stream.changes.nameOf({ seq: cell.headSeq, index: cell.headIndex as number });
    const prefix = this.#prefix(rule);
    if ((cell.further & ASSERTION) !== 0) {
      const reg = prefix.assertion + row.uid;
      this.contested.push(reg);
      const value = assertionOf(raw, source, provenance);
      this.#gesture.entry(assertionBinding(cell, reg), parent, canonicalJson(value), value);
      return;
    }
    const start = parent === null ? prefix.firstAssertion : startAfter(parent, prefix.assertion);
    this.#gesture.cell(
      start + this.#endingOf(row) + assertionEnd(raw, source, provenance),
      cell,
      ASSERTION,
    );
    cell.raw = raw;
    cell.sourceValue = source;
    cell.provenance = provenance;
    cell.restores = null;
    cell.changed = true;
  }

  #annotate(rule: string, row: ItemState, cell: CellRow, notes: string | null): void {
    const parent =
      cell.notesSeq === null
        ? null
        : this.#view.stream.changes.nameOf({
            seq: cell.notesSeq,
            index: cell.notesIndex as number,
          });
    const prefix = this.#prefix(rule);
    if ((cell.further & NOTES) !== 0) {
      const reg = prefix.notes + row.uid;
      this.contested.push(reg);
      this.#gesture.entry(notesBinding(cell, reg), parent, canonicalJson(notes), notes);
      return;
    }
    const start = parent === null ? prefix.firstNotes : startAfter(parent, prefix.notes);
    const value = notes === null ? 'null' : jsonString(notes);
    this.#gesture.cell(`${start}${this.#endingOf(row)},"value":${value}}`, cell, NOTES);
    cell.notes = notes;
    cell.changed = true;
  }

  #endingOf(row: ItemState): string {
    if (this.#row !== row) {
      this.#row = row;
      this.#ending = jsonString(row.uid).slice(1);
    }
    return this.#ending;
  }

  #prefix(rule: string): Prefix {
    let prefix = this.#prefixes.get(rule);
    if (prefix === undefined) {
      const [assertion, notes] = [
        columnPrefix('assertion', this.#profileUid, this.#version, rule),
        columnPrefix('notes', this.#profileUid, this.#version, rule),
      ];
      prefix = {
        assertion,
        notes,
        firstAssertion: `${FIRST}${assertion}`,
        firstNotes: `${FIRST}${notes}`,
      };
      this.#prefixes.set(rule, prefix);
    }
    return prefix;
  }
}
