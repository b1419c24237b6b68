import { useCallback } from 'react';
import type { z } from 'zod';
import type { CaseUid } from '../../../shared/contract/ids.ts';
import {
  addToThread,
  assignPlaces,
  getThread,
  listAssignments,
  listThreads,
  openThread,
  type Thread,
  type ThreadInput,
  type ThreadReply,
  type WaitingCase,
  listWaiting,
} from '../../../shared/contract/v1/discussion.ts';
import type { AssignedPlace } from '../../../shared/domain/thread.ts';
import { allOf } from '../../state/all-of.ts';
import { type Query, useQuery } from '../../state/query.ts';
import { type Call, useServices } from '../../state/services.tsx';
import { type List, useList } from '../../state/use-list.ts';

export type WholeThread = z.output<typeof getThread.response>;
type Assigned = z.output<typeof listAssignments.response>['data'];

export interface ThreadQuery {
  state?: Thread['state'];
  kind?: Thread['kind'];
  item_uid?: string;
  rule_uid?: string;
}

/** Answers that are not kept for offline pages: they are of the studio's server. */
function useAnswer<T>(key: string, ask: (call: Call) => Promise<T>): Query<T> {
  const { call, clock } = useServices();
  return useQuery(key, async () => ({ data: await ask(call), stale: false, at: clock.now() }));
}

/** Where the answers about what is said and assigned in a case are kept. */
export const threadsOf = (caseUid: CaseUid): string => `threads/${caseUid}/`;

/** Threads of a case, a page at a time. */
export function useThreads(caseUid: CaseUid, filter: ThreadQuery): List<Thread> {
  const { call, clock } = useServices();
  return useList(`${threadsOf(caseUid)}list`, JSON.stringify(filter), async (_, place) => {
    const { data, next_cursor: next } = await call(listThreads, {
      params: { caseUid },
      query: {
        ...filter,
        limit: String(place.limit),
        ...(place.cursor !== undefined && { cursor: place.cursor }),
      },
    });
    return { data: { entries: data, next }, stale: false, at: clock.now() };
  });
}

/** Threads about an item or a rule and their cells, all of them. */
export const useThreadsOf = (
  caseUid: CaseUid,
  { item, rule }: { item: string; rule: string },
): Query<Thread[]> =>
  useAnswer(`${threadsOf(caseUid)}of/${rule}/${item}`, async (call) => {
    const ask = (query: ThreadQuery & { on: Thread['place']['on'] }) =>
      allOf((cursor) =>
        call(listThreads, { params: { caseUid }, query: { ...query, ...cursor, limit: '200' } }),
      );
    const [cell, ofItem, ofRule] = await Promise.all([
      ask({ on: 'cell', item_uid: item, rule_uid: rule }),
      ask({ on: 'item', item_uid: item }),
      ask({ on: 'rule', rule_uid: rule }),
    ]);
    return [...cell, ...ofItem, ...ofRule];
  });

/** Queries of a case that nobody has closed. */
export const useOpenQueries = (caseUid: CaseUid): Query<Thread[]> =>
  useAnswer(`${threadsOf(caseUid)}queries`, async (call) => {
    const ask = (state: Thread['state']) =>
      allOf((cursor) =>
        call(listThreads, {
          params: { caseUid },
          query: { kind: 'query', state, limit: '200', ...cursor },
        }),
      );
    return [...(await ask('open')), ...(await ask('answered'))];
  });

export const useThread = (caseUid: CaseUid, threadId: string): Query<WholeThread> =>
  useAnswer(`${threadsOf(caseUid)}one/${threadId}`, async (call) => {
    const page = (cursor: { cursor?: string }) =>
      call(getThread, { params: { caseUid, threadId }, query: { limit: '200', ...cursor } });
    const first = await page({});
    const entries = await allOf(async (cursor) => {
      const { entries: data, next_cursor } = 'cursor' in cursor ? await page(cursor) : first;
      return { data, next_cursor };
    });
    return { ...first, entries };
  });

export const useAssignments = (caseUid: CaseUid): Query<Assigned> =>
  useAnswer(`${threadsOf(caseUid)}assigned`, (call) =>
    allOf((cursor) =>
      call(listAssignments, { params: { caseUid }, query: { limit: '200', ...cursor } }),
    ),
  );

/** What waits for whoever is at this window, in all cases. */
export const WAITING = 'waiting';
export const useWaitingForMe = (): Query<WaitingCase[]> =>
  useAnswer(WAITING, async (call) => (await call(listWaiting)).data);

/** What is said and assigned; lists on screen are read again after each. */
export function useDiscussing(caseUid: CaseUid) {
  const { call, queries } = useServices();
  const params = { caseUid };
  const after = useCallback(() => {
    queries.invalidate(threadsOf(caseUid));
    queries.invalidate(WAITING);
  }, [queries, caseUid]);
  return {
    open: async (body: ThreadInput) => {
      const thread = await call(openThread, { params, body });
      after();
      return thread;
    },
    add: async (threadId: string, body: ThreadReply) => {
      const thread = await call(addToThread, { params: { caseUid, threadId }, body });
      after();
      return thread;
    },
    assign: async (place: AssignedPlace, to: string | null) => {
      await call(assignPlaces, {
        params,
        body: { places: [place], to: to as Thread['thread_id'] },
      });
      after();
    },
  };
}
