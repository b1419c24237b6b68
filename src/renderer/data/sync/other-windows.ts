import type { SyncLoop } from '../../../sync/loop.ts';
import type { ReplicaPorts } from '../replica/replica-ports.ts';
import { type SyncReason, WindowChannel, type WindowMessage } from '../replica/window-channel.ts';
import type { Link } from './link.ts';
import { readUnsent, takeIn } from './outbox.ts';

/** What is sent to and received from the other windows about a replica. */
interface SharedReplica extends Link {
  readonly isLeader: boolean;
  readonly closed: boolean;
  readonly loop: SyncLoop;
  ended: string | null;
  verifiedAt: number | null;
  changed(): void;
  recount(): Promise<void>;
}

/** The other windows of this browser store that show the same case or matrix. */
export class OtherWindows {
  readonly #replica: SharedReplica;
  readonly #channel: WindowChannel;
  readonly #reread: () => void;
  /** The sync status of the leader, where that is another window. */
  leader: { online: boolean; problem: string | null } | null = null;

  /** `reread`: reads the stored replica again. */
  constructor(replica: SharedReplica, broadcast: ReplicaPorts['broadcast'], reread: () => void) {
    this.#replica = replica;
    this.#reread = reread;
    this.#channel = new WindowChannel(broadcast, (message) => this.#receive(message));
  }

  /**
   * With a reason: the leader is asked to send what is in the outbox, and answers how it gets on.
   */
  sendOutbox(why?: SyncReason): void {
    const message = { kind: 'outbox', case: this.#replica.row.case_uid } as const;
    this.#channel.send(why === undefined ? message : { ...message, why });
  }
  sendRows(): void {
    this.#channel.send({ kind: 'replica', matrix: this.#replica.row.id });
  }
  sendStatus(): void {
    const { row, loop, ended, verifiedAt } = this.#replica;
    const { online, problem } = loop;
    const status = { matrix: row.id, online, problem, ended, verified: verifiedAt };
    this.#channel.send({ kind: 'status', ...status });
  }

  #receive(message: WindowMessage): void {
    const replica = this.#replica;
    const { row, isLeader } = replica;
    if (replica.closed) return;
    if (message.kind === 'outbox' && message.case === row.case_uid) {
      void replica.recount().catch(() => undefined);
      if (isLeader) void this.#absorb(message.why ?? 'edit').catch(() => undefined);
      if (isLeader && message.why !== undefined) this.sendStatus();
    } else if (message.kind === 'replica' && message.matrix === row.id && !isLeader) this.#reread();
    else if (message.kind === 'status' && message.matrix === row.id && !isLeader) {
      this.leader = { online: message.online, problem: message.problem };
      replica.ended = message.ended;
      replica.verifiedAt = message.verified;
      replica.changed();
    } else if (message.kind === 'reread' && message.case === row.case_uid) this.#reread();
  }
  /** Applies what another window has put into the outbox, and sends it. */
  async #absorb(why: SyncReason | 'edit'): Promise<void> {
    const replica = this.#replica;
    const { life } = replica;
    const unsent = await readUnsent(
      replica.db,
      replica.row,
      replica.state.changeIds,
      replica.hasher,
    );
    if (replica.closed) return;
    await takeIn(replica, unsent, life);
    replica.loop.requestCycle(why);
  }

  close(): void {
    this.#channel.close();
  }
}
