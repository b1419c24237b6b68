import { known } from '../../../shared/contract/ids.ts';
import { Copy, Download, FilePlus2 } from 'lucide-react';
import { useParams, useSearchParams } from 'react-router';
import { STUDIO_PAGES } from '../../../shared/contract/page-addresses.ts';
import { createProfile } from '../../../shared/contract/v1/profiles.ts';
import type { ProfileDocument } from '../../../shared/domain/profile.ts';
import { domainName } from '../../state/format.ts';
import { useQuery } from '../../state/query.ts';
import { useMay } from '../../state/use-may.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Facts, Page, Section } from '../../ui/Page.tsx';
import { Select } from '../../ui/Select.tsx';
import { Drafts } from './Drafts.tsx';
import { copyDraft, nextVersionDraft } from './editor/draft.ts';
import { useStartDraft } from './editor/use-drafts.ts';
import { RulesTable } from './RulesTable.tsx';
import { exportProfile } from './transfer/export-file.ts';
import { Versions } from './Versions.tsx';
import type { ProfileListEntry } from '../../data/api/library.ts';
import { ACCESS_NAMES, useProfile } from './versions.ts';
import { t } from '../../text/t.ts';

const CRUMBS = [{ label: t('Profiles'), to: STUDIO_PAGES.profiles }];

export function ProfilePage() {
  const profileUid = known.profileUid.parse(useParams().profileUid);
  const [search, setSearch] = useSearchParams();
  const version = search.get('version');
  const digest = search.get('digest');
  const profile = useQuery(`profile/${profileUid}@${version ?? ''}${digest ?? ''}`, (library) =>
    library.profile(profileUid, version ?? undefined, digest ?? undefined),
  );
  const listed = useProfile(profileUid).data?.found;
  const document = profile.data;
  const start = useStartDraft();
  const mayCreate = useMay(createProfile);
  const entry = listed?.versions.find((one) =>
    digest === null ? one.version === document?.version : one.digest === digest,
  );
  const access = entry?.access;
  const acts = document !== undefined && (
    <>
      <Button
        icon={<Download size={14} aria-hidden="true" />}
        onClick={() => exportProfile(document)}
      >
        {t('Export JSON')}
      </Button>
      {mayCreate && (
        <Button
          icon={<Copy size={14} aria-hidden="true" />}
          onClick={() => start((birth) => copyDraft(document, birth))}
        >
          {t('Duplicate…')}
        </Button>
      )}
      {mayCreate && access !== undefined && access !== 'public' && (
        <Button
          icon={<FilePlus2 size={14} aria-hidden="true" />}
          onClick={() => start((birth) => nextVersionDraft(document, birth))}
        >
          {t('New version…')}
        </Button>
      )}
    </>
  );
  const chooser = document !== undefined && listed !== undefined && listed.versions.length > 1 && (
    <Select
      inline
      label={t('Version')}
      value={document.version}
      options={[...new Set(listed.versions.map((one) => one.version))].map((one) => ({
        value: one,
        label: one,
      }))}
      onValue={(next) => setSearch({ version: next }, { replace: true })}
    />
  );
  return (
    <Page
      title={document?.name ?? profileUid}
      crumbs={CRUMBS}
      actions={
        <>
          {chooser}
          {acts}
        </>
      }
      meta={document === undefined ? undefined : <Meta document={document} />}
    >
      <Loaded query={profile} what={t('the profile')} lines={10}>
        {(loaded) => (
          <>
            <div className="two-columns">
              <Section title={t('Description')}>
                <p className="prose">{loaded.description}</p>
              </Section>
              <Section title={t('Scope')}>
                <p className="prose">{loaded.scope}</p>
              </Section>
            </div>
            <Section
              title={t('Rules')}
              note={t(
                'Each rule is a failure check: FALSE is the good answer. A cell nobody has recorded is unrecorded, which is not NA; in a run it counts as NA and is listed.',
              )}
            >
              <RulesTable rules={loaded.rules} />
            </Section>
            <Drafts profileUid={profileUid} />
            {listed !== undefined && <Versions known={listed} shown={entry?.digest ?? ''} />}
            <Section title={t('Identity')}>
              <Identity document={loaded} entry={entry} />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Meta({ document }: { document: ProfileDocument }) {
  return (
    <>
      <span>{t('Version {version}', { version: document.version })}</span>
      <span>
        {t('{rules, plural, one {# rule} other {# rules}}', { rules: document.rules.length })}
      </span>
      <span>{domainName(document.domain)}</span>
      <code>{document.profileUid}</code>
    </>
  );
}

function Identity({
  document,
  entry,
}: {
  document: ProfileDocument;
  entry: ProfileListEntry | undefined;
}) {
  const facts = [
    { name: t('Maintainer'), value: document.maintainer },
    {
      name: t('Standard'),
      value: t('{standard}, version {standardVersion}', {
        standard: document.standard,
        standardVersion: document.standardVersion,
      }),
    },
    { name: t('Access'), value: entry === undefined ? '–' : ACCESS_NAMES[entry.access] },
    ...(document.sourceUrl === undefined || document.sourceUrl === ''
      ? []
      : [{ name: t('Source'), value: document.sourceUrl }]),
    {
      name: t('Digest'),
      value:
        entry === undefined ? (
          '–'
        ) : (
          <span className="with-copy">
            <code className="mono">{entry.digest}</code>
            <CopyButton text={entry.digest} label={t('Copy digest')} />
          </span>
        ),
    },
  ];
  return <Facts entries={facts} />;
}
