export interface EmitterPorts {
  after(ms: number, callback: () => void): unknown;
  /** Changes within this time are reported together. Milliseconds. */
  ms: number;
  isUnsaved(): boolean;
  /** Called instead of `notify` when the time is over; it has to end with `notify`. */
  settle?: () => void;
}

/**
 * Reports that a status has changed: a moment later, and once for all changes of that moment, since
 * each report is drawn. That something is unsaved is reported at once.
 */
export class ThrottledEmitter {
  readonly #ports: EmitterPorts;
  readonly #listeners = new Set<() => void>();
  #isWaiting = false;
  #reportedUnsaved = false;

  constructor(ports: EmitterPorts) {
    this.#ports = ports;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  invalidate(): void {
    const { after, ms, isUnsaved, settle } = this.#ports;
    const isNews = !this.#reportedUnsaved && isUnsaved();
    if (isNews) this.notify();
    if (this.#isWaiting || (isNews && settle === undefined)) return;
    this.#isWaiting = true;
    after(ms, () => {
      this.#isWaiting = false;
      if (settle === undefined) this.notify();
      else settle();
    });
  }

  notify(): void {
    this.#reportedUnsaved = this.#ports.isUnsaved();
    for (const listener of [...this.#listeners]) listener();
  }
}
