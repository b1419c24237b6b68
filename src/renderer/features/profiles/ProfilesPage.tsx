import { FileUp, Plus } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { createProfile } from '../../../shared/contract/v1/profiles.ts';
import { domainName, plural } from '../../state/format.ts';
import { useMay } from '../../state/use-may.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Button } from '../../ui/Button.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Page } from '../../ui/Page.tsx';
import { Select } from '../../ui/Select.tsx';
import { Table } from '../../ui/Table.tsx';
import { Collisions } from './Collisions.tsx';
import { Drafts } from './Drafts.tsx';
import { newDraft } from './editor/draft.ts';
import { useStartDraft } from './editor/use-drafts.ts';
import { ImportDialog } from './transfer/ImportDialog.tsx';
import {
  ACCESS_NAMES,
  profilePath,
  useProfiles,
  type Entry,
  type VersionedProfile,
} from './versions.ts';

const ALL = 'all';
type AccessFilter = Entry['access'] | typeof ALL;
const ACCESS_OPTIONS: readonly { value: AccessFilter; label: string }[] = [
  { value: ALL, label: 'Any' },
  ...(['public', 'community', 'private'] as const).map((value) => ({
    value,
    label: ACCESS_NAMES[value],
  })),
];

export function ProfilesPage() {
  const profiles = useProfiles();
  const start = useStartDraft();
  const [importing, setImporting] = useState(false);
  const actions = useMay(createProfile) && (
    <>
      <Button icon={<FileUp size={15} aria-hidden="true" />} onClick={() => setImporting(true)}>
        Import…
      </Button>
      <Button
        variant="primary"
        icon={<Plus size={15} aria-hidden="true" />}
        onClick={() => start(newDraft)}
      >
        New profile
      </Button>
    </>
  );
  return (
    <Page title="Evidence profiles" actions={actions}>
      <p className="page-intro muted">
        A profile is a published set of failure checks under the standard SGA-QEM-1.0. Each rule
        says what it means when evidence is present, when a problem is found, and when the evidence
        is not available.
      </p>
      <Drafts />
      <Collisions />
      <Loaded query={profiles} what="profiles" lines={6}>
        {(entries) => <Browser profiles={entries} />}
      </Loaded>
      {importing && <ImportDialog onClose={() => setImporting(false)} />}
    </Page>
  );
}

function Browser({ profiles }: { profiles: readonly VersionedProfile[] }) {
  const [domain, setDomain] = useState<string>(ALL);
  const [access, setAccess] = useState<AccessFilter>(ALL);
  const domains = [...new Set(profiles.map((profile) => profile.newest.domain))].sort();
  const shown = profiles.filter(
    ({ newest }) =>
      (domain === ALL || newest.domain === domain) && (access === ALL || newest.access === access),
  );
  const clear = () => {
    setDomain(ALL);
    setAccess(ALL);
  };
  return (
    <>
      <div className="toolbar" role="group" aria-label="Filter profiles">
        <Select
          inline
          label="Domain"
          value={domain}
          onValue={setDomain}
          options={[
            { value: ALL, label: 'Any' },
            ...domains.map((value) => ({ value, label: domainName(value) })),
          ]}
        />
        <Select inline label="Access" value={access} onValue={setAccess} options={ACCESS_OPTIONS} />
        <p className="muted small" role="status">
          {shown.length} of {plural(profiles.length, 'profile')} shown
        </p>
      </div>
      {shown.length === 0 ? (
        <EmptyState
          title="No profile matches"
          actions={<Button onClick={clear}>Clear the filters</Button>}
        />
      ) : (
        <ProfilesTable profiles={shown} />
      )}
    </>
  );
}

/** Older versions, and other documents under this one. */
function moreWords(newest: Entry, versions: readonly Entry[]): string {
  const beside = versions.filter((entry) => entry.version === newest.version).length - 1;
  const older = new Set(
    versions.filter((entry) => entry.version !== newest.version).map((entry) => entry.version),
  ).size;
  return [
    ...(older > 0 ? [`+${older} older`] : []),
    ...(beside > 0 ? [`${plural(beside + 1, 'document')} under this version`] : []),
  ].join(', ');
}

function ProfilesTable({ profiles }: { profiles: readonly VersionedProfile[] }) {
  return (
    <Table
      caption="Evidence profiles"
      head={
        <tr>
          <th scope="col">Profile</th>
          <th scope="col">Version</th>
          <th scope="col" className="n">
            Rules
          </th>
          <th scope="col">Domain</th>
          <th scope="col">Access</th>
          <th scope="col">Maintainer</th>
        </tr>
      }
    >
      {profiles.map(({ newest, versions }) => (
        <tr key={newest.profileUid}>
          <th scope="row">
            <Link to={profilePath(newest.profileUid)}>{newest.name}</Link>
            <span className="row-note">{newest.description}</span>
          </th>
          <td className="nowrap num">
            {newest.version}
            {versions.length > 1 && <span className="muted"> {moreWords(newest, versions)}</span>}
          </td>
          <td className="n">{newest.rule_count}</td>
          <td className="nowrap">{domainName(newest.domain)}</td>
          <td>{ACCESS_NAMES[newest.access]}</td>
          <td>{newest.maintainer}</td>
        </tr>
      ))}
    </Table>
  );
}
