import type { CaseUid, ProfileUid, ProjectId, RunUid } from '../../../shared/contract/ids.ts';
import type { z } from 'zod';
import { getSession } from '../../../shared/contract/v1/account.ts';
import { listActivity } from '../../../shared/contract/v1/activity.ts';
import {
  getCase,
  listCases,
  listContestedMatrices,
  listDeletedCases,
} from '../../../shared/contract/v1/cases.ts';
import { listContestedFields } from '../../../shared/contract/v1/contested.ts';
import {
  getCaseDocument,
  listProfileCollisions,
} from '../../../shared/contract/v1/profile-documents.ts';
import { getProfile, listProfiles } from '../../../shared/contract/v1/profiles.ts';
import {
  getProject,
  listContestedProjectFields,
  listProjects,
} from '../../../shared/contract/v1/projects.ts';
import { getRun, getRunRecorders, listRuns } from '../../../shared/contract/v1/runs.ts';
import { listRatings, type RatedCell } from '../../../shared/contract/v1/ratings.ts';
import { listRounds } from '../../../shared/contract/v1/rounds.ts';
import type { RecordState } from '../../../shared/contract/v1/housekeeping.ts';
import type { CellAgreement } from '../../../shared/domain/round.ts';
import type { Client } from './client.ts';
import type { Database } from '../store/db.ts';
import {
  type CaseList,
  compareBy,
  holds,
  isSame,
  type ListPage,
  type ListPlace,
  type ProfileList,
  type ProjectList,
  type RunList,
} from './list-page.ts';
import { type ElementOf, keyOf, type CachedAnswer, StoredAnswers } from './stored-answers.ts';

export type { CachedAnswer } from './stored-answers.ts';

export type ProjectEntry = ElementOf<typeof listProjects>;
export type ContestedEntry = ElementOf<typeof listContestedMatrices>;
export type CaseEntry = ElementOf<typeof listCases>;
export type DeletedCaseEntry = ElementOf<typeof listDeletedCases>;
export type ProfileListEntry = ElementOf<typeof listProfiles>;
export type RunListEntry = ElementOf<typeof listRuns>;

export interface Library {
  session(): Promise<CachedAnswer<z.output<typeof getSession.response>>>;
  projects(list: ProjectList, place?: ListPlace): Promise<CachedAnswer<ListPage<ProjectEntry>>>;
  project(projectId: ProjectId): Promise<CachedAnswer<ProjectEntry>>;
  cases(list: CaseList, place?: ListPlace): Promise<CachedAnswer<ListPage<CaseEntry>>>;
  /** `patienceMs` here and below: before the stored copy is used. */
  case(caseUid: CaseUid, patienceMs?: number): Promise<CachedAnswer<CaseEntry>>;
  /** With who deleted each, and why. */
  deletedCases(
    projectId: ProjectId | undefined,
    place?: ListPlace,
  ): Promise<CachedAnswer<ListPage<DeletedCaseEntry>>>;
  /** What agents have written since a moment. */
  agentsSince(since: string): Promise<CachedAnswer<z.output<typeof listActivity.response>>>;
  /** How many cells of these cases are contested; those without are left out. */
  contested(caseUids: readonly CaseUid[]): Promise<CachedAnswer<ContestedEntry[]>>;
  /** Fields of the case itself that are contested. */
  contestedFields(
    caseUid: CaseUid,
  ): Promise<CachedAnswer<z.output<typeof listContestedFields.response>>>;
  /** The same of a project. */
  contestedProjectFields(
    projectId: ProjectId,
  ): Promise<CachedAnswer<z.output<typeof listContestedProjectFields.response>>>;
  /** Newest versions, one entry a profile. */
  profiles(list: ProfileList, place?: ListPlace): Promise<CachedAnswer<ListPage<ProfileListEntry>>>;
  /** Every version of one profile, or of all. */
  profileVersions(profileUid?: ProfileUid): Promise<CachedAnswer<ProfileListEntry[]>>;
  profile(
    profileUid: ProfileUid,
    version?: string,
    digest?: string,
  ): Promise<CachedAnswer<z.output<typeof getProfile.response>>>;
  /** Which document the matrix of a case is of. */
  caseDocument(
    caseUid: CaseUid,
    profileUid: ProfileUid,
    version: string,
  ): Promise<CachedAnswer<z.output<typeof getCaseDocument.response>>>;
  /** Profile documents that need a decision. */
  collisions(): Promise<CachedAnswer<z.output<typeof listProfileCollisions.response>>>;
  runs(list: RunList, place?: ListPlace): Promise<CachedAnswer<ListPage<RunListEntry>>>;
  /** Every run of one case, newest first. */
  runsOfCase(caseUid: CaseUid): Promise<CachedAnswer<RunListEntry[]>>;
  run(runUid: RunUid): Promise<CachedAnswer<z.output<typeof getRun.response>>>;
  /** Who recorded each of its outcomes. */
  runRecorders(
    runUid: RunUid,
    contentHash: string,
  ): Promise<CachedAnswer<z.output<typeof getRunRecorders.response>>>;
  /** The rounds of independent recording of a case. */
  rounds(
    caseUid: CaseUid,
    patienceMs?: number,
  ): Promise<CachedAnswer<z.output<typeof listRounds.response>>>;
  /** All cells of a released round in which its recorders stand so. */
  ratings(
    caseUid: CaseUid,
    roundId: string,
    agreement: CellAgreement,
  ): Promise<CachedAnswer<RatedCells>>;
}

export interface RatedCells {
  recorders: z.output<typeof listRatings.response>['recorders'];
  cells: RatedCell[];
}

/** Kinds of records that lists are made of. */
const [PROJECT, CASE, PROFILE, RUN] = ['project', 'case', 'profile-entry', 'run-entry'] as const;
const [DELETED_PROJECT, DELETED_CASE, HIDDEN_RUN] = [
  'deleted-project',
  'deleted-case',
  'hidden-run',
] as const;

const isArchived = (state: RecordState | undefined): true | undefined =>
  state === 'archived' ? true : undefined;

/** A request's target has 8 KiB with its headers. */
const MAX_TARGET = 3_000;

/** Identifiers joined by commas, as many in a text as fit into a request. */
function inRequests(uids: readonly string[]): string[] {
  const texts: string[] = [];
  for (const uid of uids) {
    const last = texts.at(-1);
    const joined = last === undefined ? uid : `${last},${uid}`;
    if (last !== undefined && encodeURIComponent(joined).length <= MAX_TARGET)
      texts[texts.length - 1] = joined;
    else texts.push(uid);
  }
  return texts;
}

/** What is listed page by page, and offline from the records stored of it. */
function pagedLists(answers: StoredAnswers): Pick<Library, 'projects' | 'cases'> {
  return {
    projects: (list, place = {}) =>
      answers.page(listProjects, { ...list }, place, {
        kind: list.state === 'deleted' ? DELETED_PROJECT : PROJECT,
        keyOf: ({ project_id }) =>
          keyOf(list.state === 'deleted' ? DELETED_PROJECT : PROJECT, [project_id]),
        isMeant: ({ name, archived }) =>
          holds([name], list.search) &&
          (list.state === 'deleted' || archived === isArchived(list.state)),
        compare: compareBy(
          list.order,
          ...(list.sort === 'name' ? [({ name }: ProjectEntry) => name] : []),
          list.sort === 'changed' ? ({ updated_at }) => updated_at : ({ created_at }) => created_at,
        ),
      }),
    cases: (list, place = {}) =>
      answers.page(listCases, { ...list, progress: 'true' }, place, {
        kind: CASE,
        keyOf: ({ case_uid }) => keyOf(CASE, [case_uid]),
        isMeant: ({ title, case_uid, project_id, profile_uid, profile_version, archived }) =>
          archived === isArchived(list.state) &&
          holds([title, case_uid], list.search) &&
          isSame(project_id, list.project_id) &&
          isSame(profile_uid, list.profile_uid) &&
          isSame(profile_version, list.profile_version),
        compare: compareBy(
          list.order,
          ...(list.sort === 'title' ? [({ title }: CaseEntry) => title] : []),
          list.sort === 'created'
            ? ({ created_at }) => created_at
            : ({ last_change, updated_at }) =>
                list.sort === 'active' ? (last_change?.at ?? updated_at) : updated_at,
        ),
      }),
  };
}

/** The same of profiles, runs and deleted cases. */
function otherLists(answers: StoredAnswers): Pick<Library, 'profiles' | 'runs' | 'deletedCases'> {
  return {
    profiles: (list, place = {}) =>
      answers.page(listProfiles, { ...list, versions: 'newest' }, place, {
        kind: PROFILE,
        keyOf: ({ profileUid }) => keyOf(PROFILE, [profileUid]),
        isMeant: ({ name, profileUid, description, domain, access, retired }) =>
          holds([name, profileUid, description], list.search) &&
          (list.state === undefined || (retired === true) === (list.state === 'retired')) &&
          isSame(domain, list.domain) &&
          isSame(access, list.access),
        compare: compareBy(
          list.order,
          ({ name }) => name,
          ({ profileUid }) => profileUid,
        ),
      }),
    runs: (list, place = {}) =>
      answers.page(listRuns, { ...list }, place, {
        kind: list.state === 'hidden' ? HIDDEN_RUN : RUN,
        keyOf: ({ run_uid, content_hash }) =>
          keyOf(list.state === 'hidden' ? HIDDEN_RUN : RUN, [run_uid, content_hash]),
        isMeant: ({ case_uid, project_id, profile_uid }) =>
          isSame(case_uid, list.case_uid) &&
          isSame(project_id, list.project_id) &&
          isSame(profile_uid, list.profile_uid),
        compare: compareBy(list.order, ({ created_at }) => created_at),
      }),
    deletedCases: (project_id, place = {}) =>
      answers.page(listDeletedCases, { project_id }, place, {
        kind: DELETED_CASE,
        keyOf: ({ case_uid }) => keyOf(DELETED_CASE, [case_uid]),
        isMeant: (entry) => isSame(entry.project_id, project_id),
        compare: compareBy('asc', ({ created_at }) => created_at),
      }),
  };
}

/** The server's lists and documents, stored for use without it. */
export function createLibrary(
  client: Client,
  db: Database,
  now: () => number,
  isOurs: (session: z.output<typeof getSession.response>) => boolean = () => true,
): Library {
  const answers = new StoredAnswers(client, db, now);
  return {
    ...pagedLists(answers),
    ...otherLists(answers),
    session: () => answers.one(getSession, 'session', {}, {}, { mayKeep: isOurs }),
    project: (projectId) =>
      answers.record<ProjectEntry>(getProject, PROJECT, keyOf(PROJECT, [projectId]), { projectId }),
    case: (caseUid, patienceMs) =>
      answers.record<CaseEntry>(getCase, CASE, keyOf(CASE, [caseUid]), { caseUid }, patienceMs),
    agentsSince: (since) => answers.one(listActivity, 'activity', {}, { since, kind: 'agent' }),
    contested: (caseUids) =>
      answers.unstored(
        listContestedMatrices,
        inRequests(caseUids).map((case_uid) => ({ case_uid })),
      ),
    contestedFields: (caseUid) =>
      answers.one(listContestedFields, keyOf('contested-fields', [caseUid]), { caseUid }),
    contestedProjectFields: (projectId) =>
      answers.one(listContestedProjectFields, keyOf('contested-project-fields', [projectId]), {
        projectId,
      }),
    profileVersions: (profileUid) =>
      answers.list(listProfiles, 'profile-versions', { profile_uid: profileUid }),
    profile: (profileUid, version, digest) =>
      answers.one(
        getProfile,
        keyOf(
          'profile',
          digest === undefined ? [profileUid, version] : [profileUid, version, digest],
        ),
        { profileUid },
        { profile_version: version, digest },
      ),
    caseDocument: (caseUid, profileUid, version) =>
      answers.one(
        getCaseDocument,
        keyOf('document', [caseUid, profileUid, version]),
        { caseUid },
        { profile_uid: profileUid, profile_version: version },
      ),
    collisions: () => answers.one(listProfileCollisions, 'collisions', {}),
    runsOfCase: (case_uid) => answers.list(listRuns, 'runs-of-case', { case_uid }),
    run: (runUid) => answers.one(getRun, keyOf('run', [runUid]), { runUid }),
    runRecorders: (runUid, contentHash) =>
      answers.one(
        getRunRecorders,
        keyOf('run-recorders', [runUid, contentHash]),
        { runUid },
        { content_hash: contentHash },
      ),
    rounds: (caseUid, patienceMs) => roundsOfCase(answers, caseUid, patienceMs),
    ratings: (caseUid, roundId, agreement) => allRatings(answers, { caseUid, roundId }, agreement),
  };
}

const roundsOfCase = (
  answers: StoredAnswers,
  caseUid: CaseUid,
  patienceMs: number | undefined,
): ReturnType<Library['rounds']> =>
  answers.one(listRounds, keyOf('rounds', [caseUid]), { caseUid }, {}, { patienceMs });

/** Page by page, each kept for when the server is away. */
async function allRatings(
  answers: StoredAnswers,
  params: { caseUid: CaseUid; roundId: string },
  agreement: CellAgreement,
): Promise<CachedAnswer<RatedCells>> {
  type Answer = z.output<typeof listRatings.response>;
  const cells: RatedCell[] = [];
  let cursor: string | undefined;
  for (;;) {
    const { data: page, ...rest }: CachedAnswer<Answer> = await answers.one<Answer>(
      listRatings,
      keyOf('ratings', [params.caseUid, params.roundId, agreement, cursor]),
      params,
      { agreement, cursor, limit: '2000' },
    );
    cells.push(...page.data);
    if (page.next_cursor === null) return { data: { recorders: page.recorders, cells }, ...rest };
    cursor = page.next_cursor;
  }
}
