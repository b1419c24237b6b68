import { z } from 'zod';
import { BESIDE } from '../../../sync/layers/record.ts';

/** The part of `BroadcastChannel` that is used, so that tests can play several windows. */
export interface ChannelLike {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
  close(): void;
}

/**
 * Why unsent changes are to be sent: there may be some, the server can probably be reached, or a
 * person asks.
 */
const SyncReason = z.enum(['work', 'reach', 'person']);
export type SyncReason = z.infer<typeof SyncReason>;

const Message = z.discriminatedUnion('kind', [
  /**
   * A window has put changes of the case into the common outbox, or, with a reason, wants those in
   * it to be sent.
   */
  z.object({ kind: z.literal('outbox'), case: z.string(), why: SyncReason.optional() }),
  /** The leader has written replica rows. */
  z.object({ kind: z.literal('replica'), matrix: z.string() }),
  /** How the leader gets on with the server. */
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
  z.object({ kind: z.literal('reread'), case: z.string() }),
  /** The leader has read news of what stands beside the record of a case. */
  z.object({ kind: z.literal('beside'), case: z.string(), news: z.array(z.enum(BESIDE)) }),
]);
export type WindowMessage = z.infer<typeof Message>;

/** Messages between the windows of one browser store. */
export class WindowChannel {
  readonly #channel: ChannelLike | undefined;

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

  send(message: WindowMessage): void {
    this.#channel?.postMessage(message);
  }

  close(): void {
    if (this.#channel !== undefined) this.#channel.onmessage = null;
    this.#channel?.close();
  }
}
