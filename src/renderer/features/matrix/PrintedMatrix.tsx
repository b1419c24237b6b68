import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { formatCount } from '../../state/format.ts';
import { PaperMatrix } from '../../ui/PaperMatrix.tsx';
import { planPaper } from '../../ui/paper-plan.ts';
import { stateKey } from './model/states.ts';
import { useEditor } from './editor/use-editor.ts';

const part = (shown: number, all: number, what: string): string =>
  shown < all
    ? `${formatCount(shown)} of ${formatCount(all)} ${what}`
    : `${formatCount(all)} ${what}`;

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
  const names = new Map(profile.rules.map(({ ruleUid, name }) => [ruleUid, name]));
  return (
    <section className="mx-printed" aria-label="Printed matrix">
      <h2>{caseTitle}</h2>
      <p>
        {part(plan.rows, items.length, 'items')}, {part(view.columnCount, rules.length, 'rules')},
        as shown when it was printed; nothing here is frozen. A matrix states evidence sufficiency
        under one profile, never truth.
        {plan.rows < view.rowCount && ' The export of the matrix holds all items.'}
      </p>
      <PaperMatrix
        plan={plan}
        item={(row) => view.itemAt(row)}
        rule={(column) => column + 1}
        kind={(row, column) =>
          stateKey(session.state(view.storeRow(row), view.storeColumn(column)))
        }
      />
      <ol>
        {Array.from({ length: view.columnCount }, (_, column) => (
          <li key={view.ruleAt(column)}>{names.get(view.ruleAt(column))}</li>
        ))}
      </ol>
    </section>
  );
}
