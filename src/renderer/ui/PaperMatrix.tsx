import { Mark, OUTCOME_KINDS, OUTCOME_TEXT, type OutcomeKind } from './OutcomeMark.tsx';
import type { PaperPlan } from './paper-plan.ts';
import './paper-matrix.css';
import { t } from '../text/t.ts';

/** The signs of the matrix, distinct without their colours. */
function Key() {
  return (
    <p className="paper-key">
      {OUTCOME_KINDS.map((kind) => (
        <span key={kind}>
          <Mark state={kind} paper /> {OUTCOME_TEXT[kind].name}
          {kind === 'unrecorded' ? '' : `, ${OUTCOME_TEXT[kind].meaning}`}
        </span>
      ))}
    </p>
  );
}

export interface PaperMatrixProps {
  plan: PaperPlan;
  /** Name of a row. */
  item: (row: number) => string;
  /** The number shown for a column. */
  rule: (column: number) => number;
  kind: (row: number, column: number) => OutcomeKind;
  /** Columns of text beside the item, in the first part. */
  fields?: readonly { name: string; text: (row: number) => string }[];
}

/** A matrix in letters, as many columns side by side as a page holds. */
export function PaperMatrix({
  plan: { rows, bands },
  item,
  rule,
  kind,
  fields = [],
}: PaperMatrixProps) {
  return (
    <>
      <Key />
      {bands.map(({ from, to }) => {
        const columns = Array.from({ length: to - from }, (_, index) => from + index);
        const texts = from === 0 ? fields : [];
        return (
          <table
            key={from}
            className="paper-matrix"
            aria-label={t('Rules {from} to {to}', { from: from + 1, to })}
          >
            <thead>
              <tr>
                <th scope="col">{t('Item')}</th>
                {texts.map(({ name }) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
                {columns.map((column) => (
                  <th key={column} scope="col" className="n">
                    {rule(column)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {Array.from({ length: rows }, (_, row) => (
                <tr key={item(row)}>
                  <th scope="row">{item(row)}</th>
                  {texts.map(({ name, text }) => (
                    <td key={name} className="paper-text">
                      {text(row)}
                    </td>
                  ))}
                  {columns.map((column) => (
                    <td key={column}>
                      <Mark state={kind(row, column)} paper />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        );
      })}
    </>
  );
}
