import type { z } from 'zod';
import type { CallResult, Failure } from '../../../shared/contract/call.ts';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { getSession } from '../../../shared/contract/v1/account.ts';
import { listCases, listContestedMatrices } from '../../../shared/contract/v1/cases.ts';
import { listContestedFields } from '../../../shared/contract/v1/evidence.ts';
import {
  getCaseDocument,
  listProfileCollisions,
} from '../../../shared/contract/v1/profile-documents.ts';
import { getProfile, listProfiles } from '../../../shared/contract/v1/profiles.ts';
import { listContestedProjectFields, listProjects } from '../../../shared/contract/v1/projects.ts';
import { getRun, getRunRecorders, listRuns } from '../../../shared/contract/v1/runs.ts';
import { CallError, type Client } from './client.ts';
import type { Database } from '../store/db.ts';

/** An answer, and whether it is a stored copy because the server could not be asked. */
export interface Kept<T> {
  data: T;
  stale: boolean;
  /** When the copy was made, ms since 1970. */
  at: number;
}

type Entry<E extends Endpoint> = z.output<E['response']> extends { data: (infer T)[] } ? T : never;
export type ProjectEntry = Entry<typeof listProjects>;
export type ContestedEntry = Entry<typeof listContestedMatrices>;
export type CaseEntry = Entry<typeof listCases>;
export type ProfileListEntry = Entry<typeof listProfiles>;
export type RunListEntry = Entry<typeof listRuns>;

export interface Library {
  session(): Promise<Kept<z.output<typeof getSession.response>>>;
  projects(): Promise<Kept<ProjectEntry[]>>;
  cases(projectId?: string): Promise<Kept<CaseEntry[]>>;
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

const MAX_PAGES = 500;
const LIMIT = '200';
/** How long a page waits for the server before it shows the stored copy. Milliseconds. */
const PATIENCE_MS = 8_000;

/**
 * The server's lists and documents, stored for use without it. A refusal by the server is thrown as
 * CallError, since showing a copy would hide it.
 */
export function createLibrary(
  client: Client,
  db: Database,
  now: () => number,
  isOurs: (session: z.output<typeof getSession.response>) => boolean = () => true,
): Library {
  // Types of a generic endpoint's input cannot be computed; what goes in here is strings only.
  const call = client.call as (
    endpoint: Endpoint,
    input: {
      params: Record<string, string>;
      query: Record<string, string | undefined>;
      timeoutMs?: number;
    },
  ) => Promise<CallResult<unknown>>;
  const keyOf = (name: string, parts: readonly (string | undefined)[]): string =>
    [name, ...parts.map((part) => part ?? '')].join('/');

  async function kept<T>(
    key: string,
    schema: z.ZodType<T>,
    fetch: (patience: number | undefined) => Promise<{ kind: 'ok'; body: T } | Failure>,
    mayKeep: (body: T) => boolean = () => true,
  ): Promise<Kept<T>> {
    const row = await db.lists.get(key);
    const copy = row === undefined ? undefined : schema.safeParse(row.data);
    const usable =
      row !== undefined && copy?.success === true
        ? { data: copy.data, stale: true, at: row.at }
        : undefined;
    const result = await fetch(usable === undefined ? undefined : PATIENCE_MS);
    if (result.kind === 'ok') {
      const at = now();
      // The copy is a convenience: a full disk must not hide the server's answer.
      if (mayKeep(result.body))
        await db.lists.put({ key, at, data: result.body }).catch(() => undefined);
      return { data: result.body, stale: false, at };
    }
    const away = result.kind !== 'refused' || result.status >= 500 || result.status === 429;
    if (away && usable !== undefined) return usable;
    throw new CallError(result);
  }

  function list<E extends Endpoint>(
    endpoint: E,
    name: string,
    filter: Record<string, string | undefined>,
  ): Promise<Kept<Entry<E>[]>> {
    const schema = (endpoint.response as unknown as z.ZodObject<{ data: z.ZodType<Entry<E>[]> }>)
      .shape.data;
    const query = Object.fromEntries(
      Object.entries(filter).filter(([, value]) => value !== undefined),
    );
    return kept<Entry<E>[]>(keyOf(name, Object.values(filter)), schema, async (patience) => {
      const all: Entry<E>[] = [];
      let cursor: string | null = null;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const result = await call(endpoint, {
          params: {},
          query: { ...query, limit: LIMIT, ...(cursor === null ? {} : { cursor }) },
          ...(patience === undefined ? {} : { timeoutMs: patience }),
        });
        if (result.kind !== 'ok') return result;
        const body = result.body as { data: Entry<E>[]; next_cursor: string | null };
        all.push(...body.data);
        cursor = body.next_cursor;
        if (cursor === null) break;
      }
      return { kind: 'ok', body: all };
    });
  }

  function one<T>(
    endpoint: Endpoint,
    key: string,
    params: Record<string, string>,
    query: Record<string, string | undefined> = {},
    mayKeep?: (body: T) => boolean,
  ): Promise<Kept<T>> {
    return kept<T>(
      key,
      endpoint.response as z.ZodType<T>,
      (patience) =>
        call(endpoint, {
          params,
          query,
          ...(patience === undefined ? {} : { timeoutMs: patience }),
        }) as Promise<{ kind: 'ok'; body: T } | Failure>,
      mayKeep,
    );
  }

  return {
    session: () => one(getSession, 'session', {}, {}, isOurs),
    projects: () => list(listProjects, 'projects', {}),
    cases: (project_id) => list(listCases, 'cases', { project_id }),
    contested: (project_id) => list(listContestedMatrices, 'contested', { project_id }),
    contestedFields: (caseUid) =>
      one(listContestedFields, keyOf('contested-fields', [caseUid]), { caseUid }),
    contestedProjectFields: (projectId) =>
      one(listContestedProjectFields, keyOf('contested-project-fields', [projectId]), {
        projectId,
      }),
    profiles: () => list(listProfiles, 'profiles', {}),
    profile: (profileUid, version, digest) =>
      one(
        getProfile,
        keyOf(
          'profile',
          digest === undefined ? [profileUid, version] : [profileUid, version, digest],
        ),
        { profileUid },
        { profile_version: version, digest },
      ),
    caseDocument: (caseUid, profileUid, version) =>
      one(
        getCaseDocument,
        keyOf('document', [caseUid, profileUid, version]),
        { caseUid },
        { profile_uid: profileUid, profile_version: version },
      ),
    collisions: () => one(listProfileCollisions, 'collisions', {}),
    runs: ({ case_uid, project_id, profile_uid } = {}) =>
      list(listRuns, 'runs', { case_uid, project_id, profile_uid }),
    run: (runUid) => one(getRun, keyOf('run', [runUid]), { runUid }),
    runRecorders: (runUid, contentHash) =>
      one(
        getRunRecorders,
        keyOf('run-recorders', [runUid, contentHash]),
        { runUid },
        { content_hash: contentHash },
      ),
    async peek<T>(name: 'projects' | 'cases' | 'profiles' | 'runs', key = '') {
      const row = await db.lists.get(
        name === 'projects' || name === 'profiles'
          ? name
          : keyOf(name, name === 'runs' ? [key, '', ''] : [key]),
      );
      return row === undefined ? undefined : { data: row.data as T, stale: true, at: row.at };
    },
  };
}
