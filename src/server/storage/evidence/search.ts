import type { AccountId } from '../../../shared/contract/ids.ts';
import type { Found } from '../../../shared/contract/v1/search.ts';
import { compareVersions } from '../../../shared/domain/version.ts';
import type { ReadContext } from '../db/context.ts';
import { yieldToEventLoop } from '../db/event-loop.ts';
import { holds } from '../db/keyset.ts';
import { limitOf } from '../db/permit.ts';
import { pipelined } from '../db/session.ts';
import { casesPage } from '../records/cases.ts';
import { lineOf } from '../records/profile-lines.ts';
import { loadDocument, visibleDocuments } from '../records/profile-read.ts';
import { listProjects } from '../records/projects.ts';

/** Most of each kind in an answer. */
const MOST = 5;
/**
 * How many rows of each kind are looked at, those written to last first: what is found costs the
 * same however much there is.
 */
const LOOKED_AT = 5_000;
/** Cases whose items are looked through. */
const CASES = 50;
const ITEMS = 20_000;
const PROFILES = 100;

async function findCases(ctx: ReadContext, account: AccountId, text: string): Promise<Found[]> {
  const { session } = ctx;
  const number = session.numberOf(account);
  const limit = limitOf(ctx);
  let latest = session.db
    .selectFrom('cases')
    .select(['case_pk', 'case_uid', 'title', 'active_at'])
    .where('account', '=', number)
    .where('listed', '=', 0)
    .orderBy('active_at', 'desc')
    .orderBy('case_pk', 'desc')
    .limit(LOOKED_AT);
  if (limit !== undefined) latest = latest.where(session.inList('project_id', limit));
  const rows = await session.db
    .selectFrom(latest.as('latest'))
    .select(['case_uid', 'title'])
    .where(holds(['title', 'case_uid'], text))
    .orderBy('active_at', 'desc')
    .limit(MOST)
    .execute();
  return rows.map(({ case_uid, title }) => ({ kind: 'case', title, case_uid }));
}

async function findItems(ctx: ReadContext, account: AccountId, text: string): Promise<Found[]> {
  const { session } = ctx;
  const { data: cases } = await casesPage(
    ctx,
    account,
    { project_id: undefined, sort: 'active', order: 'desc' },
    { limit: CASES, cursor: undefined },
  );
  if (cases.length === 0) return [];
  const latest = session.db
    .selectFrom('items')
    .select(['case_pk', 'item_uid', 'label'])
    .where('account', '=', session.account)
    .where(
      session.inList(
        'case_pk',
        cases.map(({ pk }) => pk),
      ),
    )
    .where('deleted', '=', 0)
    .limit(ITEMS);
  const rows = await session.db
    .selectFrom(latest.as('latest'))
    .selectAll()
    .where(holds(['item_uid', 'label'], text))
    .limit(MOST)
    .execute();
  return rows.flatMap(({ case_pk, item_uid, label }): Found[] => {
    const record = cases.find(({ pk }) => pk === case_pk)?.record;
    if (record === undefined) return [];
    const { case_uid, title: case_title } = record;
    const title = label === '' ? item_uid : label;
    return [{ kind: 'item', title, item_uid, case_uid, case_title }];
  });
}

async function findRuns(ctx: ReadContext, account: AccountId, text: string): Promise<Found[]> {
  const { session } = ctx;
  const limit = limitOf(ctx);
  let latest = session.db
    .selectFrom('runs')
    .select(['run_pk', 'run_uid', 'case_uid'])
    .where('account', '=', session.numberOf(account))
    .orderBy('run_pk', 'desc')
    .limit(LOOKED_AT);
  if (limit !== undefined) latest = latest.where('project_id', 'in', session.list(limit));
  const rows = await session.db
    .selectFrom(latest.as('latest'))
    .select(['run_uid', 'case_uid'])
    .where(holds(['run_uid', 'case_uid'], text))
    .orderBy('run_pk', 'desc')
    .limit(MOST)
    .execute();
  return rows.map(({ run_uid, case_uid }) => ({ kind: 'run', title: run_uid, run_uid, case_uid }));
}

const folded = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Rules of the newest version of each profile that the account sees. */
async function findRules(ctx: ReadContext, account: AccountId, text: string): Promise<Found[]> {
  const wanted = folded(text);
  const names = Map.groupBy(await visibleDocuments(ctx, account), (row) => row.profile_uid);
  const newest = [...names.values()].flatMap(
    (rows) =>
      lineOf(rows, account).rows.toSorted((a, b) => compareVersions(b.version, a.version))[0] ?? [],
  );
  const found: Found[] = [];
  for (const row of newest.slice(0, PROFILES)) {
    const { document } = await loadDocument(ctx, row);
    for (const { name, ruleUid } of document.rules)
      if (folded(name).includes(wanted) || ruleUid.includes(wanted))
        found.push({
          kind: 'rule',
          title: name,
          rule_uid: ruleUid,
          profile_uid: document.profileUid,
          profile_name: document.name,
          profile_version: document.version,
        });
    if (found.length >= MOST) break;
    await yieldToEventLoop();
  }
  return found.slice(0, MOST);
}

/** What has a text in its name, of each kind a few. */
export async function searchAll(
  ctx: ReadContext,
  account: AccountId,
  text: string,
): Promise<Found[]> {
  const projects = listProjects(
    ctx,
    account,
    { limit: MOST, cursor: undefined },
    { search: text, sort: 'changed', order: 'desc' },
  ).then(({ data }) =>
    data.map(({ name, project_id }): Found => ({ kind: 'project', title: name, project_id })),
  );
  const found = await pipelined(
    projects,
    findCases(ctx, account, text),
    findItems(ctx, account, text),
    findRuns(ctx, account, text),
    findRules(ctx, account, text),
  );
  return found.flat();
}
