import { known, type ProfileUid } from '../../../../shared/contract/ids.ts';
import { useParams, useSearchParams } from 'react-router';
import { STUDIO_PAGES } from '../../../../shared/contract/page-addresses.ts';
import type { ProfileDocument } from '../../../../shared/domain/profile.ts';
import { useQuery } from '../../../state/query.ts';
import { CheckField } from '../../../ui/Field.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Page, Section } from '../../../ui/Page.tsx';
import { Select } from '../../../ui/Select.tsx';
import { FIELD_WORDS } from '../transfer/words.ts';
import type { ProfileListEntry } from '../../../data/api/library.ts';
import { profilePath, useProfile } from '../versions.ts';
import { changesInWords } from './changes-in-words.ts';
import { compareHeaders, compareRules } from '../../../../shared/domain/profile-comparison.ts';
import { RuleDiff } from './RuleDiff.tsx';
import { WordDiff } from './WordDiff.tsx';
import { t } from '../../../text/t.ts';
import { rich } from '../../../text/rich.ts';

/**
 * Two versions of one profile beside each other; which two, and whether equal rules are shown,
 * is in the address.
 */
export function CompareVersionsPage() {
  const profileUid = known.profileUid.parse(useParams().profileUid);
  const versions = useProfile(profileUid);
  const listed = versions.data?.found;
  return (
    <Page
      title={
        listed === undefined
          ? t('Compare versions')
          : t('{name}: compare versions', { name: listed.newest.name })
      }
      crumbs={[
        { label: t('Profiles'), to: STUDIO_PAGES.profiles },
        { label: listed?.newest.name ?? profileUid, to: profilePath(profileUid) },
      ]}
    >
      <Loaded query={versions} what={t('the versions')}>
        {() =>
          listed === undefined || listed.versions.length < 2 ? (
            <Notice title={t('There are no two versions to compare')}>
              <p>{t('A profile has two once a new version of it is published.')}</p>
            </Notice>
          ) : (
            <Chosen profileUid={profileUid} versions={listed.versions} />
          )
        }
      </Loaded>
    </Page>
  );
}

/** `versions`: newest first. */
function Chosen({
  profileUid,
  versions,
}: {
  profileUid: ProfileUid;
  versions: readonly ProfileListEntry[];
}) {
  const [search, setSearch] = useSearchParams();
  const has = (version: string | null) => versions.some((entry) => entry.version === version);
  const asked = { from: search.get('from'), to: search.get('to') };
  const to = has(asked.to) ? asked.to! : versions[0]!.version;
  const from = has(asked.from)
    ? asked.from!
    : (
        versions[versions.findIndex((entry) => entry.version === to) + 1] ??
        versions.find((entry) => entry.version !== to)!
      ).version;
  const all = search.get('show') !== 'differences';
  const put = (name: string, value: string | null) => {
    const next = new URLSearchParams({ from, to, ...(all ? {} : { show: 'differences' }) });
    if (value === null) next.delete(name);
    else next.set(name, value);
    setSearch(next, { replace: true });
  };
  const before = useQuery(`profile/${profileUid}@${from}`, (library) =>
    library.profile(profileUid, from),
  );
  const after = useQuery(`profile/${profileUid}@${to}`, (library) =>
    library.profile(profileUid, to),
  );
  const options = versions.map((entry) => ({ value: entry.version, label: entry.version }));
  return (
    <>
      <div className="toolbar" role="group" aria-label={t('Versions to compare')}>
        <Select
          inline
          label={t('From')}
          options={options}
          value={from}
          onValue={(value) => put('from', value)}
        />
        <Select
          inline
          label={t('To')}
          options={options}
          value={to}
          onValue={(value) => put('to', value)}
        />
        <CheckField
          label={t('Differences only')}
          checked={!all}
          onChecked={(checked) => put('show', checked ? 'differences' : null)}
        />
      </div>
      <Loaded query={before} what={t('version {from}', { from })}>
        {(left) => (
          <Loaded query={after} what={t('version {to}', { to })}>
            {(right) => <Comparison before={left} after={right} all={all} />}
          </Loaded>
        )}
      </Loaded>
    </>
  );
}

function Comparison({
  before,
  after,
  all,
}: {
  before: ProfileDocument;
  after: ProfileDocument;
  all: boolean;
}) {
  const headers = compareHeaders(before, after);
  const rules = compareRules(before, after);
  const shown = all ? rules : rules.filter((rule) => rule.kind !== 'unchanged' || rule.moved);
  return (
    <>
      <p role="status">
        {t('From {from} to {to}', { from: before.version, to: after.version })}:{' '}
        {changesInWords(before, after)}.{' '}
        <span className="muted small">
          {rich(
            'Words in the older version alone are <del>struck through</del>, words in the newer one alone are <ins>underlined</ins>.',
            { del: (text) => <del>{text}</del>, ins: (text) => <ins>{text}</ins> },
          )}
        </span>
      </p>
      <Section title={t('Header')}>
        {headers.length === 0 ? (
          <p className="muted">{t('The header is the same.')}</p>
        ) : (
          <dl className="pc-texts pc-rule">
            {headers.map((change) => (
              <div key={change.field} className="pc-row">
                <dt>{FIELD_WORDS[change.field]}</dt>
                <dd>
                  <WordDiff before={change.before} after={change.after} />
                </dd>
              </div>
            ))}
          </dl>
        )}
      </Section>
      <Section
        title={t('Rules')}
        note={t(
          'A rule is unchanged where its ID, name, description and three meanings are equal. Only its outcomes mean the same under both versions.',
        )}
      >
        {shown.length === 0 && <p className="muted">{t('No rule differs.')}</p>}
        <div className="pc-rules">
          {shown.map((rule) => (
            <RuleDiff key={rule.ruleUid} rule={rule} />
          ))}
        </div>
      </Section>
    </>
  );
}
