import type { TextStorage } from './stored.ts';

/** Where the texts of one person are kept: a table in that person's own copy. */
export interface KeptTexts {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): Promise<void>;
  all(): Promise<Map<string, unknown>>;
}

/**
 * What is remembered of a person's work, in memory and with that person's copy. All windows of a
 * copy have the same: each tells the others which key it has written, and they read it again.
 */
export class PersonalTexts implements TextStorage {
  readonly #tell: (key: string) => void;
  readonly #values = new Map<string, string>();
  /** Own writes that are not in the copy yet, by key: what is read meanwhile is older. */
  readonly #unwritten = new Map<string, number>();
  #kept: KeptTexts | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  /** `tell` is called when a key has been written to the copy. */
  constructor(tell: (key: string) => void) {
    this.#tell = tell;
  }

  /** From here on the texts are those of the copy. */
  async read(kept: KeptTexts): Promise<void> {
    this.#kept = kept;
    await this.#after(async () => {
      for (const [key, value] of await kept.all()) this.#take(key, value);
    });
  }

  /** Another window has written this key. */
  heard(key: string): void {
    void this.#after(async () => this.#take(key, await this.#kept?.get(key)));
  }

  getItem(key: string): string | null {
    return this.#values.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    this.#values.set(key, value);
    this.#write(key, value);
  }
  removeItem(key: string): void {
    this.#values.delete(key);
    this.#write(key, undefined);
  }

  #take(key: string, value: unknown): void {
    if (this.#unwritten.has(key)) return;
    if (typeof value === 'string') this.#values.set(key, value);
    else this.#values.delete(key);
  }

  #write(key: string, value: string | undefined): void {
    this.#unwritten.set(key, (this.#unwritten.get(key) ?? 0) + 1);
    void this.#after(async () => {
      // Where the device is full this window remembers it all the same.
      await this.#kept?.set(key, value).catch(() => undefined);
      const left = (this.#unwritten.get(key) ?? 1) - 1;
      if (left === 0) this.#unwritten.delete(key);
      else this.#unwritten.set(key, left);
      this.#tell(key);
    });
  }

  /** One after another, so that what is read last is what was written last. */
  #after(step: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(step);
    this.#queue = done.catch(() => undefined);
    return done;
  }
}
