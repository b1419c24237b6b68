/** Who wants to hear that what stands beside the record of a case has changed. */
export class BesideNews {
  readonly #listeners = new Map<() => void, string>();

  watch(caseUid: string, onNews: () => void): () => void {
    const listener = (): void => onNews();
    this.#listeners.set(listener, caseUid);
    return () => void this.#listeners.delete(listener);
  }
  tell(caseUid: string): void {
    for (const [listener, of] of this.#listeners) if (of === caseUid) listener();
  }
}
