import {
  type AccountId,
  type ProjectId,
  type StreamName,
  known,
} from '../../../shared/contract/ids.ts';
import type { ReadContext } from '../db/context.ts';
import { damagedByCase } from '../runs/run-counts.ts';
import { limitOf } from '../db/permit.ts';
import { PROFILE_STREAM, projectStream } from '../../../sync/register.ts';
import { readCursor, writeCursor } from '../db/cursor.ts';

const POSITIONS = 1_000;

export interface CasePosition {
  /** The log's name. */
  case_uid: StreamName;
  seq: number;
  chain: string;
  project_id: ProjectId | null;
  /** Those whose contents are whole here. */
  runs: number;
}

/**
 * Where the account's logs stand, by pages; of `named` alone, where the caller reaches all logs:
 * of others it could not be told that they are out of reach by now. `whole`: of all.
 */
export async function positions(
  ctx: ReadContext,
  account: AccountId,
  after: string | undefined,
  named?: readonly StreamName[],
): Promise<{ cases: CasePosition[]; next: string | null; whole: boolean }> {
  let query = ctx.session.db
    .selectFrom('streams')
    .leftJoin('cases', (join) =>
      join
        .onRef('cases.account', '=', 'streams.account')
        .onRef('cases.stream_pk', '=', 'streams.stream_pk'),
    )
    .leftJoin('run_counts', (join) =>
      join
        .onRef('run_counts.account', '=', 'streams.account')
        .onRef('run_counts.case_uid', '=', 'streams.name'),
    )
    .select(['streams.name', 'streams.seq', 'streams.chain', 'cases.project_id', 'run_counts.runs'])
    .where('streams.account', '=', ctx.session.numberOf(account))
    .where('streams.seq', '>', 0)
    .orderBy('streams.name')
    .limit(POSITIONS + 1);
  const limit = limitOf(ctx);
  if (limit !== undefined)
    query = query.where(({ eb, or }) =>
      or([
        eb('cases.project_id', 'in', ctx.session.list(limit)),
        eb('streams.name', 'in', ctx.session.list([PROFILE_STREAM, ...limit.map(projectStream)])),
      ]),
    );
  const isNamed = named !== undefined && limit === undefined;
  if (isNamed) query = query.where('streams.name', 'in', ctx.session.list(named));
  if (after !== undefined)
    query = query.where(
      'streams.name',
      '>',
      known.streamName.parse(readCursor('positions', ['string'], after)[0]),
    );
  const rows = await query.execute();
  const shown = rows.slice(0, POSITIONS);
  const last = shown.at(-1);
  const damaged: ReadonlyMap<string, number> = await damagedByCase(ctx, account);
  return {
    whole: !isNamed,
    cases: shown.map(({ name, seq, chain, project_id, runs }) => ({
      case_uid: name,
      seq,
      chain,
      project_id,
      runs: (runs ?? 0) - (damaged.get(name) ?? 0),
    })),
    next:
      rows.length > POSITIONS && last !== undefined ? writeCursor('positions', [last.name]) : null,
  };
}
