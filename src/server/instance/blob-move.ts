import type { Deps } from '../context/deps.ts';
import { StoreError } from '../storage/db/errors.ts';
import { EVERY_ACCOUNT } from '../storage/db/session.ts';
import type { BlobStep } from '../storage/runs/blob-move.ts';
import type { BlobCopy } from '../storage/runs/outside-copies.ts';
import { describeError } from './logger.ts';

/** After the start, ms; between two transactions; after one that failed. */
const FIRST_MS = 2_000;
const STEP_MS = 20;
const AGAIN_MS = 15_000;
/** Between two looks whether the database has blobs again, or another process has stopped. */
const ROUND_MS = 600_000;
/** Blobs between two lines of the log. */
const LOG_EACH = 1_000;

/** What was done since the database was last gone through. */
interface Round {
  after: BlobCopy | undefined;
  moved: number;
  damaged: number;
  /** Of those moved, how many the log has named. */
  logged: number;
}
const newRound = (): Round => ({ after: undefined, moved: 0, damaged: 0, logged: 0 });

type MoveDeps = Pick<Deps, 'store' | 'logger' | 'metrics'>;

class BlobMove {
  readonly #deps: MoveDeps;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #round = newRound();
  /** Blobs in the database; undefined before they were counted. */
  #left: number | undefined;

  constructor(deps: MoveDeps) {
    this.#deps = deps;
  }

  plan(ms: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#step().then(
        (wait) => wait !== undefined && this.plan(wait),
        (error: unknown) => {
          const reason = error instanceof StoreError ? error.message : undefined;
          this.#deps.logger.error(
            { error: describeError(error), reason },
            'blobs cannot be moved outside now',
          );
          this.plan(AGAIN_MS);
        },
      );
    }, ms).unref();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** False where blobs are kept in the database. */
  async #begin(): Promise<boolean> {
    const { store, logger, metrics } = this.#deps;
    const { configured, problem } = await store.read(
      (reader) => reader.runs.blobPlaces(),
      EVERY_ACCOUNT,
    );
    if (configured === undefined) return false;
    if (problem !== undefined)
      logger.error(
        { place: configured, reason: problem },
        'the store that keeps blobs cannot be used now; it is tried again when it is needed',
      );
    const counted = await store.read((reader) => reader.runs.countBlobs(), EVERY_ACCOUNT);
    this.#left = counted.database;
    metrics.watch('blobs_to_move', () => this.#left ?? 0);
    if (counted.database > 0)
      logger.info(
        { left: counted.database, place: configured },
        'blobs are to be moved out of the database',
      );
    return true;
  }

  /** One transaction; answers when the next one is due, undefined where none ever is. */
  async #step(): Promise<number | undefined> {
    const { store } = this.#deps;
    if (store.health().read_only !== null) return ROUND_MS;
    if (this.#left === undefined && !(await this.#begin())) return undefined;
    const done = await store.transact(
      (writer) => writer.runWrites.moveBlobsOut(this.#round.after),
      EVERY_ACCOUNT,
    );
    return done === undefined ? ROUND_MS : this.#note(done);
  }

  #note({ moved, damaged, next }: BlobStep): number {
    const { logger } = this.#deps;
    const round = this.#round;
    const left = (this.#left = Math.max(0, (this.#left ?? 0) - moved));
    round.moved += moved;
    round.damaged += damaged.length;
    round.after = next;
    for (const { sha256 } of damaged)
      logger.error({ sha256 }, 'a blob that is damaged or does not arrive stays in the database');
    if (next !== undefined) {
      if (round.moved - round.logged >= LOG_EACH) {
        round.logged = round.moved;
        logger.info({ moved: round.moved, left }, 'blobs are being moved out of the database');
      }
      return STEP_MS;
    }
    this.#left = round.damaged;
    if (round.moved > 0)
      logger.info({ moved: round.moved, left: this.#left }, 'blobs were moved out of the database');
    this.#round = newRound();
    return ROUND_MS;
  }
}

/**
 * Moves the blobs of a database outside where that is configured, a few at a time, while the server
 * works. What is moved is no longer found, so it goes on where it was stopped. Of several instances
 * one is at it at a time.
 */
export function createBlobMove(deps: MoveDeps): { close(): void } {
  const move = new BlobMove(deps);
  // A file of SQLite keeps its blobs.
  if (deps.store.engine === 'postgres') move.plan(FIRST_MS);
  return move;
}
