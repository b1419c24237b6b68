import { formatCount } from '../../state/format.ts';
import { Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { KIND_WORDS, NOT_HASHED, type RunAuthors } from '../../../shared/domain/run-authors.ts';
import type { AuthorsQuery } from './recorders.ts';
import { t, tOf } from '../../text/t.ts';

/** Authors that are listed; the downloads name the author of each outcome. */
const SHOWN = 100;

export function RecorderRows({ authors: { counts } }: { authors: RunAuthors }) {
  return counts.slice(0, SHOWN).map(([{ kind, name, key_id, accepted_by }, outcomes]) => (
    <tr key={`${kind}\n${name}\n${key_id ?? ''}\n${accepted_by ?? ''}`}>
      <th scope="row">
        {accepted_by === undefined
          ? name
          : t('{name}, accepted by {person}', { name, person: accepted_by })}
      </th>
      <td>{tOf(KIND_WORDS[kind])}</td>
      <td>{key_id !== undefined && <code>{key_id}</code>}</td>
      <td className="num">{formatCount(outcomes)}</td>
    </tr>
  ));
}

export const RECORDER_HEAD = (
  <tr>
    <th scope="col">{t('Name')}</th>
    <th scope="col">{t('Kind')}</th>
    <th scope="col">{t('Key')}</th>
    <th scope="col" className="num">
      {t('Outcomes')}
    </th>
  </tr>
);

/** Where the list comes from, and where the rest of it is. */
export const recordersNote = ({ counts }: RunAuthors): string =>
  counts.length > SHOWN
    ? `${tOf(NOT_HASHED)} ${t(
        'The first {shown, number} of {all, number} are listed; the downloads name all of them.',
        { shown: SHOWN, all: counts.length },
      )}`
    : tOf(NOT_HASHED);

/** Who recorded the outcomes that a run froze; nothing where that is not known. */
export function RecordedBy({ query: { failed, authors } }: { query: AuthorsQuery }) {
  if (failed)
    return (
      <Section title={t('Recorded by')}>
        <p className="muted">{t('Who recorded the outcomes could not be loaded.')}</p>
      </Section>
    );
  if (authors === undefined || authors.counts.length === 0) return null;
  return (
    <Section title={t('Recorded by')} note={recordersNote(authors)}>
      <Table caption={t('Who recorded the outcomes')} dense head={RECORDER_HEAD}>
        <RecorderRows authors={authors} />
      </Table>
    </Section>
  );
}
