import { ownerOf, type SessionFacts, type Who } from './api/who.ts';
import type { Database } from './store/db.ts';
import { USER_KEY } from './sync/sync-overview.ts';
import { takeOver } from './sync/previous-identity.ts';

export interface SignedInPorts {
  db: Database;
  who: Who;
  /** Whether this is the person whose data the copy may hold. */
  isOurs(facts: SessionFacts): boolean;
  /** Whether a matrix is open, by its id in the store. */
  isOpen(matrix: string): boolean;
  /** Called at every answer that says something new about who is signed in. */
  answered(): void;
  onPerson(now: 'here' | 'signed_out' | 'other_person'): void;
  /** Called when it is known whose copy this is, `onOtherOwner` when that was somebody else's. */
  onOwner(): void;
  onOtherOwner(): void;
  /** Called when the name of the owner was stored, and when copies were taken over. */
  named(): void;
  tookOver(): Promise<void>;
}

/** What follows for this window's store from who is signed in. */
export class SignedInOwner {
  readonly #ports: SignedInPorts;
  #owner: string | undefined;
  #taking: Promise<void> = Promise.resolve();

  constructor(ports: SignedInPorts) {
    this.#ports = ports;
    this.#owner = ports.who.owner;
    ports.who.subscribe(() => this.#onAnswer());
  }

  /** The copies and undo steps of those who this person was before become theirs. */
  takeOver(): Promise<void> {
    const { db, isOpen, who } = this.#ports;
    const { facts, owner } = who;
    if (facts === undefined || owner === undefined || facts.home === 'hosted') return this.#taking;
    for (const previous of facts.user.formerly ?? [])
      this.#taking = this.#taking
        .then(() => takeOver(db, previous, owner, isOpen))
        .catch(() => undefined);
    return this.#taking;
  }

  #onAnswer(): void {
    const { who, isOurs, onPerson, answered } = this.#ports;
    const facts = who.signedOut ? undefined : who.facts;
    const isOther = facts !== undefined && !isOurs(facts);
    onPerson(who.signedOut ? 'signed_out' : isOther ? 'other_person' : 'here');
    if (isOther) return;
    if (facts !== undefined) this.#onOwner(facts);
    answered();
  }

  #onOwner(facts: SessionFacts): void {
    const { db, named, onOwner, onOtherOwner, tookOver } = this.#ports;
    const previous = this.#owner;
    this.#owner = ownerOf(facts);
    // What was shown to one user or in one account must not be shown to the next.
    if (previous !== undefined && previous !== this.#owner)
      void dropLists(db)
        .catch(() => undefined)
        .finally(onOtherOwner);
    const name =
      facts.home === 'hosted' ? `${facts.user.name} in ${facts.account.name}` : facts.user.name;
    void db.meta
      .put({ key: `${USER_KEY}${this.#owner}`, value: name })
      .then(named, () => undefined);
    onOwner();
    void this.takeOver()
      .then(tookOver)
      .catch(() => undefined);
  }
}

async function dropLists(db: Database): Promise<void> {
  await db.lists.bulkDelete(
    (await db.lists.toCollection().primaryKeys()).filter((key) => key !== 'session'),
  );
}
