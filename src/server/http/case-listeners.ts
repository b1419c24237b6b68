import type { AccountId } from '../../shared/contract/ids.ts';
import { ApiError } from '../context/errors.ts';
import type { GrownLog } from '../storage/db/grown-log.ts';
import type { Actor } from '../storage/db/actor.ts';

/** Most requests of one key, or of one person, that wait at a time. */
const MAX_OF_ONE = 16;

/** Waits for the log of one case to grow. */
export class CaseListener {
  readonly account: AccountId;
  readonly caseUid: string;
  /** The key, or the person without one. */
  readonly whose: string;
  /** The server stops: there is nothing to wait for any more. */
  isClosed = false;
  #hasGrown = false;
  #wake: (() => void) | undefined;

  constructor({ account_id, key_id, user_id }: Actor, caseUid: string) {
    this.account = account_id;
    this.caseUid = caseUid;
    this.whose = key_id ?? user_id;
  }

  notify(): void {
    this.#hasGrown = true;
    this.#wake?.();
  }
  /** Resolves once the log has grown since the last time, or after so many milliseconds. */
  async grown(ms: number): Promise<void> {
    if (!this.#hasGrown && !this.isClosed)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.#wake = undefined;
    this.#hasGrown = false;
  }
  close(): void {
    this.isClosed = true;
    this.#wake?.();
  }
}

/** The requests that wait for a case, no more of them than `most`. */
export function createCaseListeners(most: number) {
  const accounts = new Map<AccountId, Set<CaseListener>>();
  const all = (): CaseListener[] => [...accounts.values()].flatMap((some) => [...some]);
  let isClosed = false;
  return {
    hasAccount: (account: AccountId) => accounts.has(account),
    add(listener: CaseListener): void {
      const others = all();
      if (isClosed) listener.close();
      if (
        others.length >= most ||
        others.filter(({ whose }) => whose === listener.whose).length >= MAX_OF_ONE
      )
        throw new ApiError('rate_limited', {
          message: 'Too many requests of this key wait already.',
          headers: { 'Retry-After': '30' },
        });
      const { account } = listener;
      accounts.set(account, (accounts.get(account) ?? new Set()).add(listener));
    },
    delete(listener: CaseListener): void {
      const same = accounts.get(listener.account);
      same?.delete(listener);
      if (same?.size === 0) accounts.delete(listener.account);
    },
    notify({ account_id, case_uid }: Pick<GrownLog, 'account_id' | 'case_uid'>): void {
      for (const listener of accounts.get(account_id) ?? [])
        if (listener.caseUid === case_uid) listener.notify();
    },
    close(): void {
      isClosed = true;
      for (const listener of all()) listener.close();
    },
  };
}
