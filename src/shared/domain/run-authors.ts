import { type Recorder, recordersByCell, type RunRecorders } from './run-recorders.ts';
import type { RunRecord } from './run-record.ts';

/** In English, as files have them; pages look up their translation. */
export const NOT_HASHED =
  'As the server that froze the run says. The content hash does not cover it.';
export const KIND_WORDS: Readonly<Record<Recorder['kind'], string>> = {
  human: 'person',
  agent: 'agent',
  import: 'import',
};

/** Who recorded the outcomes of a run. */
export interface RunAuthors {
  stated: RunRecorders;
  /** The author of a cell; undefined where nothing is recorded. */
  of(row: number, column: number): Recorder | undefined;
  /** Each author with the number of outcomes, the most first. */
  counts: readonly (readonly [author: Recorder, outcomes: number])[];
}

/** Undefined where they do not fit the run: then nothing is shown rather than something false. */
export function authorsOf(
  { frozen: { raw, rules } }: Pick<RunRecord, 'frozen'>,
  stated: RunRecorders,
): RunAuthors | undefined {
  const places = recordersByCell(stated, raw);
  if (places === undefined) return undefined;
  const outcomes = new Array<number>(stated.authors.length).fill(0);
  for (const place of places) if (place >= 0) outcomes[place] = (outcomes[place] ?? 0) + 1;
  return {
    stated,
    of: (row, column) => stated.authors[places[row * rules.length + column] ?? -1],
    counts: stated.authors
      .map((author, place) => [author, outcomes[place] ?? 0] as const)
      .toSorted((a, b) => b[1] - a[1]),
  };
}

/** An author in a file, which is English whoever saves it. */
export function recorderInFile({ kind, name, key_id, accepted_by }: Recorder): string {
  return (
    `${name} (${KIND_WORDS[kind]}${key_id === undefined ? '' : `, key ${key_id}`}` +
    `${accepted_by === undefined ? '' : `, accepted by ${accepted_by}`})`
  );
}
