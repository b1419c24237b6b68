import { z } from 'zod';

/** Parts of `LockManager` and `BroadcastChannel` that are used, so that tests can stand in for several windows. */
export interface LocksLike {
  request(name: string, options: { mode?: 'exclusive'; ifAvailable?: boolean; signal?: AbortSignal }, callback: (lock: unknown) => Promise<void>): Promise<unknown>;
}
export interface ChannelLike {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
  close(): void;
}

const Message = z.discriminatedUnion('kind', [
  /** A window put changes of the case into the common outbox. */
  z.object({ kind: z.literal('outbox'), case: z.string() }),
  /** The leading window wrote replica rows. */
  z.object({ kind: z.literal('replica'), matrix: z.string() }),
  /** How the leading window gets on with the server. */
  z.object({ kind: z.literal('status'), matrix: z.string(), online: z.boolean(), problem: z.string().nullable(), ended: z.string().nullable(), verified: z.number().nullable() }),
  /** Somebody signed in or out, as one window has just learned. */
  z.object({ kind: z.literal('who') }),
  /** Changes of a case were given up: copies of it are to be read anew. */
  z.object({ kind: z.literal('anew'), case: z.string() }),
]);
export type WindowMessage = z.infer<typeof Message>;

/**
 * Which of several windows leads a matrix: it alone talks to the server and writes the replica. The others write to the outbox, and read the
 * replica again when told. Without locks (no other window can be seen) a window leads; the link row's `boot` still stops two writers.
 */
export class Presence {
  readonly #channel: ChannelLike | undefined;
  #release: (() => void) | null = null;
  #abort = new AbortController();
  leads = false;

  constructor(broadcast: ((name: string) => ChannelLike) | undefined, onMessage: (message: WindowMessage) => void) {
    this.#channel = broadcast?.('evidence-studio');
    if (this.#channel === undefined) return;
    this.#channel.onmessage = (event) => {
      const message = Message.safeParse(event.data);
      if (message.success) onMessage(message.data);
    };
  }

  /** Resolves once it is known whether this window leads now; `onLead` is called then or later, when the leading window has gone. */
  async start(name: string, locks: LocksLike | undefined, onLead: () => void): Promise<void> {
    if (locks === undefined) {
      this.leads = true;
      return onLead();
    }
    const hold = (): Promise<void> =>
      new Promise((resolve) => {
        this.leads = true;
        this.#release = resolve;
        onLead();
      });
    const taken = await new Promise<boolean>((resolve) => {
      void locks.request(name, { ifAvailable: true }, async (lock) => {
        resolve(lock !== null);
        if (lock !== null && !this.#abort.signal.aborted) await hold();
      });
    });
    if (taken || this.#abort.signal.aborted) return;
    locks.request(name, { signal: this.#abort.signal }, async () => {
      if (!this.#abort.signal.aborted) await hold();
    }).catch(() => undefined);
  }

  tell(message: WindowMessage): void {
    this.#channel?.postMessage(message);
  }

  close(): void {
    this.#abort.abort();
    this.#release?.();
    this.leads = false;
    if (this.#channel !== undefined) this.#channel.onmessage = null;
    this.#channel?.close();
  }
}
