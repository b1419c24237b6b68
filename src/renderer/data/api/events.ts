import type { CaseUid } from '../../../shared/contract/ids.ts';
import { PresenceEvent } from '../../../shared/contract/presence.ts';
import { ACCOUNT_HINT, SYNC_EVENTS_PATH, SyncEvent } from '../../../shared/contract/sync.ts';
import type { Timers } from '../../../sync/loop.ts';

export interface EventSourceLike {
  onopen: ((event: Event) => void) | null;
  onmessage: ((event: MessageEvent) => void) | null;
  onerror: ((event: Event) => void) | null;
  readonly readyState: number;
  close(): void;
}

/** Who else has a case open: some of them by name, and how many more. */
export type Presence = Pick<PresenceEvent, 'here' | 'more'>;
export const NOBODY: Presence = { here: [], more: 0 };
type OnPresence = (presence: Presence) => void;

const CLOSED = 2;
const REOPEN_MS = 30_000;

/**
 * The server's hints that a log has grown, shared by all open matrices. Without them the loops only
 * ask more often. The same stream tells the server which cases are open here until it ends, and
 * this window who else has them open.
 */
export class ServerHints {
  readonly #open: ((url: string) => EventSourceLike) | undefined;
  readonly #timers: Timers;
  readonly #asked: () => void;
  readonly #listeners = new Map<(seq: number) => void, string>();
  readonly #present = new Map<OnPresence, CaseUid>();
  #source: EventSourceLike | null = null;
  /** The address that the stream was opened at. */
  #address = '';
  #cancel: (() => void) | null = null;
  up = false;

  /**
   * `asked`: called when something of the account may have changed that no log tells, such as a
   * role, and when the stream is refused.
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
      if (this.#listeners.size + this.#present.size === 0) this.close();
    };
  }

  /** Hears who else has a case open, as long as this window has; returns how to stop. */
  watch(caseUid: CaseUid, onPresence: OnPresence): () => void {
    this.#present.set(onPresence, caseUid);
    this.#connect();
    return () => {
      this.#present.delete(onPresence);
      // Who goes on to another case opens the stream once.
      this.#timers.after(0, () => this.#connect());
    };
  }

  get #wanted(): string {
    const open = [...new Set(this.#present.values())].toSorted();
    return open.length === 0 ? SYNC_EVENTS_PATH : `${SYNC_EVENTS_PATH}?open=${open.join(',')}`;
  }

  /** Opens the stream, again where other cases are open than it was opened with. */
  #connect(): void {
    if (this.#open === undefined) return;
    if (this.#listeners.size + this.#present.size === 0) return this.close();
    const address = this.#wanted;
    if (this.#source !== null && address === this.#address) return;
    this.#source?.close();
    const source = this.#open(address);
    this.#source = source;
    this.#address = address;
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
        for (const onPresence of this.#present.keys()) onPresence(NOBODY);
        for (const listener of this.#listeners.keys()) listener(Infinity);
      }
      if (source.readyState !== CLOSED) return;
      source.close();
      if (this.#source === source) this.#source = null;
      // The reason of a refusal is not known here: the session may have ended.
      this.#asked();
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
    const presence = PresenceEvent.safeParse(value).data;
    for (const [onPresence, caseUid] of this.#present)
      if (caseUid === presence?.case) onPresence(presence);
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
