import type { UnsentChange } from '../../data/store/unsent.ts';
import { formatCount } from '../../state/format.ts';
import { useServices } from '../../state/services.tsx';
import { ageWords } from '../../state/age-words.ts';
import { Table } from '../../ui/Table.tsx';
import { fieldWords, valueWords } from './entry-words.ts';

/** What unsent changes wrote, oldest first. */
export function EntriesTable({
  caption,
  changes,
}: {
  caption: string;
  changes: readonly UnsentChange[];
}) {
  const now = useServices().clock.now();
  const shown = changes.reduce((sum, change) => sum + change.entries.length, 0);
  const all = changes.reduce((sum, change) => sum + change.count, 0);
  return (
    <>
      <Table
        caption={caption}
        dense
        head={
          <tr>
            <th scope="col">Case</th>
            <th scope="col">Item</th>
            <th scope="col">Rule</th>
            <th scope="col">What</th>
            <th scope="col">Was</th>
            <th scope="col">Is</th>
            <th scope="col" className="n">
              Age
            </th>
          </tr>
        }
      >
        {changes.flatMap((change) =>
          change.entries.map((entry, index) => (
            <tr key={`${change.id}#${index}`}>
              <td className="mono">{change.case_uid}</td>
              <th scope="row" className="mono">
                {entry.item ?? '–'}
              </th>
              <td className="mono">{entry.rule ?? '–'}</td>
              <td>{fieldWords(entry)}</td>
              <td>{valueWords(entry, entry.old)}</td>
              <td>{valueWords(entry, entry.new)}</td>
              <td className="n nowrap">{ageWords(now - change.at)}</td>
            </tr>
          )),
        )}
        {changes
          .filter((change) => change.entries.length === 0)
          .map((change) => (
            <tr key={change.id}>
              <td className="mono">{change.case_uid}</td>
              <td colSpan={5}>
                {change.reason ?? 'Its text is not shown here; the export has its bytes.'}
              </td>
              <td className="n nowrap">{ageWords(now - change.at)}</td>
            </tr>
          ))}
      </Table>
      {shown < all && (
        <p className="muted">
          The first {formatCount(shown)} of {formatCount(all)} entries.
        </p>
      )}
    </>
  );
}
