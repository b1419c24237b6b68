import { type CellRow, RAW } from '../log/cell-map.ts';
import type { ChangeIndex } from '../log/change-index.ts';
import { acceptedBy, acceptedByName, changesOfEntries, recordedBy } from '../log/recorded-by.ts';

const MATRIX = ['null', '1', '0', '0'] as const;
const OUTCOME = RAW.map((raw) => (raw === null ? 'null' : `"${raw}"`));

export type CellTuple = [
  item: number,
  rule: number,
  raw: number,
  source: string | null,
  provenance: string | null,
  notes: string | null,
  headSeq: number | null,
  notesSeq: number | null,
  revision: number,
  contested: number,
  restores: string | null,
  headIndex: number | null,
];

/** A cell that a transaction works on, as a page of evidence reads it. */
export const tupleOf = (cell: CellRow): CellTuple => [
  cell.item,
  cell.rule,
  cell.raw,
  cell.sourceValue,
  cell.provenance,
  cell.notes,
  cell.headSeq,
  cell.notesSeq,
  cell.revision,
  cell.contested,
  cell.restores,
  cell.headIndex,
];

/**
 * What follows the rule in the JSON of a cell recorded by one change, and the texts of its plain
 * cells by revision and outcome: there are few, and many cells of each.
 */
interface CellStamp {
  updated: string;
  recorded: string;
  plain: string[];
}

/** Revisions whose plain cells are remembered. */
const REMEMBERED = 256;
const NOBODY = ',"recorded_by":null';

/** When and by whom, by position in the log. */
export class Stamps {
  readonly #keys: boolean;
  readonly #changes: ChangeIndex;
  readonly #stamps = new Map<number, CellStamp>();
  #origins: ReadonlyMap<string, number> = new Map();

  /** `keys`: whether the identifiers of keys are shown. */
  constructor(changes: ChangeIndex, keys: boolean) {
    this.#changes = changes;
    this.#keys = keys;
  }

  async load(cells: readonly CellTuple[]): Promise<void> {
    const wanted = new Set<number>();
    const restored: string[] = [];
    for (const [, , , , , , headSeq, notesSeq, , , restores] of cells) {
      if (headSeq !== null) wanted.add(headSeq);
      if (notesSeq !== null) wanted.add(notesSeq);
      if (restores !== null) restored.push(restores);
    }
    await this.#changes.loadSeqs(wanted);
    if (restored.length > 0) this.#origins = await changesOfEntries(this.#changes, restored);
    await this.#changes.acceptances.load([...wanted, ...this.#origins.values()]);
  }

  #at(seq: number): CellStamp {
    let stamp = this.#stamps.get(seq);
    if (stamp === undefined) {
      const change = this.#changes.at(seq);
      stamp = {
        updated: `,"updated_at":"${change.receivedAt}","updated_by":${JSON.stringify(change.author)}`,
        recorded: `,"recorded_by":${JSON.stringify(recordedBy(change, this.#keys))}`,
        plain: [],
      };
      this.#stamps.set(seq, stamp);
    }
    return stamp;
  }

  /** JSON of a cell after its rule. */
  after(cell: CellTuple): string {
    const [, , raw, source, provenance, notes, headSeq, notesSeq, revision, contested, ...more] =
      cell;
    const [restores, headIndex] = more;
    const stamp = this.#at(Math.max(headSeq ?? 0, notesSeq ?? 0));
    const accepted = this.#accepted(headSeq, headIndex, restores);
    if (accepted !== undefined)
      return cellJson(cell, `${stamp.updated},"recorded_by":${JSON.stringify(accepted)}`);
    if (
      source !== null ||
      provenance !== null ||
      notes !== null ||
      notesSeq !== null ||
      contested !== 0 ||
      restores !== null ||
      revision >= REMEMBERED
    )
      return cellJson(cell, stamp.updated + this.#recorded(headSeq, restores));
    const place = revision * OUTCOME.length + raw;
    return (stamp.plain[place] ??= cellJson(cell, stamp.updated + stamp.recorded));
  }

  #accepted(headSeq: number | null, index: number | null, restores: string | null) {
    if (this.#changes.acceptances.areNone) return undefined;
    if (restores !== null) return acceptedByName(this.#changes, restores, this.#keys);
    return headSeq === null || index === null
      ? undefined
      : acceptedBy(this.#changes, { seq: headSeq, index }, this.#keys);
  }

  #recorded(headSeq: number | null, restores: string | null): string {
    const seq = restores === null ? headSeq : (this.#origins.get(restores) ?? headSeq);
    return seq === null ? NOBODY : this.#at(seq).recorded;
  }
}

const text = (value: string | null): string => (value === null ? 'null' : JSON.stringify(value));

function cellJson(
  [, , raw, source, provenance, notes, , , revision, contested]: CellTuple,
  stamp: string,
): string {
  return (
    `,"raw_outcome":${OUTCOME[raw]},"matrix_value":${MATRIX[raw]},"source_value":${text(source)}` +
    `,"notes":${text(notes)},"provenance":${provenance ?? 'null'}${stamp}` +
    `,"revision":${revision},"contested":${contested === 0 ? 'false' : 'true'}}`
  );
}

/** A cell that was cleared, with nothing left to show, is unrecorded again. */
export function isShown([, , raw, source, provenance, notes, , , , contested]: CellTuple): boolean {
  return raw !== 0 || source !== null || provenance !== null || notes !== null || contested !== 0;
}
