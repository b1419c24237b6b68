import type { AccountId, RunUid } from '../../../shared/contract/ids.ts';
import {
  MAX_RECORDER_NAME,
  MAX_RECORDERS,
  MAX_RECORDERS_TEXT,
  type Recorder,
  RecorderRuns,
  recordersProblem,
  RunRecorders,
  withoutKeys,
} from '../../../shared/domain/run-recorders.ts';
import type { RunRecord } from '../../../shared/domain/run.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import type { ChangeIndex } from '../log/change-index.ts';
import type { ReadContext, WriteContext } from '../db/context.ts';
import { yieldToEventLoop } from '../db/event-loop.ts';
import { deflateText, unpack } from '../db/packed.ts';
import { permit } from '../db/permit.ts';
import { StoreError } from '../db/errors.ts';
import { acceptedBy, acceptedByName, changesOfEntries, recordedBy } from '../log/recorded-by.ts';

/** Rows that are gone through in one go. */
const ROWS_AT_ONCE = 100;
const NOBODY = 0xffff;

/** The head of a recorded cell: its change's number, and the entry that it brings back. */
export interface RecordedHead {
  place: number;
  headSeq: number | null;
  headIndex: number | null;
  restores: string | null;
}

const shortened = (name: string): string => name.slice(0, MAX_RECORDER_NAME).toWellFormed();

/** Collects whose word each outcome of a case is while its evidence is read: one number a cell. */
export class RecorderCollector {
  readonly #changes: ChangeIndex;
  readonly #places: Uint16Array;
  readonly #authors: Recorder[] = [];
  readonly #placeOf = new Map<string, number>();
  readonly #placeBySeq = new Map<number, number>();

  /** `cells`: how many the matrix has. */
  constructor(changes: ChangeIndex, cells: number) {
    this.#changes = changes;
    this.#places = new Uint16Array(cells).fill(NOBODY);
  }

  async add(heads: readonly RecordedHead[]): Promise<void> {
    await this.#changes.loadSeqs(
      new Set(heads.flatMap(({ headSeq }) => (headSeq === null ? [] : [headSeq]))),
    );
    const restored = heads.flatMap(({ restores }) => (restores === null ? [] : [restores]));
    const origins =
      restored.length === 0 ? undefined : await changesOfEntries(this.#changes, restored);
    await this.#changes.acceptances.load([
      ...heads.flatMap(({ headSeq }) => headSeq ?? []),
      ...(origins?.values() ?? []),
    ]);
    for (const { place, headSeq, headIndex, restores } of heads) {
      const seq = (restores === null ? undefined : origins?.get(restores)) ?? headSeq;
      if (seq === null) continue;
      const accepted =
        restores === null
          ? acceptedBy(this.#changes, { seq, index: headIndex ?? 0 }, true)
          : acceptedByName(this.#changes, restores, true);
      this.#places[place] =
        accepted === undefined ? this.#authorOf(seq) : this.#placeOfAuthor(accepted);
    }
  }

  #authorOf(seq: number): number {
    const known = this.#placeBySeq.get(seq);
    if (known !== undefined) return known;
    const place = this.#placeOfAuthor(recordedBy(this.#changes.at(seq), true));
    this.#placeBySeq.set(seq, place);
    return place;
  }

  #placeOfAuthor(author: Recorder): number {
    const key = JSON.stringify(author);
    const place = this.#placeOf.get(key) ?? this.#authors.length;
    // Beyond that nothing is stated.
    if (place === this.#authors.length && place < MAX_RECORDERS)
      this.#authors.push({
        ...author,
        name: shortened(author.name),
        ...(author.accepted_by !== undefined && { accepted_by: shortened(author.accepted_by) }),
      });
    this.#placeOf.set(key, place);
    return place;
  }

  /**
   * The recorders in the order of the frozen rows, `rows` being where each was read; undefined
   * where they are too many, or alternate too often, to be stated.
   */
  async finish(
    { frozen: { raw } }: Pick<RunRecord, 'frozen'>,
    rows: readonly number[],
  ): Promise<RunRecorders | undefined> {
    const runs = new RecorderRuns();
    const [placeOf, authors] = [new Map<number, number>(), [] as Recorder[]];
    for (const [at, states] of raw.entries()) {
      const first = (rows[at] as number) * states.length;
      for (const [column, state] of states.entries()) {
        if (state === null) continue;
        const author = this.#places[first + column] as number;
        let place = placeOf.get(author);
        if (place === undefined) {
          const named = this.#authors[author];
          if (named === undefined) return undefined;
          placeOf.set(author, (place = authors.push(named) - 1));
        }
        runs.add(place);
      }
      if (at % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await yieldToEventLoop();
    }
    const cells = runs.finish();
    return cells.length > MAX_RECORDERS_TEXT ? undefined : { authors, cells };
  }
}

export async function storeRecorders(
  ctx: WriteContext,
  account: AccountId,
  { run_uid, content_hash }: { run_uid: RunUid; content_hash: string },
  recorders: RunRecorders,
): Promise<void> {
  const row = {
    account: ctx.session.numberOf(account),
    run_uid,
    content_hash,
    packed: await deflateText(canonicalJson(recorders)),
  };
  await ctx.session.db
    .insertInto('run_recorders')
    .values(row)
    .onConflict((oc) => oc.columns(['account', 'run_uid', 'content_hash']).doNothing())
    .execute();
}

/**
 * What the server that froze a run says of who recorded it; null where it said nothing. Throws
 * integrity_error where it can no longer be read.
 */
export async function readRecorders(
  ctx: ReadContext,
  account: AccountId,
  runUid: RunUid,
  hash: string,
  keys = true,
): Promise<RunRecorders | null> {
  const row = await ctx.session.db
    .selectFrom('run_recorders')
    .select('packed')
    .where('account', '=', ctx.session.numberOf(account))
    .where('run_uid', '=', runUid)
    .where('content_hash', '=', hash)
    .executeTakeFirst();
  if (row === undefined) return null;
  let recorders: RunRecorders;
  try {
    recorders = RunRecorders.parse(JSON.parse(unpack(null, row.packed)));
  } catch {
    throw new StoreError(
      'integrity_error',
      'What is stored of who recorded the run can no longer be read.',
    );
  }
  return keys ? recorders : withoutKeys(recorders);
}

/**
 * Refuses recorders that cannot be those of a run with so many recorded cells, and names that these
 * credentials may not put to outcomes.
 */
export function checkRecorders(ctx: ReadContext, recorders: RunRecorders, recorded: number): void {
  const problem = recordersProblem(recorders, recorded);
  if (problem !== undefined)
    throw new StoreError(
      'validation_failed',
      "The run's recorders do not fit it; nothing was stored.",
      [problem],
    );
  for (const [index, by] of recorders.authors.entries())
    permit(ctx, { do: 'bring recorder', by }, [
      {
        path: `/recorders/authors/${index}`,
        code: 'other_author',
        message: 'This is another author than these credentials are of.',
      },
    ]);
}
