import type { CaseUid } from '../../shared/contract/ids.ts';
import { pageAddress, STUDIO_PAGES } from '../../shared/contract/page-addresses.ts';
import { formatProfileAddress, type ProfileAddress } from '../features/cases/profile-address.ts';
import type { Crumb } from '../ui/Page.tsx';
import { t } from '../text/t.ts';
import { useCase, useProject } from './find.ts';

/** The way to a page of a case: its project, and its matrix under this profile. */
export function useCaseCrumbs(caseUid: CaseUid, profile: ProfileAddress | undefined): Crumb[] {
  const entry = useCase(caseUid).data;
  const project = useProject(entry?.project_id).data;
  const matrix = pageAddress('case', { caseUid });
  return [
    { label: t('Projects'), to: STUDIO_PAGES.projects },
    ...(project === undefined
      ? []
      : [{ label: project.name, to: pageAddress('project', { projectId: project.project_id }) }]),
    {
      label: entry?.title ?? caseUid,
      to: profile === undefined ? matrix : `${matrix}?profile=${formatProfileAddress(profile)}`,
    },
  ];
}
