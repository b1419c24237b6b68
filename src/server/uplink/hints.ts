import type { CaseUid, StreamName } from '../../shared/contract/ids.ts';
import { PresenceEvent } from '../../shared/contract/presence.ts';
import { SyncEvent } from '../../shared/contract/sync.ts';
import { backoff, type Timers } from '../../sync/loop.ts';
import type { HostedClient } from './client.ts';
import type { UpstreamPresence } from './presence.ts';

/**
 * The server sends something every 25 seconds; a stream that is silent for longer than this is
 * dead. Milliseconds.
 */
const SILENT_MS = 60_000;
const LONGEST_WAIT_MS = 60_000;
const MAX_LINE = 4_096;
/** Most cases that are named as open. */
const MAX_NAMED = 16;

export interface HintPorts {
  client: HostedClient;
  timers: Timers;
  /** Longest wait after failures, ms. */
  cap(): number;
  received(stream: StreamName, seq: number): void;
  presence: UpstreamPresence;
  /** Whether the case is exchanged with the other side: it hears of no other. */
  isShared(caseUid: CaseUid): boolean;
  /** Called when the stream is open (again): hints may have been missed, so a poll is due. */
  opened(): void;
}

/**
 * The other side's hints that a log has grown. They only make the sync faster: the poll finds
 * the same.
 */
export class Hints {
  readonly #ports: HintPorts;
  readonly #end = new AbortController();
  /** The open cases that the stream was opened with. */
  #named = '';
  #failures = 0;
  #current: AbortController | undefined;
  #wake: (() => void) | undefined;
  open = false;
  opened = 0;

  constructor(ports: HintPorts) {
    this.#ports = ports;
    ports.presence.onNamed = () => this.nameOpen();
    void this.#run();
  }

  /**
   * Opens the stream again at once: after the computer slept, the old connection may be dead
   * without having ended.
   */
  again(): void {
    this.#current?.abort();
    this.#wake?.();
  }

  close(): void {
    this.#end.abort();
    this.again();
  }

  get #open(): string {
    const { presence, isShared } = this.#ports;
    return [...presence.named].filter(isShared).toSorted().slice(0, MAX_NAMED).join(',');
  }
  /** Opens the stream again where other cases are open than it was opened with. */
  nameOpen(): void {
    if (this.open && this.#open !== this.#named) this.again();
  }

  async #run(): Promise<void> {
    const { timers } = this.#ports;
    while (!this.#end.signal.aborted) {
      this.#current = new AbortController();
      await this.#listen(this.#current).catch(() => undefined);
      this.open = false;
      if (this.#end.signal.aborted) return;
      this.#failures += 1;
      await new Promise<void>((resolve) => {
        const cancel = timers.after(
          backoff(
            this.#failures,
            null,
            timers.random(),
            Math.min(LONGEST_WAIT_MS, this.#ports.cap()),
          ),
          resolve,
        );
        this.#wake = () => {
          cancel();
          resolve();
        };
      });
    }
  }

  async #listen(abort: AbortController): Promise<void> {
    const { client, timers, opened, presence } = this.#ports;
    this.#named = this.#open;
    const signal = AbortSignal.any([abort.signal, this.#end.signal]);
    const body = await client.events(signal, this.#named);
    let cancel = timers.after(SILENT_MS, () => abort.abort());
    try {
      this.open = true;
      this.opened += 1;
      this.#failures = 0;
      opened();
      const decoder = new TextDecoder();
      let rest = '';
      for await (const chunk of body) {
        cancel();
        cancel = timers.after(SILENT_MS, () => abort.abort());
        const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
        rest = (lines.pop() ?? '').slice(-MAX_LINE);
        for (const line of lines) if (line.startsWith('data: ')) this.#receive(line.slice(6));
      }
    } finally {
      cancel();
      presence.forget();
    }
  }

  #receive(text: string): void {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return;
    }
    const hint = SyncEvent.safeParse(value);
    if (hint.success) this.#ports.received(hint.data.case, hint.data.seq);
    const here = PresenceEvent.safeParse(value);
    if (here.success) this.#ports.presence.receive(here.data);
  }
}
