import { z } from 'zod';

/**
 * Most authors of a run, and most characters of the text that gives each outcome to one of them.
 */
export const MAX_RECORDERS = 10_000;
export const MAX_RECORDERS_TEXT = 4_194_304;
export const MAX_RECORDER_NAME = 500;

/**
 * An author's place, and how many outcomes in a row are that author's where it is more than one.
 */
const PART = /^(0|[1-9][0-9]{0,4})(?:x([1-9][0-9]{0,8}))?$/;

export const Recorder = z.strictObject({
  kind: z.enum(['human', 'agent', 'import']),
  name: z.string().max(MAX_RECORDER_NAME),
  key_id: z.string().max(64).brand<'KeyId'>().exactOptional(),
  accepted_by: z.string().max(MAX_RECORDER_NAME).exactOptional(),
});
export type Recorder = z.infer<typeof Recorder>;

/**
 * Who recorded the outcomes of a run, as the server that froze it says: names differ between
 * servers, so the content hash does not cover it. `cells` goes through the recorded cells row by
 * row, each row in the order of the rules, and names the author of each by its place in `authors`:
 * `0x3,1` is three of the first author and one of the second.
 */
export const RunRecorders = z.strictObject({
  authors: z.array(Recorder).max(MAX_RECORDERS),
  cells: z
    .string()
    .max(MAX_RECORDERS_TEXT)
    .describe(
      'The recorded cells, row by row and in each row in the order of the rules: ' +
        'places in `authors` with commas between them, and behind an x how many cells in a row ' +
        'have that author if more than one.',
    ),
});
export type RunRecorders = z.infer<typeof RunRecorders>;

/** Puts the authors of cells together, given in the order of the rows. */
export class RecorderRuns {
  readonly #parts: string[] = [];
  #author = -1;
  #count = 0;

  add(author: number, count = 1): void {
    if (author !== this.#author) this.#end();
    this.#author = author;
    this.#count += count;
  }

  #end(): void {
    if (this.#count > 0)
      this.#parts.push(this.#count === 1 ? String(this.#author) : `${this.#author}x${this.#count}`);
    this.#count = 0;
  }

  finish(): string {
    this.#end();
    return this.#parts.join(',');
  }
}

/** The places and counts that the text states. Ends at what is none. */
function* partsOf({
  cells,
}: RunRecorders): Generator<readonly [author: number, count: number] | undefined> {
  if (cells === '') return;
  for (let start = 0; start <= cells.length;) {
    const comma = cells.indexOf(',', start);
    const end = comma === -1 ? cells.length : comma;
    const [part, author, count = '1'] = PART.exec(cells.slice(start, end)) ?? [];
    yield part === undefined ? undefined : [Number(author), Number(count)];
    if (part === undefined) return;
    start = end + 1;
  }
}

export interface RecordersProblem {
  path: string;
  code: 'malformed' | 'unknown_author' | 'unused_author' | 'other_cells';
  message: string;
}

/**
 * Why these cannot be the recorders of a run with so many recorded cells; undefined where they can.
 */
export function recordersProblem(
  recorders: RunRecorders,
  recorded: number,
): RecordersProblem | undefined {
  const used = new Uint8Array(recorders.authors.length);
  let cells = 0;
  for (const part of partsOf(recorders)) {
    if (part === undefined)
      return {
        path: '/recorders/cells',
        code: 'malformed',
        message:
          'Must be places of authors with commas between them, each with its count where it is more than one.',
      };
    const [author, count] = part;
    if (author >= used.length)
      return {
        path: '/recorders/cells',
        code: 'unknown_author',
        message: `There is no author ${author} in the list.`,
      };
    used[author] = 1;
    cells += count;
    if (cells > recorded) break;
  }
  if (cells !== recorded)
    return {
      path: '/recorders/cells',
      code: 'other_cells',
      message: `Must name an author for each of the ${recorded} recorded cells of the run.`,
    };
  const unused = used.indexOf(0);
  return unused === -1
    ? undefined
    : {
        path: `/recorders/authors/${unused}`,
        code: 'unused_author',
        message: 'Every author must have recorded an outcome.',
      };
}

/** How many cells of the matrix have an outcome. */
export function countRecorded(raw: readonly (readonly (string | null)[])[]): number {
  return raw.reduce(
    (sum, row) => sum + row.reduce((n, state) => (state === null ? n : n + 1), 0),
    0,
  );
}

/**
 * As somebody may see them to whom keys are not shown: authors that differ by nothing else are one.
 */
export function withoutKeys(recorders: RunRecorders): RunRecorders {
  const authors: Recorder[] = [];
  const placeOf = new Map<string, number>();
  const places = recorders.authors.map(({ key_id: _, ...author }) => {
    const key = JSON.stringify([author.kind, author.name, author.accepted_by ?? null]);
    const known = placeOf.get(key) ?? authors.push(author) - 1;
    placeOf.set(key, known);
    return known;
  });
  const runs = new RecorderRuns();
  for (const part of partsOf(recorders))
    if (part !== undefined) runs.add(places[part[0]] ?? 0, part[1]);
  return { authors, cells: runs.finish() };
}

/**
 * The author's place of each cell of a matrix, row by row; -1 where nothing is recorded. Undefined
 * where they are not those of this matrix.
 */
export function recordersByCell(
  recorders: RunRecorders,
  raw: readonly (readonly (string | null)[])[],
): Int16Array | undefined {
  if (recordersProblem(recorders, countRecorded(raw)) !== undefined) return undefined;
  const width = raw[0]?.length ?? 0;
  const places = new Int16Array(raw.length * width).fill(-1);
  const parts = partsOf(recorders);
  let [author, left] = [-1, 0];
  for (const [row, states] of raw.entries()) {
    for (const [column, state] of states.entries()) {
      if (state === null) continue;
      if (left === 0) [author, left] = parts.next().value ?? [-1, 0];
      places[row * width + column] = author;
      left -= 1;
    }
  }
  return places;
}
