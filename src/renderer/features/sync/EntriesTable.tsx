import type { UnsentChange } from '../../data/store/unsent.ts';

import { useServices } from '../../state/services.tsx';
import { ageWords } from '../../state/age-words.ts';
import { Table } from '../../ui/Table.tsx';
import { fieldWords, valueWords } from './entry-words.ts';
import { t } from '../../text/t.ts';

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
            <th scope="col">{t('Case')}</th>
            <th scope="col">{t('Item')}</th>
            <th scope="col">{t('Rule')}</th>
            <th scope="col">{t('What')}</th>
            <th scope="col">{t('Was')}</th>
            <th scope="col">{t('Is')}</th>
            <th scope="col" className="n">
              {t('Age')}
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
                {change.reason ?? t('Its text is not shown here; the export has its bytes.')}
              </td>
              <td className="n nowrap">{ageWords(now - change.at)}</td>
            </tr>
          ))}
      </Table>
      {shown < all && (
        <p className="muted">
          {t('The first {shown, number} of {all, number} entries.', { shown, all })}
        </p>
      )}
    </>
  );
}
