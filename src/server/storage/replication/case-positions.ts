import {
  type AccountId,
  type ProjectId,
  type StreamName,
  known,
} from '../../../shared/contract/ids.ts';
import type { Expression, ExpressionBuilder } from 'kysely';
import type { StoreTables } from '../db/schema/schema.ts';
import type { ReadContext } from '../db/context.ts';
import { damagedByCase } from '../runs/run-counts.ts';
import { limitOf } from '../db/permit.ts';
import {
  AFTER_LAYERS,
  FIRST_LAYER,
  PROFILE_STREAM,
  projectStream,
} from '../../../sync/register.ts';
import { givenLayers } from '../rounds/given-layers.ts';
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

/** Of the logs of layers those alone that are given to the caller. */
const isGivenStream = (
  { eb, or }: ExpressionBuilder<StoreTables, 'streams'>,
  layers: Expression<StreamName>,
) =>
  or([
    eb('streams.name', '<', FIRST_LAYER),
    eb('streams.name', '>=', AFTER_LAYERS),
    eb('streams.name', 'in', layers),
  ]);

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
  const { list } = ctx.session;
  const layers = await givenLayers(ctx, account);
  query = query.where((eb) => isGivenStream(eb, list(layers)));
  const limit = limitOf(ctx);
  if (limit !== undefined)
    query = query.where(({ eb, or }) =>
      or([
        eb('cases.project_id', 'in', list(limit)),
        eb('streams.name', 'in', list([PROFILE_STREAM, ...limit.map(projectStream), ...layers])),
      ]),
    );
  const isNamed = named !== undefined && limit === undefined;
  // What moves a sealed layer is not among what has moved for everybody.
  if (isNamed) query = query.where('streams.name', 'in', list([...named, ...layers]));
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
