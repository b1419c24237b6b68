import type { ApiKey } from '../../../../shared/contract/v1/account.ts';
import {
  ACTIVE_WITHIN_MS,
  type ListedCase,
  listCases,
} from '../../../../shared/contract/v1/cases.ts';
import { revertChanges } from '../../../../shared/contract/v1/reverts.ts';
import { describeFailure } from '../../../state/failure.ts';
import type { Call } from '../../../state/services.tsx';
import { t } from '../../../text/t.ts';

/** What was not taken back: a case, or the rest of the list of cases, and why. */
export interface NotTakenBack {
  title: string;
  why: string;
}

const CHANGES_AT_ONCE = 2_000;

const whyOf = (error: unknown): string => {
  const { title, message } = describeFailure(error);
  return message === '' ? title : `${title}. ${message}`;
};

/** At least the cases in which anything was recorded since a moment, roughly the latest first. */
async function* casesSince(
  call: Call,
  state: 'active' | 'archived',
  since: string,
): AsyncGenerator<ListedCase> {
  const from = Date.parse(since) - ACTIVE_WITHIN_MS;
  let cursor: string | null = null;
  do {
    const page: { data: ListedCase[]; next_cursor: string | null } = await call(listCases, {
      query: {
        state,
        sort: 'active',
        order: 'desc',
        progress: 'true',
        limit: '100',
        ...(cursor !== null && { cursor }),
      },
    });
    for (const one of page.data) {
      if (one.last_change && Date.parse(one.last_change.at) < from) return;
      yield one;
    }
    cursor = page.next_cursor;
  } while (cursor !== null);
}

/**
 * Adds the cases in which anything was recorded since a moment. One that is written to while the
 * list is read goes to its top, behind the reader: it is read again as long as there are others.
 */
async function addCases(
  call: Call,
  state: 'active' | 'archived',
  moment: string,
  found: Map<string, ListedCase>,
): Promise<void> {
  let since = moment;
  let known: number;
  do {
    known = found.size;
    let newest = since;
    for await (const one of casesSince(call, state, since)) {
      found.set(one.case_uid, one);
      const at = one.last_change?.at ?? '';
      if (at > newest) newest = at;
    }
    since = newest;
  } while (found.size > known);
}

/** All that a key wrote in a case: as many requests as it takes. */
async function revertCase(
  call: Call,
  { case_uid: caseUid }: ListedCase,
  { key_id, created_at, name }: ApiKey,
): Promise<void> {
  const params = { caseUid };
  const reason = t('The access of {name} was taken back', { name });
  const first = { key_id, since: created_at, reason };
  let { left } = await call(revertChanges, { params, body: first });
  while (left.length > 0)
    ({ left } = await call(revertChanges, {
      params,
      body: { changes: left.slice(0, CHANGES_AT_ONCE), reason },
    }));
}

/**
 * Takes back what an agent wrote, in each case by itself: where one refuses, the others are still
 * taken back. All cases are found first, since a revert changes their order. Answers what is left.
 */
export async function takeBackWrites(call: Call, agent: ApiKey): Promise<NotTakenBack[]> {
  const found = new Map<string, ListedCase>();
  const left: NotTakenBack[] = [];
  for (const state of ['active', 'archived'] as const)
    try {
      await addCases(call, state, agent.created_at, found);
    } catch (error) {
      const title = state === 'active' ? t('Further cases') : t('Further archived cases');
      left.push({ title, why: whyOf(error) });
    }
  for (const one of found.values())
    try {
      await revertCase(call, one, agent);
    } catch (error) {
      left.push({ title: one.title, why: whyOf(error) });
    }
  return left;
}
