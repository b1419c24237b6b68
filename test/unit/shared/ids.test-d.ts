// What the compiler says of ids: checked by `tsc -b`, and nothing here runs.

import type { z } from 'zod';
import type { StoreTables } from '../../../src/server/storage/db/schema/schema.ts';
import type { Reader } from '../../../src/server/storage/repositories.ts';
import type {
  AccountId,
  CaseUid,
  KeyId,
  ProfileUid,
  ProjectId,
  RunUid,
  StreamName,
  UserId,
} from '../../../src/shared/contract/ids.ts';
import type { getCase, listCases } from '../../../src/shared/contract/v1/cases.ts';
import type { EvidenceInput } from '../../../src/shared/contract/v1/evidence.ts';
import type { getProfile } from '../../../src/shared/contract/v1/profiles.ts';
import type { getProject } from '../../../src/shared/contract/v1/projects.ts';
import type { Author, Change } from '../../../src/sync/change.ts';
import type { getRun } from '../../../src/shared/contract/v1/runs.ts';

interface Ids {
  text: string;
  account: AccountId;
  case: CaseUid;
  key: KeyId;
  profile: ProfileUid;
  project: ProjectId;
  run: RunUid;
  stream: StreamName;
  user: UserId;
}
/** What may be given where `Wanted` is meant. */
type Fitting<Wanted> = { [K in keyof Ids]: Ids[K] extends Wanted ? K : never }[keyof Ids];
type IsSame<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Given<E extends { params: z.ZodType }> = z.output<E['params']>;

/** Refused: a plain text, and the id of every other kind, by storage and in its tables. */
export const refused: [
  IsSame<Fitting<Parameters<Reader['cases']['get']>[0]>, 'account'>,
  IsSame<Fitting<Parameters<Reader['cases']['get']>[1]>, 'case'>,
  IsSame<Fitting<Parameters<Reader['projects']['get']>[1]>, 'project'>,
  IsSame<Fitting<Parameters<Reader['runs']['get']>[1]>, 'run'>,
  IsSame<Fitting<Parameters<Reader['profiles']['get']>[1]>, 'profile'>,
  IsSame<Fitting<StoreTables['accounts']['account_id']>, 'account'>,
  IsSame<Fitting<StoreTables['cases']['case_uid']>, 'case'>,
  IsSame<Fitting<StoreTables['cases']['project_id']>, 'project'>,
  IsSame<Fitting<StoreTables['runs']['run_uid']>, 'run'>,
  IsSame<Fitting<StoreTables['runs']['profile_uid']>, 'profile'>,
  IsSame<Fitting<StoreTables['api_keys']['key_id']>, 'key'>,
  IsSame<Fitting<Parameters<Reader['team']['person']>[0]>, 'user'>,
  IsSame<Fitting<StoreTables['users']['user_id']>, 'user'>,
  IsSame<Fitting<StoreTables['changes']['actor']>, 'user'>,
  IsSame<Fitting<Author['user']>, 'user'>,
] = [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true];

/** A log's name: the name of a case's log is its uid. */
export const namesOfLogs: [
  IsSame<Fitting<Parameters<Reader['log']['position']>[1]>, 'case' | 'stream'>,
  IsSame<Fitting<StoreTables['streams']['name']>, 'case' | 'stream'>,
  IsSame<Fitting<Change['case']>, 'case' | 'stream'>,
] = [true, true, true];

/** Given by the contract's parse of params, query, body and answer. */
export const parsed: [
  IsSame<Given<typeof getCase>['caseUid'], CaseUid>,
  IsSame<Given<typeof getProject>['projectId'], ProjectId>,
  IsSame<Given<typeof getRun>['runUid'], RunUid>,
  IsSame<Given<typeof getProfile>['profileUid'], ProfileUid>,
  IsSame<z.output<(typeof listCases)['query']>['project_id'], ProjectId | undefined>,
  IsSame<z.output<typeof EvidenceInput>['profile_uid'], ProfileUid>,
  IsSame<z.output<(typeof getCase)['response']>['case_uid'], CaseUid>,
  IsSame<z.output<(typeof getRun)['response']>['run_uid'], RunUid>,
] = [true, true, true, true, true, true, true, true];

/** As such a call reads. */
export function calls(
  { cases, projects, runs, profiles }: Reader,
  { text, account, case: uid, project, run, profile }: Ids,
): unknown {
  return [
    cases.get(account, uid),
    // @ts-expect-error a plain text
    cases.get(account, text),
    // @ts-expect-error a project
    cases.get(account, project),
    // @ts-expect-error the case before its account
    cases.get(uid, account),
    projects.get(account, project),
    // @ts-expect-error a plain text
    projects.get(account, text),
    // @ts-expect-error a case
    projects.get(account, uid),
    runs.get(account, run),
    // @ts-expect-error a plain text
    runs.get(account, text),
    // @ts-expect-error a profile
    runs.get(account, profile),
    profiles.get(account, profile, undefined),
    // @ts-expect-error a plain text
    profiles.get(account, text, undefined),
    // @ts-expect-error a run
    profiles.get(account, run, undefined),
  ];
}
