import type { StreamName } from '../../shared/contract/ids.ts';
import { isCaseStream, layerOf } from '../../sync/register.ts';

/** What a stream has to do; `look`: also read from the other side. */
export interface Due {
  look: boolean;
}

/**
 * The streams with something to do: those of profiles and projects before the cases that name them,
 * and layers behind the cases that open their rounds. Each is taken once a cycle: where people keep
 * writing, it is due again by then, and no cycle would end.
 */
export class DueStreams {
  readonly #first = new Map<StreamName, Due>();
  readonly #cases = new Map<StreamName, Due>();
  readonly #layers = new Map<StreamName, Due>();
  /** What this cycle is still about. */
  #now = new Set<StreamName>();

  #of(stream: StreamName): Map<StreamName, Due> {
    if (layerOf(stream) !== undefined) return this.#layers;
    return isCaseStream(stream) ? this.#cases : this.#first;
  }

  get #inOrder(): Map<StreamName, Due>[] {
    return [this.#first, this.#cases, this.#layers];
  }

  has(stream: StreamName): boolean {
    return this.#of(stream).has(stream);
  }
  /** Whether this cycle has still to do with it. */
  isDueNow(stream: StreamName): boolean {
    return this.#now.has(stream);
  }

  /** Begins a cycle: it is about what is due now. */
  begin(): void {
    this.#now = new Set(this.#inOrder.flatMap((due) => [...due.keys()]));
  }

  touch(stream: StreamName, look: boolean): void {
    const due = this.#of(stream);
    due.set(stream, { look: look || due.get(stream)?.look === true });
  }
  /** One that was taken is due as before; what waits for it waits on. */
  putBack(stream: StreamName, look: boolean): void {
    this.touch(stream, look);
    this.#now.add(stream);
  }

  /** Forgets the streams that are not among these. */
  keep(streams: ReadonlyMap<StreamName, unknown>): void {
    for (const due of this.#inOrder)
      for (const stream of due.keys()) if (!streams.has(stream)) due.delete(stream);
  }

  /** The first of this cycle that is ready, which is due no longer. */
  take(isReady: (stream: StreamName) => boolean): [StreamName, Due] | undefined {
    for (const due of this.#inOrder)
      for (const entry of due)
        if (this.#now.has(entry[0]) && isReady(entry[0])) {
          due.delete(entry[0]);
          this.#now.delete(entry[0]);
          return entry;
        }
    return undefined;
  }
}
