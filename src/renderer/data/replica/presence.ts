import { z } from 'zod';

/**
 * The parts of `LockManager` and `BroadcastChannel` that are used, so that tests can play several
 * windows.
 */
export interface LocksLike {
  request(
    name: string,
    options: { mode?: 'exclusive'; ifAvailable?: boolean; signal?: AbortSignal },
    callback: (lock: unknown) => Promise<void>,
  ): Promise<unknown>;
}
export interface ChannelLike {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
  close(): void;
}

const Message = z.discriminatedUnion('kind', [
  /** A window has put changes of the case into the common outbox. */
  z.object({ kind: z.literal('outbox'), case: z.string() }),
  /** The leading window has written replica rows. */
  z.object({ kind: z.literal('replica'), matrix: z.string() }),
  /** How the leading window gets on with the server. */
  z.object({
    kind: z.literal('status'),
    matrix: z.string(),
    online: z.boolean(),
    problem: z.string().nullable(),
    ended: z.string().nullable(),
    verified: z.number().nullable(),
  }),
  /** One window has just learned that somebody signed in or out. */
  z.object({ kind: z.literal('who') }),
  /** Changes of a case were discarded: its copies have to be read again from the server. */
  z.object({ kind: z.literal('anew'), case: z.string() }),
]);
export type WindowMessage = z.infer<typeof Message>;

/**
 * Decides which of several windows leads a matrix: only that one talks to the server and writes the
 * replica. The others write to the outbox, and read the replica again when they are told to. Where
 * the browser has no locks, every window leads, and the `boot` of the link row keeps two from
 * writing.
 */
export class Presence {
  readonly #channel: ChannelLike | undefined;
  #release: (() => void) | null = null;
  #abort = new AbortController();
  leads = false;

  constructor(
    broadcast: ((name: string) => ChannelLike) | undefined,
    onMessage: (message: WindowMessage) => void,
  ) {
    this.#channel = broadcast?.('evidence-studio');
    if (this.#channel === undefined) return;
    this.#channel.onmessage = (event) => {
      const message = Message.safeParse(event.data);
      if (message.success) onMessage(message.data);
    };
  }

  /**
   * Resolves once it is known whether this window leads. `onLead` is called when it does, now or
   * after the leading window has gone.
   */
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
    locks
      .request(name, { signal: this.#abort.signal }, async () => {
        if (!this.#abort.signal.aborted) await hold();
      })
      .catch(() => undefined);
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
