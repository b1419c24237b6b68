import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { codeOf } from '../../../shared/domain/outcome.ts';
import { PaperLines } from '../../ui/PaperLines.tsx';
import { PaperMatrix } from '../../ui/PaperMatrix.tsx';
import { planPaper } from '../../ui/paper-plan.ts';
import { fieldText, memberOf } from './model/fields.ts';
import { stateKey } from './model/states.ts';
import { useEditor } from './editor/use-editor.ts';
import { t } from '../../text/t.ts';

/** In the order of `CELL_STATES`. */
const LETTERS = 'FTN-';

/**
 * What is printed in place of the part of the matrix that is on screen: every item and rule that is
 * shown, in their order. Drawn only while the page prints.
 */
export function PrintedMatrix({ caseTitle }: { caseTitle: string }) {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const before = (): void => flushSync(() => setPrinting(true));
    const after = (): void => setPrinting(false);
    window.addEventListener('beforeprint', before);
    window.addEventListener('afterprint', after);
    return () => {
      window.removeEventListener('beforeprint', before);
      window.removeEventListener('afterprint', after);
    };
  }, []);
  return isPrinting ? <Sheet caseTitle={caseTitle} /> : null;
}

function Sheet({ caseTitle }: { caseTitle: string }) {
  const { session, store } = useEditor();
  const { view } = store.getState();
  const { items, rules, profile } = session;
  const plan = planPaper(view.rowCount, view.columnCount);
  const fieldOf = (row: number, key: string): string =>
    fieldText(memberOf(items[view.storeRow(row)]?.metadata, key));
  const nameOf = (row: number): string => {
    const { label = '', item_uid = '' } = items[view.storeRow(row)] ?? {};
    const name = label === '' || label === item_uid ? item_uid : `${label} (${item_uid})`;
    return [name, ...view.fields.map(({ key }) => fieldOf(row, key))].join('; ');
  };
  const lettersOf = (row: number): string =>
    Array.from(
      { length: view.columnCount },
      (_, column) => LETTERS[codeOf(session.state(view.storeRow(row), view.storeColumn(column)))],
    ).join('');
  const names = new Map(profile.rules.map(({ ruleUid, name }) => [ruleUid, name]));
  return (
    <section className="mx-printed" aria-label={t('Printed matrix')}>
      <h2>{caseTitle}</h2>
      <p>
        {t(
          '{someItems, select, yes {{items, number} of {allItems, number} items} other {{items, plural, one {# item} other {# items}}}}, {someRules, select, yes {{rules, number} of {allRules, number} rules} other {{rules, plural, one {# rule} other {# rules}}}}, as shown when it was printed; nothing here is frozen. A matrix states evidence sufficiency under one profile, never truth.',
          {
            someItems: view.rowCount < items.length ? 'yes' : 'no',
            items: view.rowCount,
            allItems: items.length,
            someRules: view.columnCount < rules.length ? 'yes' : 'no',
            rules: view.columnCount,
            allRules: rules.length,
          },
        )}
      </p>
      {plan.rows < view.rowCount ? (
        <PaperLines rows={view.rowCount} item={nameOf} letters={lettersOf} />
      ) : (
        <PaperMatrix
          plan={plan}
          item={(row) => view.itemAt(row)}
          rule={(column) => column + 1}
          fields={view.fields.map(({ key }) => ({
            name: key,
            text: (row: number) => fieldOf(row, key),
          }))}
          kind={(row, column) =>
            stateKey(session.state(view.storeRow(row), view.storeColumn(column)))
          }
        />
      )}
      <ol>
        {Array.from({ length: view.columnCount }, (_, column) => (
          <li key={view.ruleAt(column)}>{names.get(view.ruleAt(column))}</li>
        ))}
      </ol>
    </section>
  );
}
