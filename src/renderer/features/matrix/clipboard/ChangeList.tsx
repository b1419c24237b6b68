import { Pager, usePager } from '../../../ui/Pager.tsx';
import { useEditor } from '../editor/use-editor.ts';
import { columnName, itemName } from '../model/names.ts';
import { t } from '../../../text/t.ts';

export interface ListedChange {
  item: string;
  /** The column's id. */
  rule: string;
  before: string;
  after: string;
  problem?: string | undefined;
}

/** Changes of one page. */
const PAGE = 50;

/** Every change that is about to be made, page by page. */
export function ChangeList({
  changes,
  words = (text) => text,
}: {
  changes: readonly ListedChange[];
  words?: (text: string) => string;
}) {
  const { session } = useEditor();
  const pager = usePager(changes.length, PAGE);
  if (changes.length === 0) return null;
  const shown = (text: string) =>
    text === '' ? <span className="muted">{t('empty')}</span> : words(text);
  return (
    <>
      <div className="mx-refusals mx-changes" role="region" aria-label={t('Changes')} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t('Item')}</th>
              <th scope="col">{t('Column')}</th>
              <th scope="col">{t('Before')}</th>
              <th scope="col">{t('After')}</th>
            </tr>
          </thead>
          <tbody>
            {changes.slice(pager.first, pager.end).map(({ item, rule, before, after, problem }) => (
              <tr key={`${item}\n${rule}`}>
                <td>{itemName(session, item)}</td>
                <td>{columnName(session, rule)}</td>
                <td>{shown(before)}</td>
                <td>
                  {shown(after)}
                  {problem !== undefined && (
                    <strong> {t('Skipped: {problem}', { problem })}</strong>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Pager pager={pager} what={t('changes')} />
    </>
  );
}
