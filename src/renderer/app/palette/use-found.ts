import { useMemo } from 'react';
import { useNavigate } from 'react-router';
import { pageAddress } from '../../../shared/contract/page-addresses.ts';
import { type Found, search } from '../../../shared/contract/v1/search.ts';
import { casePath } from '../../features/cases/CasesTable.tsx';
import { profilePath } from '../../features/profiles/versions.ts';
import { runPath } from '../../features/runs/RunsTable.tsx';
import type { Command } from '../../state/commands.ts';
import { useQuery } from '../../state/query.ts';
import { useServices } from '../../state/services.tsx';
import { useDebounced } from '../../state/use-debounced.ts';
import { FOUND, type Search, stillFitting } from './found.ts';
import { t } from '../../text/t.ts';

const NONE: readonly Found[] = [];

const GROUPS: readonly (readonly [Found['kind'], string])[] = [
  ['project', t('Projects')],
  ['case', t('Cases')],
  ['item', t('Items of other cases')],
  ['run', t('Runs')],
  ['rule', t('Rules of profiles')],
];

/** Where something that was found leads, and what tells it from others. */
function linkTo(found: Found): { id: string; to: string; detail?: string } {
  switch (found.kind) {
    case 'project':
      return {
        id: found.project_id,
        to: pageAddress('project', { projectId: found.project_id }),
      };
    case 'case':
      return { id: found.case_uid, to: casePath(found.case_uid), detail: found.case_uid };
    case 'item':
      return {
        id: `${found.case_uid}/${found.item_uid}`,
        to: casePath(found.case_uid),
        detail: t('{itemUid} in {title}', { itemUid: found.item_uid, title: found.case_title }),
      };
    case 'run':
      return {
        id: found.run_uid,
        to: runPath(found.run_uid),
        detail: t('of {caseUid}', { caseUid: found.case_uid }),
      };
    case 'rule':
      return {
        id: `${found.profile_uid}/${found.rule_uid}`,
        to: `${profilePath(found.profile_uid, found.profile_version)}#${found.rule_uid}`,
        detail: `${found.profile_name} ${found.profile_version}`,
      };
  }
}

/** What the server finds for a text, once it has stayed the same for a moment. */
export function useFound(typed: string): Search {
  const { call } = useServices();
  const navigate = useNavigate();
  const wanted = typed.trim();
  const text = useDebounced(wanted);
  const { data = NONE, loading } = useQuery<readonly Found[]>(`search/${text}`, async () => ({
    data: text === '' ? NONE : (await call(search, { query: { q: text.slice(0, 200) } })).data,
    stale: false,
    at: 0,
  }));
  const sections = useMemo(
    () =>
      GROUPS.map(([kind, value]) => ({
        value,
        items: data
          .filter((found) => found.kind === kind)
          .map((found): Command => {
            const { id, to, detail } = linkTo(found);
            return {
              id: `${FOUND}${kind}.${id}`,
              label: found.title,
              group: value,
              keys: '',
              ...(detail !== undefined && { detail }),
              enabled: true,
              run: () => void navigate(to),
            };
          }),
      })).filter(({ items }) => items.length > 0),
    [data, navigate],
  );
  return useMemo(
    () =>
      wanted === text
        ? { sections, isUnderWay: loading && text !== '' }
        : { sections: stillFitting(sections, wanted), isUnderWay: wanted !== '' },
    [sections, wanted, text, loading],
  );
}
