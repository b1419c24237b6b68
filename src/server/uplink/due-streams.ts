import type { StreamName } from '../../shared/contract/ids.ts';
import { isCaseStream, layerOf } from '../../sync/register.ts';

/** What a stream has to do; `look`: also read from the other side. */
export interface Due {
  look: boolean;
}

/**
 * The streams with something to do: those of profiles and projects before the cases that name them,
 * and layers behind the cases that open their rounds.
 */
export class DueStreams {
  readonly #first = new Map<StreamName, Due>();
  readonly #cases = new Map<StreamName, Due>();
  readonly #layers = new Map<StreamName, Due>();

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

  touch(stream: StreamName, look: boolean): void {
    const due = this.#of(stream);
    due.set(stream, { look: look || due.get(stream)?.look === true });
  }

  /** Forgets the streams that are not among these. */
  keep(streams: ReadonlyMap<StreamName, unknown>): void {
    for (const due of this.#inOrder)
      for (const stream of due.keys()) if (!streams.has(stream)) due.delete(stream);
  }

  /** The first that is ready, which is due no longer. */
  take(isReady: (stream: StreamName) => boolean): [StreamName, Due] | undefined {
    for (const due of this.#inOrder)
      for (const entry of due)
        if (isReady(entry[0])) {
          due.delete(entry[0]);
          return entry;
        }
    return undefined;
  }
}
