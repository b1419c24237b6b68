import type { z } from 'zod';
import { getSession } from '../../../shared/contract/v1/account.ts';
import { getCase, listCases, listContestedMatrices } from '../../../shared/contract/v1/cases.ts';
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
import type { Client } from './client.ts';
import type { Database } from '../store/db.ts';
import { type ElementOf, keyOf, type Kept, StoredAnswers } from './stored-answers.ts';

export type { Kept } from './stored-answers.ts';

export type ProjectEntry = ElementOf<typeof listProjects>;
export type ContestedEntry = ElementOf<typeof listContestedMatrices>;
export type CaseEntry = ElementOf<typeof listCases>;
export type ProfileListEntry = ElementOf<typeof listProfiles>;
export type RunListEntry = ElementOf<typeof listRuns>;

export interface Library {
  session(): Promise<Kept<z.output<typeof getSession.response>>>;
  projects(): Promise<Kept<ProjectEntry[]>>;
  project(projectId: string): Promise<Kept<ProjectEntry>>;
  cases(projectId?: string): Promise<Kept<CaseEntry[]>>;
  case(caseUid: string): Promise<Kept<CaseEntry>>;
  /** How many cells are contested, by case; those without are left out. */
  contested(projectId?: string): Promise<Kept<ContestedEntry[]>>;
  /** Fields of the case itself that are contested. */
  contestedFields(caseUid: string): Promise<Kept<z.output<typeof listContestedFields.response>>>;
  /** The same of a project. */
  contestedProjectFields(
    projectId: string,
  ): Promise<Kept<z.output<typeof listContestedProjectFields.response>>>;
  profiles(): Promise<Kept<ProfileListEntry[]>>;
  profile(
    profileUid: string,
    version?: string,
    digest?: string,
  ): Promise<Kept<z.output<typeof getProfile.response>>>;
  /** Which document the matrix of a case is of. */
  caseDocument(
    caseUid: string,
    profileUid: string,
    version: string,
  ): Promise<Kept<z.output<typeof getCaseDocument.response>>>;
  /** Profile documents that need a decision. */
  collisions(): Promise<Kept<z.output<typeof listProfileCollisions.response>>>;
  runs(filter?: {
    case_uid?: string;
    project_id?: string;
    profile_uid?: string;
  }): Promise<Kept<RunListEntry[]>>;
  run(runUid: string): Promise<Kept<z.output<typeof getRun.response>>>;
  /** Who recorded each of its outcomes. */
  runRecorders(
    runUid: string,
    contentHash: string,
  ): Promise<Kept<z.output<typeof getRunRecorders.response>>>;
  /**
   * The stored copy alone, at once; undefined where there is none. For showing something while the
   * server is asked.
   */
  peek<T>(
    name: 'projects' | 'cases' | 'profiles' | 'runs',
    key?: string,
  ): Promise<Kept<T> | undefined>;
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
    session: () => answers.one(getSession, 'session', {}, {}, isOurs),
    projects: () => answers.listOrRecords(listProjects, 'projects', {}, 'project/', () => true),
    project: (projectId) =>
      answers.record<ProjectEntry>(
        getProject,
        keyOf('project', [projectId]),
        { projectId },
        'projects',
        ({ project_id }) => project_id === projectId,
      ),
    case: (caseUid) =>
      answers.record<CaseEntry>(
        getCase,
        keyOf('case', [caseUid]),
        { caseUid },
        'cases/',
        ({ case_uid }) => case_uid === caseUid,
      ),
    cases: (project_id) =>
      answers.listOrRecords(
        listCases,
        'cases',
        { project_id },
        'case/',
        (entry) => project_id === undefined || entry.project_id === project_id,
      ),
    contested: (project_id) => answers.list(listContestedMatrices, 'contested', { project_id }),
    contestedFields: (caseUid) =>
      answers.one(listContestedFields, keyOf('contested-fields', [caseUid]), { caseUid }),
    contestedProjectFields: (projectId) =>
      answers.one(listContestedProjectFields, keyOf('contested-project-fields', [projectId]), {
        projectId,
      }),
    profiles: () => answers.list(listProfiles, 'profiles', {}),
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
    runs: ({ case_uid, project_id, profile_uid } = {}) =>
      answers.list(listRuns, 'runs', { case_uid, project_id, profile_uid }),
    run: (runUid) => answers.one(getRun, keyOf('run', [runUid]), { runUid }),
    runRecorders: (runUid, contentHash) =>
      answers.one(
        getRunRecorders,
        keyOf('run-recorders', [runUid, contentHash]),
        { runUid },
        { content_hash: contentHash },
      ),
    async peek<T>(name: 'projects' | 'cases' | 'profiles' | 'runs', key = '') {
      const copy = await answers.copy(
        name === 'projects' || name === 'profiles'
          ? name
          : keyOf(name, name === 'runs' ? [key, '', ''] : [key]),
      );
      return copy as Kept<T> | undefined;
    },
  };
}
