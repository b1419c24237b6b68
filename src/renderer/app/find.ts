import type { CaseUid, ProjectId } from '../../shared/contract/ids.ts';
import type { ContestedField } from '../../shared/contract/v1/contested.ts';
import type { ContestedProjectField } from '../../shared/contract/v1/projects.ts';
import type {
  CaseEntry,
  ContestedEntry,
  CachedAnswer,
  DeletedCaseEntry,
  ProjectEntry,
} from '../data/api/library.ts';
import type { CaseDocument } from '../../shared/contract/v1/profile-documents.ts';
import type { ProfileAddress } from '../features/cases/profile-address.ts';
import { describeFailure, MissingError } from '../state/failure.ts';
import type { CaseList, ProjectList } from '../data/api/list-page.ts';
import { mapQuery, useQuery, type Query } from '../state/query.ts';
import { type List, useList } from '../state/use-list.ts';
import { t } from '../text/t.ts';

const NO_PROJECT = { data: undefined, stale: false, at: 0 };
const NONE = { data: [], stale: false, at: 0 };

/** Where the server knows no such record, that is said in words for the person at the screen. */
async function orMissing<T>(
  answer: Promise<CachedAnswer<T>>,
  words: string,
): Promise<CachedAnswer<T>> {
  try {
    return await answer;
  } catch (error) {
    throw describeFailure(error).kind === 'missing' ? new MissingError(words) : error;
  }
}

/** Where the answers about a case are kept. */
export const caseKey = (caseUid: CaseUid): string => `case/${caseUid}`;

export function useCase(caseUid: CaseUid): Query<CaseEntry> {
  return useQuery(caseKey(caseUid), (library) =>
    orMissing(library.case(caseUid), t('There is no case with this ID in this account.')),
  );
}

export function useProject(projectId: ProjectId | undefined): Query<ProjectEntry | undefined> {
  return useQuery(`project/${projectId ?? ''}`, async (library) =>
    projectId === undefined
      ? NO_PROJECT
      : orMissing(
          library.project(projectId),
          t('There is no project with this ID in this account.'),
        ),
  );
}

export function useProjects(list: ProjectList): List<ProjectEntry> {
  return useList('projects', JSON.stringify(list), (library, place) =>
    library.projects(list, place),
  );
}

export function useCases(list: CaseList): List<CaseEntry> {
  return useList(`cases/${list.project_id ?? ''}`, JSON.stringify(list), (library, place) =>
    library.cases(list, place),
  );
}

export function useDeletedCases(projectId: ProjectId | undefined): List<DeletedCaseEntry> {
  return useList(`deleted/cases/${projectId ?? ''}`, '', (library, place) =>
    library.deletedCases(projectId, place),
  );
}

export function useContestedFields(caseUid: CaseUid): Query<ContestedField[]> {
  return mapQuery(
    useQuery(`case-fields/${caseUid}`, (library) => library.contestedFields(caseUid)),
    ({ fields }) => fields,
  );
}

/** Which document the matrix of a case under this version is of. */
export function useCaseDocument(
  caseUid: CaseUid,
  { uid, version }: ProfileAddress,
): Query<CaseDocument> {
  return useQuery(`case-document/${caseUid}/${uid}@${version}`, (library) =>
    library.caseDocument(caseUid, uid, version),
  );
}

export function useContestedProjectFields(projectId: ProjectId): Query<ContestedProjectField[]> {
  return mapQuery(
    useQuery(`project-fields/${projectId}`, (library) => library.contestedProjectFields(projectId)),
    ({ fields }) => fields,
  );
}

/** Contested cells of the cases of a page. */
export function useContested(cases: readonly CaseEntry[]): Query<ContestedEntry[]> {
  const uids = cases.map(({ case_uid }) => case_uid);
  return useQuery(`contested/${uids.join(',')}`, async (library) =>
    uids.length === 0 ? NONE : library.contested(uids),
  );
}
