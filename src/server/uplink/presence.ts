import type { CaseUid } from '../../shared/contract/ids.ts';
import type { PresenceEvent } from '../../shared/contract/presence.ts';

/** Which cases are open at this studio, and who has them open at the hosted server. */
export class UpstreamPresence {
  readonly #there = new Map<CaseUid, readonly string[]>();
  #heard: (cases: readonly CaseUid[]) => void = () => {};
  #named: ReadonlySet<CaseUid> = new Set();
  /** Called when other cases are open than before. */
  onNamed: () => void = () => {};

  /** The names of those who have a case open there. */
  at(caseUid: CaseUid): readonly string[] {
    return this.#there.get(caseUid) ?? [];
  }
  get named(): ReadonlySet<CaseUid> {
    return this.#named;
  }
  listen(heard: (cases: readonly CaseUid[]) => void): void {
    this.#heard = heard;
  }
  name(cases: ReadonlySet<CaseUid>): void {
    if (cases.size === this.#named.size && [...cases].every((name) => this.#named.has(name)))
      return;
    this.#named = cases;
    this.onNamed();
  }
  receive({ case: caseUid, here }: PresenceEvent): void {
    this.#there.set(caseUid, here);
    this.#heard([caseUid]);
  }
  /** The hosted server says nothing any more. */
  forget(): void {
    const cases = [...this.#there.keys()];
    this.#there.clear();
    this.#heard(cases);
  }
}
