import type { RecordedBy } from '../../../shared/contract/v1/evidence.ts';
import type { Hlc } from '../../../sync/clock.ts';
import { ChangeAuthors } from './authors.ts';
import { IDS_PER_CHUNK, type ChangeIdsRow } from './db.ts';

/**
 * Follows the clock of a change that is not applied here but only mentioned: by the heads of a
 * snapshot, or by the undo journal (which knows no clock).
 */
const MENTIONED = '~';

/**
 * Numbers for changes, valid in this replica only, so that a head takes six bytes instead of fifty.
 * Number 0 means none. A number may be reserved before its change is encoded; `name` adds the id
 * later.
 */
export class ChangeIds {
  #ids: (string | undefined)[] = [undefined];
  #clocks: Hlc[] = [''];
  #applied: boolean[] = [false];
  #byId = new Map<string, number>();
  readonly #authors = new ChangeAuthors();
  #changed = new Set<number>();

  get size(): number {
    return this.#ids.length;
  }
  id(ref: number): string | undefined {
    return this.#ids[ref];
  }
  clock(ref: number): Hlc {
    return this.#clocks[ref] ?? '';
  }
  find(id: string): number | undefined {
    return this.#byId.get(id);
  }

  /**
   * Whether the change was applied here completely; it must not be applied again when it comes back
   * from the server.
   */
  isApplied(id: string): boolean {
    const ref = this.#byId.get(id);
    return ref !== undefined && this.#applied[ref] === true;
  }

  reserve(hlc: Hlc, applied = true): number {
    this.#ids.push(undefined);
    this.#clocks.push(hlc);
    this.#applied.push(applied);
    return this.#ids.length - 1;
  }
  name(ref: number, id: string): void {
    this.#ids[ref] = id;
    this.#byId.set(id, ref);
    this.#changed.add(Math.floor(ref / IDS_PER_CHUNK));
  }
  intern(id: string, hlc: Hlc, applied: boolean): number {
    const known = this.#byId.get(id);
    if (known === undefined) {
      const ref = this.reserve(hlc, applied);
      this.name(ref, id);
      return ref;
    }
    const isNews = applied && this.#applied[known] !== true;
    const isFirstClock = hlc !== '' && this.#clocks[known] === '';
    if (isNews) this.#applied[known] = true;
    if (isFirstClock) this.#clocks[known] = hlc;
    if (isNews || isFirstClock) this.#changed.add(Math.floor(known / IDS_PER_CHUNK));
    return known;
  }

  /** Notes whose a change is. */
  wrote(ref: number, author: RecordedBy): void {
    if (this.#authors.wrote(ref, author)) this.#changed.add(Math.floor(ref / IDS_PER_CHUNK));
  }
  /** Notes that an entry brings back the word of somebody who said it before (V9). */
  brought(ref: number, index: number, author: RecordedBy | null): void {
    if (author !== null && this.#authors.brought(ref, index, author))
      this.#changed.add(Math.floor(ref / IDS_PER_CHUNK));
  }
  /** Whose word an entry is; null where that is not known. */
  author(ref: number, index: number): RecordedBy | null {
    return this.#authors.of(ref, index);
  }
  /** The same for an entry by its name. */
  authorOf(name: string): RecordedBy | null {
    const hash = name.lastIndexOf('#');
    const ref = this.find(name.slice(0, hash));
    return ref === undefined ? null : this.author(ref, Number(name.slice(hash + 1)));
  }

  /**
   * The chunks that changed since the last call, as text, without the numbers from `limit` on:
   * those are written together with what their changes wrote. A number without an id is a blank
   * line; its chunk is written again once it has one.
   */
  takeChanged(matrix: string, limit: number): ChangeIdsRow[] {
    const rows: ChangeIdsRow[] = [];
    for (const chunk of [...this.#changed].filter((changed) => changed * IDS_PER_CHUNK < limit)) {
      const end = Math.min(limit, (chunk + 1) * IDS_PER_CHUNK);
      rows.push({
        matrix,
        chunk,
        text: this.#lines(chunk * IDS_PER_CHUNK, end),
        by: this.#authors.written(chunk * IDS_PER_CHUNK, end),
      });
      if (end === (chunk + 1) * IDS_PER_CHUNK || end === this.size) this.#changed.delete(chunk);
    }
    return rows;
  }
  #lines(from: number, end: number): string {
    const lines: string[] = [];
    for (let ref = from; ref < end; ref += 1)
      lines.push(
        `${this.#ids[ref] ?? ''} ${this.#clocks[ref] ?? ''}${this.#applied[ref] === true ? '' : MENTIONED}`,
      );
    return lines.join('\n');
  }

  static from(rows: readonly ChangeIdsRow[]): ChangeIds {
    const ids = new ChangeIds();
    for (const row of rows) {
      let ref = row.chunk * IDS_PER_CHUNK;
      if (row.by !== undefined) ids.#authors.read(ref, row.by);
      for (const line of row.text.split('\n')) {
        const space = line.indexOf(' ');
        const id = line.slice(0, space);
        ids.#ids[ref] = id === '' ? undefined : id;
        const mentioned = line.endsWith(MENTIONED);
        const clock = line.slice(space + 1, mentioned ? -1 : undefined);
        if (id !== '' && clock === '' && !mentioned)
          throw new Error('A change without its clock cannot be ranked.');
        ids.#clocks[ref] = clock;
        ids.#applied[ref] = !mentioned;
        if (id !== '') ids.#byId.set(id, ref);
        ref += 1;
      }
    }
    return ids;
  }
}
