import { formatCount } from '../../state/format.ts';
import { Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { type AuthorsQuery, KIND_WORDS, NOT_HASHED, type RunAuthors } from './recorders.ts';

/** Authors that are listed; the downloads name the author of each outcome. */
const SHOWN = 100;

export function RecorderRows({ authors: { counts } }: { authors: RunAuthors }) {
  return counts.slice(0, SHOWN).map(([{ kind, name, key_id, accepted_by }, outcomes]) => (
    <tr key={`${kind}\n${name}\n${key_id ?? ''}\n${accepted_by ?? ''}`}>
      <th scope="row">
        {name}
        {accepted_by !== undefined && `, accepted by ${accepted_by}`}
      </th>
      <td>{KIND_WORDS[kind]}</td>
      <td>{key_id !== undefined && <code>{key_id}</code>}</td>
      <td className="num">{formatCount(outcomes)}</td>
    </tr>
  ));
}

export const RECORDER_HEAD = (
  <tr>
    <th scope="col">Name</th>
    <th scope="col">Kind</th>
    <th scope="col">Key</th>
    <th scope="col" className="num">
      Outcomes
    </th>
  </tr>
);

export const restOfRecorders = ({ counts }: RunAuthors): string =>
  counts.length > SHOWN
    ? ` The first ${SHOWN} of ${formatCount(counts.length)} are listed; the downloads name all of them.`
    : '';

/** Who recorded the outcomes that a run froze; nothing where that is not known. */
export function RecordedBy({ query: { failed, authors } }: { query: AuthorsQuery }) {
  if (failed)
    return (
      <Section title="Recorded by">
        <p className="muted">Who recorded the outcomes could not be loaded.</p>
      </Section>
    );
  if (authors === undefined || authors.counts.length === 0) return null;
  return (
    <Section title="Recorded by" note={`${NOT_HASHED}${restOfRecorders(authors)}`}>
      <Table caption="Who recorded the outcomes" dense head={RECORDER_HEAD}>
        <RecorderRows authors={authors} />
      </Table>
    </Section>
  );
}
