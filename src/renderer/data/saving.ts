import { contestCount } from './editing/contests.ts';
import type { SaveStatus } from './store/port.ts';
import type { Replica } from './sync/replica.ts';
import { ThrottledEmitter } from './replica/throttled-emitter.ts';
import { t } from '../text/t.ts';

/**
 * Delay before a new status is reported, ms: a key press changes it eight times on its way to the
 * server.
 */
const REPORT_AFTER_MS = 40;

/** How an open matrix is saved, for those who show it. */
export class Saving {
  readonly #replica: Replica;
  /** Undos and redos that are not shown yet. */
  readonly #waiting: () => number;
  readonly #emitter: ThrottledEmitter;
  #status: SaveStatus | null = null;

  constructor(replica: Replica, waiting: () => number) {
    this.#replica = replica;
    this.#waiting = waiting;
    this.#emitter = new ThrottledEmitter({
      after: (ms, callback) => replica.ports.timers.after(ms, callback),
      ms: REPORT_AFTER_MS,
      isUnsaved: () => replica.writer.pending + replica.stored.waiting > 0,
    });
    replica.onStatus = () => {
      this.#status = null;
      this.#emitter.invalidate();
    };
  }

  get status(): SaveStatus {
    this.#status ??= this.#read();
    return this.#status;
  }
  subscribe(listener: () => void): () => void {
    return this.#emitter.subscribe(listener);
  }

  /** Resolves when nothing waits any more; rejects after `ms`. */
  flush(ms: number): Promise<void> {
    const replica = this.#replica;
    replica.requestSync('person');
    const { blocked } = replica;
    if (blocked !== null && replica.stored.waiting > 0) return Promise.reject(new Error(blocked));
    if (this.status.waiting === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const cancel = replica.ports.timers.after(ms, () => {
        stop();
        reject(new Error(this.status.problem ?? t('Not all changes have reached the server yet.')));
      });
      const stop = this.subscribe(() => {
        if (this.status.waiting > 0) return;
        stop();
        cancel();
        resolve();
      });
    });
  }

  #read(): SaveStatus {
    const replica = this.#replica;
    const { stored, writer, permission } = replica;
    const isBlocked =
      permission.blocked !== null ||
      (permission.access.may === 'read' && permission.access.because === 'ended');
    const ages = [isBlocked ? null : stored.oldest, writer.pendingSince].filter(
      (at) => at !== null,
    );
    return {
      waiting: (isBlocked ? 0 : stored.waiting) + writer.pending,
      storing: writer.pending + this.#waiting(),
      oldest: ages.length === 0 ? null : Math.min(...ages),
      review: contestCount(replica.state),
      blocked: stored.damaged + (isBlocked ? stored.waiting : 0),
      quarantined: stored.quarantined,
      savedAt: replica.row.last_ok,
      verifiedAt: replica.verifiedAt,
      access: permission.access,
      connection: replica.online ? 'online' : 'offline',
      problem: replica.problem,
    };
  }
}
