import { Mark } from '../../../ui/OutcomeMark.tsx';
import { Table } from '../../../ui/Table.tsx';
import type { TakeOver } from '../conflicts/adjudication-state.ts';
import { useEditor } from '../editor/use-editor.ts';
import { itemName, ruleName } from '../model/names.ts';
import { STATE_WORDS, stateKey } from '../model/states.ts';
import { t } from '../../../text/t.ts';

/** Most cells that are left alone and named one by one. */
const MOST_NAMED = 200;
const OUTCOMES = ['FALSE', 'TRUE', 'NA'] as const;

/** What all recorders agree on, and what becomes of it, before anything is written. */
export function TakeOverPreview({ takeOver }: { takeOver: TakeOver }) {
  const { session } = useEditor();
  const { cells, to, same, otherwise, gone } = takeOver;
  return (
    <section className="mx-bulk" aria-label={t('Take over what all agree on')}>
      <div role="status">
        <p>
          <strong>
            {t(
              '{cells, plural, one {# cell} other {# cells}} would be recorded as all recorders agree.',
              { cells: cells.length },
            )}
          </strong>
        </p>
        <ul className="mx-bulk-sums">
          {OUTCOMES.map((key) => (
            <li key={key}>
              <Mark state={key} />{' '}
              <span>
                {t('{count, number} become {outcome}', {
                  count: to[key],
                  outcome: STATE_WORDS[key].full,
                })}
              </span>
            </li>
          ))}
        </ul>
        <p className="small">
          {t(
            'The record has the same already in {same, number}; in {otherwise, number} it has something else or a conflict, and these are left alone.',
            { same, otherwise: otherwise.length },
          )}
          {gone > 0 &&
            ` ${t('{gone, plural, one {# cell} other {# cells}} of removed items left out.', { gone })}`}
        </p>
        <p className="small muted">
          {t(
            'A source is taken where all state the same one. Everything is one step that can be undone.',
          )}
        </p>
      </div>
      {otherwise.length > 0 && (
        <Table
          caption={t('Left alone')}
          showCaption
          dense
          head={
            <tr>
              <th scope="col">{t('Item')}</th>
              <th scope="col">{t('Rule')}</th>
              <th scope="col">{t('Record')}</th>
              <th scope="col">{t('All recorders')}</th>
            </tr>
          }
        >
          {otherwise.slice(0, MOST_NAMED).map(({ reg, item_uid, rule_uid, recorded, ratings }) => (
            <tr key={reg}>
              <th scope="row">{itemName(session, item_uid)}</th>
              <td>{ruleName(session, rule_uid)}</td>
              <td>
                <Mark state={stateKey(recorded)} /> {STATE_WORDS[stateKey(recorded)].full}
              </td>
              <td>
                <Mark state={stateKey(ratings[0]?.raw_outcome ?? null)} />{' '}
                {STATE_WORDS[stateKey(ratings[0]?.raw_outcome ?? null)].full}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}
