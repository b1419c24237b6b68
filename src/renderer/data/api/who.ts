import { known, type UserId } from '../../../shared/contract/ids.ts';
import type { RecordedBy } from '../../../shared/contract/v1/evidence.ts';
import type { z } from 'zod';
import type { Session } from '../../../shared/contract/v1/account.ts';
import { CallError } from './client.ts';
import type { CachedAnswer } from './library.ts';

export type SessionFacts = z.infer<typeof Session>;

/**
 * The owner of a copy: a user in one account. Where there are no teams, the user's id is enough.
 */
export function ownerOf({
  user,
  account,
  home,
}: Pick<SessionFacts, 'user' | 'account' | 'home'>): string {
  return home === 'hosted' ? `${user.user_id}@${account.account_id}` : user.user_id;
}
export function userIdOf(owner: string): UserId {
  return known.userId.parse(owner.split('@')[0]);
}

/**
 * Who is signed in, as far as this window knows. Asked again when an answer gives reason to doubt
 * it.
 */
export class Who {
  readonly #ask: () => Promise<CachedAnswer<SessionFacts>>;
  readonly #listeners = new Set<() => void>();
  #asking: Promise<CachedAnswer<SessionFacts>> | null = null;
  /** The last answer, or its stored copy. */
  facts: SessionFacts | undefined;
  /** The server has said that nobody is signed in here. */
  signedOut = false;
  /** Whether the server answered the last question at all. */
  reachable = true;
  /** Whether it was asked since this window opened. */
  asked = false;

  constructor(ask: () => Promise<CachedAnswer<SessionFacts>>, kept: SessionFacts | undefined) {
    this.#ask = ask;
    this.facts = kept;
  }

  get owner(): string | undefined {
    return this.facts && ownerOf(this.facts);
  }

  /** Whether the server tells this user by which key an agent wrote. */
  get seesKeys(): boolean {
    return this.facts?.user.role !== 'viewer';
  }
  /** How work of the owner of a copy is signed. */
  authorshipOf(owner: string): RecordedBy {
    return {
      kind: 'human',
      name:
        this.facts !== undefined && this.owner === owner ? this.facts.user.name : userIdOf(owner),
    };
  }

  /** One question at a time. */
  ask(): Promise<CachedAnswer<SessionFacts>> {
    this.#asking ??= this.#run().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }
  /**
   * The answer to a question asked from here on: one that is under way may get none for what was
   * before.
   */
  async askAgain(): Promise<CachedAnswer<SessionFacts>> {
    await this.#asking?.catch(() => undefined);
    return this.ask();
  }
  async #run(): Promise<CachedAnswer<SessionFacts>> {
    try {
      const kept = await this.#ask();
      const isFirst = !this.asked;
      this.asked = true;
      this.reachable = !kept.stale;
      this.#set(kept.data, kept.stale && this.signedOut, isFirst);
      return kept;
    } catch (error) {
      if (
        error instanceof CallError &&
        error.failure.kind === 'refused' &&
        error.failure.status === 401
      )
        this.#set(this.facts, true);
      throw error;
    }
  }
  /**
   * The first answer is reported in any case, since other windows may be waiting for somebody to
   * sign in.
   */
  #set(facts: SessionFacts | undefined, signedOut: boolean, isNews = false): void {
    const before = this.facts;
    const changed =
      isNews ||
      this.signedOut !== signedOut ||
      (before && ownerOf(before)) !== (facts && ownerOf(facts)) ||
      before?.user.role !== facts?.user.role;
    this.facts = facts;
    this.signedOut = signedOut;
    if (changed) for (const listener of [...this.#listeners]) listener();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
