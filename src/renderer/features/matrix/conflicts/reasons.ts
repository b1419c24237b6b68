/** A conflict is still the same one as long as one of the entries is that were shown. */
const isSame = (before: readonly string[], now: readonly string[]): boolean =>
  before.some((entry) => now.includes(entry));

/**
 * Reasons while they are typed, each kept with what it is about, so that none is recorded for
 * anything else.
 */
export class Reasons {
  readonly #typed = new Map<string, { why: string; entries: readonly string[] }>();
  /** The reason recorded last: offered for what follows, never taken by itself. */
  last = '';

  of(subject: string, entries: readonly string[]): string {
    const typed = this.#typed.get(subject);
    return typed !== undefined && isSame(typed.entries, entries) ? typed.why : '';
  }
  type(subject: string, entries: readonly string[], why: string): void {
    this.#typed.set(subject, { why, entries });
  }
  recorded(subject: string, why: string): void {
    this.#typed.delete(subject);
    this.last = why;
  }
}
