import type { ProfileUid } from '../../../shared/contract/ids.ts';
import { pageAddress } from '../../../shared/contract/page-addresses.ts';
import { Link } from 'react-router';
import type { CaseEntry } from '../../data/api/library.ts';
import { useQuery } from '../../state/query.ts';
import { ButtonLink } from '../../ui/Button.tsx';
import { Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { profilePath, shortDigest, documentNote, type VersionedProfile } from './versions.ts';
import { t } from '../../text/t.ts';

const SHOWN_CASES = 5;
const casePath = ({ case_uid, profile_uid, profile_version }: CaseEntry): string =>
  `${pageAddress('case', { caseUid: case_uid })}?profile=${profile_uid}@${profile_version}`;
export const comparePath = (uid: ProfileUid, from: string, to: string): string =>
  `${pageAddress('compareVersions', { profileUid: uid })}?from=${from}&to=${to}`;

/** Every version, what it holds, which cases use it, and the way from one to the next. */
export function Versions({ known, shown }: { known: VersionedProfile; shown: string }) {
  const { profileUid } = known.newest;
  const pathOf = (entry: VersionedProfile['newest']): string =>
    profilePath(
      profileUid,
      entry.version,
      documentNote(entry) === undefined ? undefined : entry.digest,
    );
  return (
    <Section
      title={t('Versions')}
      actions={
        known.versions.length > 1 ? (
          <ButtonLink
            size="sm"
            to={comparePath(profileUid, known.versions[1]!.version, known.newest.version)}
          >
            {t('Compare versions')}
          </ButtonLink>
        ) : undefined
      }
    >
      <Table
        caption={t('Versions')}
        head={
          <tr>
            <th scope="col">{t('Version')}</th>
            <th scope="col" className="n">
              {t('Rules')}
            </th>
            <th scope="col">{t('Cases that use it')}</th>
            <th scope="col">{t('Difference')}</th>
          </tr>
        }
      >
        {known.versions.map((entry, index) => {
          const older = known.versions
            .slice(index + 1)
            .find((one) => one.version !== entry.version)?.version;
          return (
            <tr key={entry.digest}>
              <th scope="row" className="nowrap num">
                <Link to={pathOf(entry)} aria-current={entry.digest === shown ? 'true' : undefined}>
                  {entry.version}
                </Link>
                {entry.digest === shown && <span className="muted"> {t('shown')}</span>}
                {documentNote(entry) !== undefined && (
                  <span className="row-note">
                    {documentNote(entry)} <code>{shortDigest(entry.digest)}</code>
                  </span>
                )}
              </th>
              <td className="n">{entry.rule_count}</td>
              <td>
                <UsedBy profileUid={profileUid} version={entry.version} />
              </td>
              <td className="nowrap">
                {older === undefined ? (
                  <span className="muted">{t('the first')}</span>
                ) : (
                  <Link
                    to={comparePath(profileUid, older, entry.version)}
                    aria-label={t('Compare {older} with {version}', {
                      older,
                      version: entry.version,
                    })}
                  >
                    {t('since {older}', { older })}
                  </Link>
                )}
              </td>
            </tr>
          );
        })}
      </Table>
    </Section>
  );
}

/** The cases that were changed last, of those in which the version is in use. */
function UsedBy({ profileUid, version }: { profileUid: ProfileUid; version: string }) {
  const cases = useQuery(`cases/using/${profileUid}@${version}`, (library) =>
    library.cases(
      { profile_uid: profileUid, profile_version: version, sort: 'changed', order: 'desc' },
      { limit: SHOWN_CASES },
    ),
  ).data;
  if (cases === undefined) return <span className="muted">–</span>;
  if (cases.entries.length === 0) return <span className="muted">{t('none')}</span>;
  return (
    <>
      {cases.entries.map((entry, index) => (
        <span key={entry.case_uid}>
          {index > 0 && ', '}
          <Link to={casePath(entry)}>{entry.title}</Link>
        </span>
      ))}
      {cases.next !== null && <span className="muted"> {t('and more')}</span>}
    </>
  );
}
