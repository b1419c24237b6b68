import type { ContestedField } from '../../shared/contract/v1/evidence.ts';
import type { ContestedProjectField } from '../../shared/contract/v1/projects.ts';
import type { CaseEntry, ContestedEntry, ProjectEntry } from '../data/api/library.ts';
import type { CaseDocument } from '../../shared/contract/v1/profile-documents.ts';
import type { ProfileAddress } from '../features/cases/profile-address.ts';
import { MissingError } from '../state/failure.ts';
import { mapQuery, useQuery, type Query } from '../state/query.ts';

/** The API has no operation for one case or one project; both are found in their lists. */
export function useCase(caseUid: string): Query<CaseEntry> {
  return useQuery(`case/${caseUid}`, async (library) => {
    const { data, ...kept } = await library.cases();
    const found = data.find((entry) => entry.case_uid === caseUid);
    if (found === undefined)
      throw new MissingError('There is no case with this ID in this account.');
    return { data: found, ...kept };
  });
}

export function useProjects(): Query<ProjectEntry[]> {
  return useQuery('projects', (library) => library.projects());
}

export function useCases(projectId: string | undefined): Query<CaseEntry[]> {
  return useQuery(`cases/${projectId ?? ''}`, (library) => library.cases(projectId));
}

export function useContestedFields(caseUid: string): Query<ContestedField[]> {
  return mapQuery(
    useQuery(`case-fields/${caseUid}`, (library) => library.contestedFields(caseUid)),
    ({ fields }) => fields,
  );
}

/** Which document the matrix of a case under this version is of. */
export function useCaseDocument(
  caseUid: string,
  { uid, version }: ProfileAddress,
): Query<CaseDocument> {
  return useQuery(`case-document/${caseUid}/${uid}@${version}`, (library) =>
    library.caseDocument(caseUid, uid, version),
  );
}

export function useContestedProjectFields(projectId: string): Query<ContestedProjectField[]> {
  return mapQuery(
    useQuery(`project-fields/${projectId}`, (library) => library.contestedProjectFields(projectId)),
    ({ fields }) => fields,
  );
}

export function useContested(projectId: string): Query<ContestedEntry[]> {
  return useQuery(`contested/${projectId}`, (library) => library.contested(projectId));
}
