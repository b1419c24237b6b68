import { FileUp, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { ProjectDomain } from '../../../shared/contract/v1/projects.ts';
import { createProfile, type ProfileSort } from '../../../shared/contract/v1/profiles.ts';
import { domainName } from '../../state/format.ts';
import { useDebounced } from '../../state/use-debounced.ts';
import { useMay } from '../../state/use-may.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Button } from '../../ui/Button.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Page } from '../../ui/Page.tsx';
import { ListPager } from '../../ui/Pager.tsx';
import { SearchField } from '../../ui/SearchField.tsx';
import { Select } from '../../ui/Select.tsx';
import { SortHeading, type Sorting } from '../../ui/SortHeading.tsx';
import { Table } from '../../ui/Table.tsx';
import { Collisions } from './Collisions.tsx';
import { Drafts } from './Drafts.tsx';
import { newDraft } from './editor/draft.ts';
import { useStartDraft } from './editor/use-drafts.ts';
import { ImportDialog } from './transfer/ImportDialog.tsx';
import type { ProfileListEntry } from '../../data/api/library.ts';
import { ACCESS_NAMES, documentNote, profilePath, useProfileList } from './versions.ts';
import { t } from '../../text/t.ts';

const ALL = 'all';
const DOMAINS = ProjectDomain.options;
const STATE_OPTIONS = [
  { value: 'active', label: t('Active') },
  { value: 'retired', label: t('Retired') },
] as const;
type AccessFilter = ProfileListEntry['access'] | typeof ALL;
const ACCESS_OPTIONS: readonly { value: AccessFilter; label: string }[] = [
  { value: ALL, label: t('Any') },
  ...(['public', 'community', 'private'] as const).map((value) => ({
    value,
    label: ACCESS_NAMES[value],
  })),
];

/** What else can be done with a profile, from where features meet. */
type More = (entry: ProfileListEntry) => ReactNode;

export function ProfilesPage({ more }: { more: More }) {
  const start = useStartDraft();
  const [importing, setImporting] = useState(false);
  const actions = useMay(createProfile) && (
    <>
      <Button icon={<FileUp size={15} aria-hidden="true" />} onClick={() => setImporting(true)}>
        {t('Import…')}
      </Button>
      <Button
        variant="primary"
        icon={<Plus size={15} aria-hidden="true" />}
        onClick={() => start(newDraft)}
      >
        {t('New profile')}
      </Button>
    </>
  );
  return (
    <Page title={t('Evidence profiles')} actions={actions}>
      <p className="page-intro muted">
        {t(
          'A profile is a published set of failure checks under the standard SGA-QEM-1.0. Each rule says what it means when evidence is present, when a problem is found, and when the evidence is not available.',
        )}
      </p>
      <Drafts />
      <Collisions />
      <Browser more={more} />
      {importing && <ImportDialog onClose={() => setImporting(false)} />}
    </Page>
  );
}

function Browser({ more }: { more: More }) {
  const [domain, setDomain] = useState<string>(ALL);
  const [access, setAccess] = useState<AccessFilter>(ALL);
  const [search, setSearch] = useState('');
  const [state, setState] = useState<'active' | 'retired'>('active');
  const [sorting, setSorting] = useState<Sorting<ProfileSort>>({ sort: 'name', order: 'asc' });
  const asked = useDebounced(search.trim());
  const profiles = useProfileList({
    ...sorting,
    ...(domain === ALL ? {} : { domain }),
    ...(access === ALL ? {} : { access }),
    ...(asked === '' ? {} : { search: asked }),
    state,
  });
  // A profile may have a domain of its own.
  const domains = [
    ...new Set([
      ...DOMAINS,
      ...(profiles.data ?? []).map((entry) => entry.domain),
      ...(domain === ALL ? [] : [domain]),
    ]),
  ].sort();
  const clear = () => {
    setDomain(ALL);
    setAccess(ALL);
    setSearch('');
    setState('active');
  };
  return (
    <>
      <div className="toolbar" role="group" aria-label={t('Filter profiles')}>
        <SearchField label={t('Search profiles')} value={search} onValue={setSearch} />
        <Select
          inline
          label={t('Domain')}
          value={domain}
          onValue={setDomain}
          options={[
            { value: ALL, label: t('Any') },
            ...domains.map((value) => ({ value, label: domainName(value) })),
          ]}
        />
        <Select
          inline
          label={t('Access')}
          value={access}
          onValue={setAccess}
          options={ACCESS_OPTIONS}
        />
        <Select inline label={t('Show')} value={state} onValue={setState} options={STATE_OPTIONS} />
      </div>
      <Loaded query={profiles} what={t('profiles')} lines={6}>
        {(entries) =>
          entries.length === 0 ? (
            <EmptyState
              title={t('No profile matches')}
              actions={<Button onClick={clear}>{t('Clear the filters')}</Button>}
            />
          ) : (
            <>
              <ProfilesTable profiles={entries} sorting={sorting} onSort={setSorting} more={more} />
              <ListPager list={profiles} what={t('profiles')} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

/** Older versions, and whether this one is of several documents. */
const moreWords = (entry: ProfileListEntry): string =>
  [
    ...((entry.older_versions ?? 0) > 0
      ? [t('+{versions} older', { versions: entry.older_versions ?? 0 })]
      : []),
    ...[documentNote(entry)].filter((note) => note !== undefined),
  ].join(', ');

function ProfilesTable({
  profiles,
  sorting,
  onSort,
  more,
}: {
  profiles: readonly ProfileListEntry[];
  sorting: Sorting<ProfileSort>;
  onSort: (sorting: Sorting<ProfileSort>) => void;
  more: More;
}) {
  return (
    <Table
      caption={t('Evidence profiles')}
      head={
        <tr>
          <SortHeading by="name" label={t('Profile')} sorting={sorting} onSort={onSort} />
          <th scope="col">{t('Version')}</th>
          <th scope="col" className="n">
            {t('Rules')}
          </th>
          <th scope="col">{t('Domain')}</th>
          <th scope="col">{t('Access')}</th>
          <th scope="col">{t('Maintainer')}</th>
          <th scope="col">
            <span className="visually-hidden">{t('Actions')}</span>
          </th>
        </tr>
      }
    >
      {profiles.map((entry) => (
        <tr key={entry.profileUid}>
          <th scope="row">
            <Link to={profilePath(entry.profileUid)}>{entry.name}</Link>
            <span className="row-note">{entry.description}</span>
          </th>
          <td className="nowrap num">
            {entry.version}
            {moreWords(entry) !== '' && <span className="muted"> {moreWords(entry)}</span>}
          </td>
          <td className="n">{entry.rule_count}</td>
          <td className="nowrap">{domainName(entry.domain)}</td>
          <td>{ACCESS_NAMES[entry.access]}</td>
          <td>{entry.maintainer}</td>
          <td className="n">{more(entry)}</td>
        </tr>
      ))}
    </Table>
  );
}
