import { useEffect } from 'react';
import type { CaseUid } from '../../../shared/contract/ids.ts';
import { getItem, type ItemEvidence } from '../../../shared/contract/v1/cells.ts';
import {
  listSuggestions,
  type SuggestionEntry,
  type SuggestionState,
} from '../../../shared/contract/v1/suggestions.ts';
import type { z } from 'zod';
import type { ProfileUid } from '../../../shared/contract/ids.ts';
import type { RawOutcome } from '../../../shared/domain/outcome.ts';
import { type Query, useQuery } from '../../state/query.ts';
import { type Call, useServices } from '../../state/services.tsx';
import { type List, useList } from '../../state/use-list.ts';

/** The matrix that suggestions are about. */
export interface Matrix {
  caseUid: CaseUid;
  uid: ProfileUid;
  version: string;
}

export interface ListFilter {
  state: SuggestionState;
  source?: string | undefined;
  rule_uid?: string | undefined;
  raw_outcome?: RawOutcome | undefined;
}

/** Where the answers about the suggestions of a case are kept. */
export const suggestionsOf = (caseUid: CaseUid): string => `suggestions/${caseUid}/`;
const scopeOf = ({ caseUid, uid, version }: Matrix): string =>
  `${suggestionsOf(caseUid)}${uid}@${version}`;

/** One page of them, in the order of rule and item. */
export function useSuggestions(matrix: Matrix, filter: ListFilter): List<SuggestionEntry> {
  const { call, clock } = useServices();
  const { caseUid, uid, version } = matrix;
  return useList(scopeOf(matrix), JSON.stringify(filter), async (_, { cursor, limit }) => {
    const page = await call(listSuggestions, {
      params: { caseUid },
      query: {
        profile_uid: uid,
        profile_version: version,
        ...filter,
        ...(cursor !== undefined && { cursor }),
        limit: String(limit),
      },
    });
    return {
      data: { entries: page.data, next: page.next_cursor },
      stale: false,
      at: clock.now(),
    };
  });
}

/**
 * Reads a list that has nothing to show again once something comes. One that shows something stays:
 * a key is meant for what its person has read.
 */
export function useNewsWhileEmpty(caseUid: CaseUid, isEmpty: boolean, reload: () => void): void {
  const { watchBeside } = useServices();
  useEffect(
    () =>
      isEmpty
        ? watchBeside(caseUid, (news) => {
            if (news.has('suggestions') || news.has('access')) reload();
          })
        : undefined,
    [isEmpty, watchBeside, caseUid, reload],
  );
}

/** How many wait, counted up to `most`. A page may be short, and be followed by others. */
async function countWaiting(call: Call, matrix: Matrix, most: number): Promise<number> {
  let count = 0;
  let cursor: string | null = null;
  do {
    const page: z.output<typeof listSuggestions.response> = await call(listSuggestions, {
      params: { caseUid: matrix.caseUid },
      query: {
        profile_uid: matrix.uid,
        profile_version: matrix.version,
        state: 'open',
        limit: String(most - count),
        ...(cursor !== null && { cursor }),
      },
    });
    count += page.data.length;
    cursor = page.next_cursor;
  } while (cursor !== null && count < most);
  return count;
}

export function useWaiting(matrix: Matrix, most: number): Query<number> {
  const { call, clock } = useServices();
  return useQuery(`${scopeOf(matrix)}/waiting`, async () => ({
    data: await countWaiting(call, matrix, most),
    stale: false,
    at: clock.now(),
  }));
}

/** The item of a suggestion, with what is recorded of it now. */
export function useItem(
  matrix: Matrix,
  itemUid: string | undefined,
): Query<ItemEvidence | undefined> {
  const { call, clock } = useServices();
  return useQuery(`${scopeOf(matrix)}/item/${itemUid ?? ''}`, async () => ({
    data:
      itemUid === undefined
        ? undefined
        : await call(getItem, {
            params: { caseUid: matrix.caseUid, itemUid },
            query: { profile_uid: matrix.uid, profile_version: matrix.version },
          }),
    stale: false,
    at: clock.now(),
  }));
}
