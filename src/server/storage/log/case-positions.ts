import type { AccountId, ProjectId, StreamName } from '../../../shared/contract/ids.ts';
import type { ExpressionBuilder } from 'kysely';
import type { ReadContext } from '../db/context.ts';
import type { StoreTables } from '../db/schema/schema.ts';
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
  runs: number;
}

/** The runs of a stream's case whose contents are whole here. */
function wholeRuns({ selectFrom }: ExpressionBuilder<StoreTables, 'streams'>) {
  return selectFrom('runs')
    .whereRef('runs.account_id', '=', 'streams.account_id')
    .whereRef('runs.case_uid', '=', 'streams.name')
    .where(({ exists, selectFrom: from }) =>
      exists(
        from('run_contents')
          .select('run_contents.reproduced')
          .whereRef('run_contents.account_id', '=', 'runs.account_id')
          .whereRef('run_contents.content_hash', '=', 'runs.content_hash'),
      ),
    )
    .where(({ not, exists, selectFrom: from }) =>
      not(
        exists(
          from('damaged_contents')
            .select('found_at')
            .whereRef('damaged_contents.account_id', '=', 'runs.account_id')
            .whereRef('damaged_contents.content_hash', '=', 'runs.content_hash'),
        ),
      ),
    );
}

export async function positions(
  ctx: ReadContext,
  account: AccountId,
  after: string | undefined,
): Promise<{ cases: CasePosition[]; next: string | null }> {
  let query = ctx.session.db
    .selectFrom('streams')
    .leftJoin('cases', 'cases.stream_pk', 'streams.stream_pk')
    .select((eb) => [
      'streams.name',
      'streams.seq',
      'streams.chain',
      'cases.project_id',
      wholeRuns(eb).select(eb.fn.countAll<number>().as('n')).as('runs'),
    ])
    .where('streams.account_id', '=', account)
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
  if (after !== undefined)
    query = query.where(
      'streams.name',
      '>',
      readCursor('positions', ['string'], after)[0] as string,
    );
  const rows = await query.execute();
  const shown = rows.slice(0, POSITIONS);
  const last = shown.at(-1);
  return {
    cases: shown.map(({ name, seq, chain, project_id, runs }) => ({
      case_uid: name,
      seq,
      chain,
      project_id,
      runs: runs ?? 0,
    })),
    next:
      rows.length > POSITIONS && last !== undefined ? writeCursor('positions', [last.name]) : null,
  };
}
