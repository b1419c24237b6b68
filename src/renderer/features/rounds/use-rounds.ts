import type { CaseUid } from '../../../shared/contract/ids.ts';
import { type Evidence, getEvidence } from '../../../shared/contract/v1/evidence.ts';
import {
  getAgreement,
  getRound,
  getRoundEvidence,
  type LayerCell,
  listRounds,
  recordInRound,
  type Round,
} from '../../../shared/contract/v1/rounds.ts';
import type { z } from 'zod';
import { useState } from 'react';
import { type Query, useQuery } from '../../state/query.ts';
import type { QueryCache } from '../../state/query-cache.ts';
import { type Call, useServices } from '../../state/services.tsx';
import { type List, useList } from '../../state/use-list.ts';
import { cellKey, Sheet } from './sheet.ts';

export type Agreement = z.output<typeof getAgreement.response>;

/** Answers that are not kept for offline pages: a round is recorded at its server. */
function useAnswer<T>(key: string, ask: (call: Call) => Promise<T>): Query<T> {
  const { call, clock } = useServices();
  return useQuery(key, async () => ({ data: await ask(call), stale: false, at: clock.now() }));
}

/** Where the answers about the rounds of a case are kept. */
export const roundsOf = (caseUid: CaseUid): string => `rounds/${caseUid}`;

export const useRounds = (caseUid: CaseUid): Query<Round[]> =>
  useAnswer(
    roundsOf(caseUid),
    async (call) => (await call(listRounds, { params: { caseUid } })).data,
  );

export const useRound = (caseUid: CaseUid, roundId: string): Query<Round> =>
  useAnswer(`${roundsOf(caseUid)}/${roundId}`, (call) =>
    call(getRound, { params: { caseUid, roundId } }),
  );

export const useAgreement = (caseUid: CaseUid, roundId: string): Query<Agreement> =>
  useAnswer(`${roundsOf(caseUid)}/${roundId}/agreement`, (call) =>
    call(getAgreement, { params: { caseUid, roundId } }),
  );

export type SheetItem = Pick<Evidence['items'][number], 'item_uid' | 'label'>;

/** The items of the matrix, page by page; what the record says of them is left aside. */
export function useItems({ case_uid, profile_uid, profile_version }: Round): List<SheetItem> {
  const { call, clock } = useServices();
  return useList(`${roundsOf(case_uid)}/items`, '', async (_, { cursor, limit }) => {
    const page = await call(getEvidence, {
      params: { caseUid: case_uid },
      query: {
        profile_uid,
        profile_version,
        limit: String(limit),
        ...(cursor !== undefined && { cursor }),
      },
    });
    const entries = page.items.map(({ item_uid, label }) => ({ item_uid, label }));
    return { data: { entries, next: page.next_cursor }, stale: false, at: clock.now() };
  });
}

const PAGE = '200';

async function ownLayer(call: Call, caseUid: CaseUid, roundId: string): Promise<LayerCell[]> {
  const cells: LayerCell[] = [];
  let cursor: string | null = null;
  do {
    const page: z.output<typeof getRoundEvidence.response> = await call(getRoundEvidence, {
      params: { caseUid, roundId },
      query: { limit: PAGE, ...(cursor !== null && { cursor }) },
    });
    cells.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return cells;
}

/** The sheets of this window, by round and recorder: what is not saved outlives its page. */
const sheets = new WeakMap<QueryCache, Map<string, Sheet>>();
function sheetsOf(queries: QueryCache): Map<string, Sheet> {
  const known = sheets.get(queries) ?? new Map<string, Sheet>();
  sheets.set(queries, known);
  return known;
}

/**
 * The caller's own layer, once it is read; of one round as long as the component stands. One that
 * was left with something unsaved goes on as it was.
 */
export function useSheet(caseUid: CaseUid, roundId: string, recorder: string): Query<Sheet> {
  const { call, queries } = useServices();
  const layer = useAnswer(`rounds/${caseUid}/${roundId}/layer`, (ask) =>
    ownLayer(ask, caseUid, roundId),
  );
  const { data } = layer;
  const [earlier] = useState(data);
  const key = `${roundId} ${recorder}`;
  const [sheet, setSheet] = useState(() => {
    const left = sheetsOf(queries).get(key);
    return left !== undefined && left.state.unsaved > 0 ? left : undefined;
  });
  // Read once: what is on screen is newer than what would be read again, and what was read on an
  // earlier visit is older than what was recorded then.
  if (data !== undefined && data !== earlier && sheet === undefined) {
    const read = new Sheet(
      new Map(
        data.map(({ item_uid, rule_uid, raw_outcome, source_value, notes }) => [
          cellKey(item_uid, rule_uid),
          { raw_outcome, source_value, notes },
        ]),
      ),
      (outcomes) => call(recordInRound, { params: { caseUid, roundId }, body: { outcomes } }),
    );
    sheetsOf(queries).set(key, read);
    setSheet(read);
  }
  return { ...layer, data: sheet };
}
