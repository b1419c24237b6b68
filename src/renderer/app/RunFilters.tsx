import type { CaseUid, ProjectId } from '../../shared/contract/ids.ts';
import { useState } from 'react';
import type { CaseEntry, ProjectEntry } from '../data/api/library.ts';
import type { ListPage } from '../data/api/list-page.ts';
import type { Query } from '../state/query.ts';
import { useQuery } from '../state/query.ts';
import { useDebounced } from '../state/use-debounced.ts';
import { type SearchOption, SearchSelect } from '../ui/SearchSelect.tsx';
import { useProject } from './find.ts';
import { t } from '../text/t.ts';

/** As many as a list beneath a field shows. */
const SHOWN = 20;
const CLOSED = { data: { entries: [], next: null }, stale: false, at: 0 };

const projectOption = ({ project_id, name }: ProjectEntry): SearchOption => ({
  value: project_id,
  label: name,
});
const caseOption = ({ case_uid, title }: CaseEntry): SearchOption => ({
  value: case_uid,
  label: title,
  detail: case_uid,
});

/** What a search field asks for: nothing before it is opened. */
function useSearch() {
  const [search, setSearch] = useState('');
  const [isOpen, setOpen] = useState(false);
  const wanted = search.trim();
  const settled = useDebounced(wanted);
  const asked = wanted === '' ? '' : settled;
  return { search, setSearch, isOpen, setOpen, asked, isSettled: isOpen && asked === wanted };
}

const foundBy = <T,>(
  isSettled: boolean,
  query: Query<ListPage<T>>,
  toOption: (entry: T) => SearchOption,
) => ({
  // What was found for a text before is not chosen from for this one.
  found: isSettled ? query.data?.entries.map(toOption) : undefined,
  hasMore: isSettled && (query.data?.next ?? null) !== null,
  failure: query.failure?.title,
});

interface FilterProps<Id> {
  value: Id | undefined;
  onValue: (value: string | null) => void;
}

export function ProjectFilter({ value, onValue }: FilterProps<ProjectId>) {
  const { search, setSearch, isOpen, setOpen, asked, isSettled } = useSearch();
  const chosen = useProject(value).data;
  const query = useQuery<ListPage<ProjectEntry>>(
    `projects/search/${isOpen ? `open/${asked}` : ''}`,
    async (library) =>
      isOpen
        ? library.projects(
            { sort: 'name', order: 'asc', ...(asked === '' ? {} : { search: asked }) },
            { limit: SHOWN },
          )
        : CLOSED,
  );
  return (
    <SearchSelect
      label={t('Project')}
      all={t('All projects')}
      value={
        value === undefined
          ? null
          : chosen === undefined
            ? { value, label: value }
            : projectOption(chosen)
      }
      onValue={onValue}
      {...foundBy(isSettled, query, projectOption)}
      search={search}
      onSearch={setSearch}
      onOpen={setOpen}
    />
  );
}

export function CaseFilter({
  project,
  value,
  onValue,
}: FilterProps<CaseUid> & { project: ProjectId | undefined }) {
  const { search, setSearch, isOpen, setOpen, asked, isSettled } = useSearch();
  const chosen = useQuery<CaseEntry | undefined>(`case/${value ?? ''}`, async (library) =>
    value === undefined ? { data: undefined, stale: false, at: 0 } : library.case(value),
  ).data;
  const query = useQuery<ListPage<CaseEntry>>(
    `cases/search/${isOpen ? `open/${project ?? ''}/${asked}` : ''}`,
    async (library) =>
      isOpen
        ? library.cases(
            {
              sort: 'changed',
              order: 'desc',
              ...(project === undefined ? {} : { project_id: project }),
              ...(asked === '' ? {} : { search: asked }),
            },
            { limit: SHOWN },
          )
        : CLOSED,
  );
  return (
    <SearchSelect
      label={t('Case')}
      all={t('All cases')}
      value={
        value === undefined
          ? null
          : chosen === undefined
            ? { value, label: value }
            : caseOption(chosen)
      }
      onValue={onValue}
      {...foundBy(isSettled, query, caseOption)}
      search={search}
      onSearch={setSearch}
      onOpen={setOpen}
    />
  );
}
