export interface TellingPorts {
  after(ms: number, callback: () => void): unknown;
  /** Changes within this time are reported together. Milliseconds. */
  ms: number;
  isUnsaved(): boolean;
  /** Called instead of `tell` when the time is over; it has to end with `tell`. */
  settle?: () => void;
}

/**
 * Reports that a status has changed: a moment later, and once for all changes of that moment, since
 * each report is drawn. That something is unsaved is reported at once.
 */
export class Telling {
  readonly #ports: TellingPorts;
  readonly #listeners = new Set<() => void>();
  #isWaiting = false;
  #toldUnsaved = false;

  constructor(ports: TellingPorts) {
    this.#ports = ports;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  stir(): void {
    const { after, ms, isUnsaved, settle } = this.#ports;
    const isNews = !this.#toldUnsaved && isUnsaved();
    if (isNews) this.tell();
    if (this.#isWaiting || (isNews && settle === undefined)) return;
    this.#isWaiting = true;
    after(ms, () => {
      this.#isWaiting = false;
      if (settle === undefined) this.tell();
      else settle();
    });
  }

  tell(): void {
    this.#toldUnsaved = this.#ports.isUnsaved();
    for (const listener of [...this.#listeners]) listener();
  }
}
