import type { RecordedBy } from '../../../shared/contract/v1/evidence.ts';

/** Entries `from` to `to` of a change bring back somebody's word. */
interface Brought {
  from: number;
  to: number;
  author: RecordedBy;
}

/**
 * Whose some numbered changes are, as it is stored: the place of each change's author in `authors`,
 * -1 where it is not known, and of what was brought back.
 */
export interface AuthorsRow {
  authors: RecordedBy[];
  of: number[];
  brought: [place: number, from: number, to: number, author: number][];
}

/** Whose each change of a replica is, and which entries of it bring back another one's word. */
export class ChangeAuthors {
  readonly #known = new Map<string, RecordedBy>();
  readonly #of: (RecordedBy | undefined)[] = [];
  readonly #brought = new Map<number, Brought[]>();

  /** One object for each author, so that they can be compared. */
  #one(author: RecordedBy): RecordedBy {
    const text = JSON.stringify([author.kind, author.name, author.key_id, author.accepted_by]);
    const known = this.#known.get(text) ?? author;
    this.#known.set(text, known);
    return known;
  }

  /** Returns whether that was not known. */
  wrote(ref: number, author: RecordedBy): boolean {
    const one = this.#one(author);
    if (this.#of[ref] === one) return false;
    this.#of[ref] = one;
    return true;
  }

  brought(ref: number, index: number, author: RecordedBy): boolean {
    const one = this.#one(author);
    if (this.of(ref, index) === one) return false;
    const ranges = this.#brought.get(ref) ?? [];
    const last = ranges.at(-1);
    // A change that brings back much brings it back in a row, and mostly of one author.
    if (last !== undefined && last.author === one && last.to === index) last.to = index + 1;
    else ranges.push({ from: index, to: index + 1, author: one });
    this.#brought.set(ref, ranges);
    return true;
  }

  of(ref: number, index: number): RecordedBy | null {
    return (
      this.#brought.get(ref)?.findLast(({ from, to }) => from <= index && index < to)?.author ??
      this.#of[ref] ??
      null
    );
  }

  written(from: number, end: number): AuthorsRow {
    const row: AuthorsRow = { authors: [], of: [], brought: [] };
    const places = new Map<RecordedBy, number>();
    const placeOf = (author: RecordedBy): number => {
      if (!places.has(author)) places.set(author, row.authors.push(author) - 1);
      return places.get(author) as number;
    };
    for (let ref = from; ref < end; ref += 1) {
      const author = this.#of[ref];
      row.of.push(author === undefined ? -1 : placeOf(author));
      for (const { from: first, to, author: whose } of this.#brought.get(ref) ?? [])
        row.brought.push([ref - from, first, to, placeOf(whose)]);
    }
    return row;
  }

  read(first: number, { authors, of, brought }: AuthorsRow): void {
    of.forEach((place, at) => {
      const author = authors[place];
      if (author !== undefined) this.#of[first + at] = this.#one(author);
    });
    for (const [place, from, to, author] of brought) {
      const one = authors[author];
      if (one !== undefined)
        this.#brought.set(first + place, [
          ...(this.#brought.get(first + place) ?? []),
          { from, to, author: this.#one(one) },
        ]);
    }
  }
}
