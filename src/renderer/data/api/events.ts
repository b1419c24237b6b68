import type { CaseUid } from '../../../shared/contract/ids.ts';
import { ACCOUNT_HINT, SYNC_EVENTS_PATH, SyncEvent } from '../../../shared/contract/sync.ts';
import type { Timers } from '../../../sync/loop.ts';

export interface EventSourceLike {
  onopen: ((event: Event) => void) | null;
  onmessage: ((event: MessageEvent) => void) | null;
  onerror: ((event: Event) => void) | null;
  readonly readyState: number;
  close(): void;
}

const CLOSED = 2;
const REOPEN_MS = 30_000;

/**
 * The server's hints that a log has grown, shared by all open matrices. Without them the loops only
 * ask more often.
 */
export class ServerHints {
  readonly #open: ((url: string) => EventSourceLike) | undefined;
  readonly #timers: Timers;
  readonly #asked: () => void;
  readonly #listeners = new Map<(seq: number) => void, string>();
  #source: EventSourceLike | null = null;
  #cancel: (() => void) | null = null;
  up = false;

  /**
   * `asked`: called when something of the account may have changed that no log tells, such as a
   * role.
   */
  constructor(
    open: ((url: string) => EventSourceLike) | undefined,
    timers: Timers,
    asked: () => void,
  ) {
    this.#open = open;
    this.#timers = timers;
    this.#asked = asked;
  }

  listen(caseUid: CaseUid, listener: (seq: number) => void): () => void {
    this.#listeners.set(listener, caseUid);
    this.#connect();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.close();
    };
  }

  #connect(): void {
    if (this.#open === undefined || this.#source !== null || this.#listeners.size === 0) return;
    const source = this.#open(SYNC_EVENTS_PATH);
    this.#source = source;
    source.onopen = () => {
      this.up = true;
      // Whatever was missed while the stream was down is asked for now.
      for (const listener of this.#listeners.keys()) listener(Infinity);
    };
    source.onmessage = (event) => this.#receive(event.data);
    source.onerror = () => {
      // Loops that relied on hints begin to ask more often.
      if (this.up) {
        this.up = false;
        for (const listener of this.#listeners.keys()) listener(Infinity);
      }
      if (source.readyState !== CLOSED) return;
      source.close();
      this.#source = null;
      this.#cancel ??= this.#timers.after(REOPEN_MS, () => {
        this.#cancel = null;
        this.#connect();
      });
    };
  }

  #receive(data: unknown): void {
    let value: unknown;
    try {
      value = typeof data === 'string' ? JSON.parse(data) : undefined;
    } catch {
      return;
    }
    const hint = SyncEvent.safeParse(value);
    if (!hint.success) return;
    if (hint.data.case === ACCOUNT_HINT) this.#asked();
    for (const [listener, caseUid] of this.#listeners)
      if (caseUid === hint.data.case) listener(hint.data.seq);
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#source?.close();
    this.#source = null;
    this.up = false;
  }
}
