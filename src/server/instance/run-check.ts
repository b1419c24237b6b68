import { CHECK_START } from '../storage/runs/run-check.ts';
import type { Deps } from '../context/deps.ts';
import { describeError } from './logger.ts';
import { StoreError } from '../storage/db/errors.ts';
import { EVERY_ACCOUNT } from '../storage/db/session.ts';

/** Between two contents, ms; and between two rounds through all of them. */
const SLICE_MS = 20_000;
const ROUND_MS = 12 * 3_600_000;
/** After one that could not be checked, since its blobs are in a store that does not answer, ms. */
const AGAIN_MS = 60_000;

export interface RunCheckRound {
  /** Checks the next content; false where that was the last one of this round. */
  next(): Promise<boolean>;
  close(): void;
}

/**
 * Goes through the contents of all runs, one at a time and again and again, and notes those that
 * are no longer what their hashes name. It continues where it stopped.
 */
export function createRunCheck({ store, logger }: Pick<Deps, 'store' | 'logger'>): RunCheckRound {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function next(): Promise<boolean> {
    const after = await store.transact((writer) => writer.runWrites.checkedTo(), EVERY_ACCOUNT);
    const content = await store.read((reader) => reader.runs.nextContent(after), EVERY_ACCOUNT);
    if (content === undefined) {
      if (after.account_id !== '')
        await store.transact((writer) => writer.runWrites.checkedTo(CHECK_START), EVERY_ACCOUNT);
      return false;
    }
    const { account_id, content_hash } = content;
    if (content_hash === '') {
      await store.transact((writer) => writer.runWrites.checkedTo(content), EVERY_ACCOUNT);
      return true;
    }
    const whole = await store.read(
      (reader) => reader.runs.isWhole(account_id, content_hash),
      account_id,
    );
    if (!whole)
      logger.error(
        { content_hash },
        'a stored run is damaged; it is fetched again from a server that has it',
      );
    await store.transact(async (writer) => {
      await writer.runWrites.noteWhole(account_id, content_hash, whole);
      await writer.runWrites.checkedTo(content);
    }, account_id);
    return true;
  }

  function plan(ms: number): void {
    if (isClosed) return;
    timer = setTimeout(() => {
      if (store.health().read_only !== null) return plan(ROUND_MS);
      next().then(
        (more) => plan(more ? SLICE_MS : ROUND_MS),
        (error: unknown) => {
          const mayPass = error instanceof StoreError && error.code === 'unavailable';
          logger.error(
            { error: describeError(error), ...(mayPass && { reason: error.message }) },
            'the check of stored runs met an error',
          );
          plan(mayPass ? AGAIN_MS : ROUND_MS);
        },
      );
    }, ms).unref();
  }
  plan(SLICE_MS);
  return {
    next,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
