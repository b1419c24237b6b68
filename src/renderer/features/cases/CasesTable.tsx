import type { CaseUid } from '../../../shared/contract/ids.ts';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { pageAddress } from '../../../shared/contract/page-addresses.ts';
import type {
  CaseSort,
  ContestedMatrix,
  LastChange,
  ListedCase,
} from '../../../shared/contract/v1/cases.ts';
import { formatDateTime, humanise } from '../../state/format.ts';
import { SortHeading, type Sorting } from '../../ui/SortHeading.tsx';
import { Table } from '../../ui/Table.tsx';
import { CaseProgressBar } from './CaseProgressBar.tsx';
import { formatProfileAddress } from './profile-address.ts';
import { t, tAs } from '../../text/t.ts';

export const casePath = (caseUid: CaseUid): string => pageAddress('case', { caseUid });

/** Opens the matrix with the list of its conflicts. */
export const reviewPath = ({
  case_uid,
  profile_uid: uid,
  profile_version: version,
}: ContestedMatrix): string =>
  `${casePath(case_uid)}?profile=${formatProfileAddress({ uid, version })}&review=1`;

const KIND_WORDS: Readonly<Record<LastChange['kind'], string>> = {
  human: t('person'),
  agent: t('agent'),
  import: tAs('recorder', 'import'),
};

/** "Ann", "reader-7 (agent)". */
export const byWords = ({ by, kind }: Pick<LastChange, 'by' | 'kind'>): string =>
  kind === 'human' ? by : `${by} (${KIND_WORDS[kind]})`;

const conflictWords = (
  { cells: conflicts, profile_uid, profile_version: version }: ContestedMatrix,
  entry: ListedCase,
): string =>
  profile_uid === entry.profile_uid
    ? t('{conflicts, plural, one {# conflict} other {# conflicts}}', { conflicts })
    : t('{conflicts, plural, one {# conflict} other {# conflicts}} under {profile} {version}', {
        conflicts,
        profile: profile_uid,
        version,
      });

export function CasesTable({
  cases,
  contested = [],
  sorting,
  onSort,
  more,
}: {
  cases: readonly ListedCase[];
  contested?: readonly ContestedMatrix[];
  sorting: Sorting<CaseSort>;
  onSort: (sorting: Sorting<CaseSort>) => void;
  /** What else can be done with one. */
  more: (entry: ListedCase) => ReactNode;
}) {
  return (
    <Table
      caption={t('Cases')}
      head={
        <tr>
          <SortHeading by="title" label={t('Case')} sorting={sorting} onSort={onSort} />
          <th scope="col">{t('ID')}</th>
          <th scope="col">{t('Type')}</th>
          <th scope="col">{t('Profile in use')}</th>
          <th scope="col">{t('Progress')}</th>
          <SortHeading
            by="active"
            label={t('Last change')}
            first="desc"
            sorting={sorting}
            onSort={onSort}
          />
          <th scope="col">
            <span className="visually-hidden">{t('Actions')}</span>
          </th>
        </tr>
      }
    >
      {cases.map((entry) => (
        <tr key={entry.case_uid}>
          <th scope="row">
            <Link to={casePath(entry.case_uid)}>{entry.title}</Link>
            {contested
              .filter(({ case_uid }) => case_uid === entry.case_uid)
              .map((matrix) => (
                <Link
                  key={matrix.profile_uid + matrix.profile_version}
                  className="row-note"
                  to={reviewPath(matrix)}
                >
                  {conflictWords(matrix, entry)}
                </Link>
              ))}
            {entry.description !== '' && <span className="row-note">{entry.description}</span>}
          </th>
          <td>
            <code>{entry.case_uid}</code>
          </td>
          <td className="nowrap">{humanise(entry.case_type)}</td>
          <td>
            {entry.profile_uid === null ? (
              <span className="muted">{t('not chosen yet')}</span>
            ) : (
              <>
                <code>{entry.profile_uid}</code> {entry.profile_version}
              </>
            )}
          </td>
          <td className="nowrap">
            <CaseProgressBar progress={entry.progress} />
          </td>
          <td className="nowrap">
            <span className="num">{formatDateTime(entry.last_change?.at ?? entry.updated_at)}</span>
            {entry.last_change && <span className="row-note">{byWords(entry.last_change)}</span>}
          </td>
          <td className="n">{more(entry)}</td>
        </tr>
      ))}
    </Table>
  );
}
