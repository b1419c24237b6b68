import type { Failure } from '../../../shared/contract/call.ts';
import { SYNC_LIMITS } from '../../../shared/contract/sync.ts';
import { SCHEMA_VERSION } from '../../../sync/change.ts';
import { type Driven, freshState } from '../../../sync/driver/ports.ts';
import { offerAside, pushAll } from '../../../sync/driver/push.ts';
import { BESIDE } from '../../../sync/layers/record.ts';
import { startOver } from '../../../sync/link.ts';
import type { CycleStep } from '../../../sync/loop.ts';
import type { MatrixRow } from '../store/db.ts';
import { isDue, type Link, linkOf, movedTo, type WindowStep, stepAfter, stepOf } from './link.ts';
import { overlay, readUnsent } from './outbox.ts';
import { drivenBy, OutboxLink } from './outbox-link.ts';
import { pullAll } from './pull.ts';
import type { ReplicaState } from '../replica/replica-state.ts';
import { ServerUpstream } from './server-upstream.ts';
import { fetchSnapshot } from './snapshot.ts';
import { t } from '../../text/t.ts';

const documentOf = ({ document }: Pick<ReplicaState, 'document'>): Pick<MatrixRow, 'document'> =>
  document === undefined ? {} : { document };

/** What a sync cycle needs of the replica, besides the link. */
export interface SyncCycleHost extends Link {
  readonly isLeader: boolean;
  readonly closed: boolean;
  readonly boot: string;
  /** Asks who is signed in; never throws. */
  askWho(): Promise<void>;
  /** Sets why access to the case has ended, in words; null where access is back. */
  end(words: string | null): void;
  whenQuiet<T>(read: () => Promise<T>): Promise<T>;
  replace(state: ReplicaState, row: MatrixRow, rebuild: boolean): Promise<void>;
}

const DISAGREE = t(
  "The server's log and this window's copy do not agree. Nothing was dropped; please report this.",
);
const DISAGREE_WAIT_S = 300;

/**
 * One cycle of the link: sends what waits, then reads what is new. If the server's log is not the
 * one seen before, begins a new generation of the link.
 */
export class SyncCycle {
  readonly #host: SyncCycleHost;
  readonly #state = freshState(SYNC_LIMITS.changes);
  readonly #outbox: OutboxLink;
  readonly #driven: Driven;
  #resets = 0;

  constructor(host: SyncCycleHost) {
    this.#host = host;
    this.#outbox = new OutboxLink(host, async () => undefined);
    this.#driven = drivenBy(host, this.#outbox, new ServerUpstream(host), this.#state);
  }

  /**
   * Fills an empty replica. Unsent changes of the case are sent first, so that the snapshot
   * contains them.
   */
  async first(): Promise<Failure | null> {
    await this.#pushAll();
    const failure = await this.#takeSnapshot();
    if (failure === null || stepOf(failure, 'recover').kind !== 'diverged') return failure;
    await this.#newLife();
    await this.#pushAll();
    return this.#takeSnapshot();
  }

  /** After a refusal asks who is signed in, since everything else depends on that. */
  async cycle(): Promise<CycleStep> {
    const host = this.#host;
    if (host.closed || !host.isLeader) return { kind: 'done' };
    if (host.silent) await host.askWho();
    if (host.silent) return { kind: 'blocked', problem: host.blocked ?? '' };
    const step = await this.#cycle();
    if (step.kind === 'blocked') await host.askWho();
    return step;
  }

  async #cycle(): Promise<CycleStep> {
    const host = this.#host;
    if (host.writer.pending > 0) await host.writer.settled();
    const { step: pushed, equal, taken } = await this.#pushAll();
    if (pushed.kind === 'diverged') return this.#startOver();
    // Where the server only fails on what is sent, reading continues.
    if (pushed.kind === 'later' && this.#state.faults === null) return pushed;
    if (pushed.kind === 'done' && host.blocked === null && !isDue(host.row))
      await offerAside(this.#driven, taken);
    if (pushed.kind === 'blocked' && (pushed.why === 'signed_out' || pushed.why === 'other_user'))
      return pushed;
    if (isDue(host.row)) {
      const failure = await this.#takeSnapshot();
      if (failure !== null) return this.#afterFailure(failure);
      if (isDue(host.row)) return { kind: 'later', online: true, retryAfter: null, problem: null };
    }
    let pulled: WindowStep = { kind: 'done' };
    if (pushed.kind === 'done' && equal) await host.agreed();
    else pulled = await pullAll(host, this.#state);
    if (pulled.kind === 'diverged') return this.#startOver();
    if (pulled.kind === 'blocked' && (pulled.why === 'no_access' || pulled.why === 'purged'))
      host.end(pulled.problem);
    if (pulled.kind === 'again') return { kind: 'done' };
    if (pulled.kind !== 'done') return pulled;
    host.end(null);
    this.#resets = 0;
    return pushed;
  }

  /** `equal`: the last answer has shown that there is nothing to read. */
  async #pushAll(): Promise<{
    step: Exclude<WindowStep, { kind: 'again' }>;
    equal: boolean;
    taken: boolean;
  }> {
    const outbox = this.#outbox;
    outbox.isEqual = false;
    for (let taken = false; ;) {
      const pushed = await pushAll(this.#driven);
      taken ||= pushed.reply !== undefined;
      const step = stepAfter(pushed, this.#host.blocked);
      if (step.kind !== 'again') return { step, equal: outbox.isEqual, taken };
      if (this.#host.closed) return { step: { kind: 'done' }, equal: outbox.isEqual, taken };
    }
  }

  /**
   * R6: begins a new generation of the link: what is here is offered again, then the matrix is read
   * again from the server. Nothing is dropped. R7: this is done once; if both sides still differ, a
   * person is notified. One that could not be stored, because another window has moved the link,
   * does not count.
   */
  async #startOver(): Promise<CycleStep> {
    if (this.#resets > 0) {
      this.#resets = 0;
      return { kind: 'later', online: true, retryAfter: DISAGREE_WAIT_S, problem: DISAGREE };
    }
    await this.#newLife();
    this.#resets += 1;
    return this.#cycle();
  }

  async #newLife(): Promise<void> {
    const host = this.#host;
    const row = startOver(linkOf(host.row));
    // Before the first snapshot `gen` stays 0, which says that there is nothing to show yet.
    const change = {
      ...movedTo(row),
      gen: host.row.gen === 0 ? 0 : row.gen,
      schema: 0,
      overlaid: [],
    };
    await host.writer.enqueue({
      offerAgain: true,
      link: { rev: host.row.rev, change: () => change },
    });
    host.row = { ...host.row, ...change, rev: host.row.rev + 1 };
    host.life += 1;
  }

  #afterFailure(failure: Failure): CycleStep | Promise<CycleStep> {
    const step = stepOf(failure, 'recover');
    if (step.kind === 'blocked' && step.why === 'no_access') this.#host.end(step.problem);
    return step.kind === 'diverged' ? this.#startOver() : step;
  }

  async #takeSnapshot(): Promise<Failure | null> {
    const host = this.#host;
    const { life } = host;
    const result = await fetchSnapshot(host);
    if (result.kind !== 'ok') return result;
    const { state, position } = result.snapshot;
    const unsent = await host.whenQuiet(() =>
      readUnsent(host.db, host.row, state.changeIds, host.hasher),
    );
    if (host.closed || host.life !== life) return null;
    const overlaid = overlay(state, unsent, host.own);
    const row = {
      ...host.row,
      gen: host.row.gen + 1,
      boot: host.boot,
      rev: host.row.rev + 1,
      ...position,
      base_seq: position.pull_seq,
      schema: SCHEMA_VERSION,
      authored: true as const,
      last_ok: host.now(),
      overlaid,
      ...documentOf(state),
    };
    await host.replace(state, row, true);
    // A snapshot does not say what of it is new.
    host.readBeside(BESIDE);
    return null;
  }
}
