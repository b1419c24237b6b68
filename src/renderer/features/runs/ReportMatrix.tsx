import type { RunRecord } from '../../../shared/domain/run.ts';
import { formatCount } from '../../state/format.ts';
import { OUTCOME_TEXT, type OutcomeKind } from '../../ui/Badge.tsx';
import { type FrozenCell, leftOut, LETTERS, type ReportPlan } from './report-plan.ts';

const KINDS: readonly OutcomeKind[] = ['FALSE', 'TRUE', 'NA', 'unrecorded'];

/** The signs of the matrix, told apart without their colours. */
function Key() {
  return (
    <p className="report-key">
      {KINDS.map((kind) => <span key={kind}><span className="report-cell" data-kind={kind}>{LETTERS[kind]}</span> {OUTCOME_TEXT[kind].name}{kind === 'unrecorded' ? '' : `, ${OUTCOME_TEXT[kind].meaning}`}</span>)}
    </p>
  );
}

/** The matrix in letters, as many rules side by side as a page holds. */
export function ReportMatrix({ run, plan }: { run: RunRecord; plan: ReportPlan }) {
  const { items, rules, raw } = run.frozen;
  return (
    <section>
      <h2>Matrix as frozen</h2>
      <p>Rows are items; columns are rules by their number in the table of rules. {leftOut(plan.matrixItems, items.length, 'items')}</p>
      <Key />
      {plan.bands.map(({ from, to }) => (
        <table key={from} className="report-matrix" aria-label={`Rules ${from + 1} to ${to}`}>
          <thead><tr><th scope="col">Item</th>{rules.slice(from, to).map((uid, index) => <th key={uid} scope="col" className="n">{from + index + 1}</th>)}</tr></thead>
          <tbody>
            {items.slice(0, plan.matrixItems).map((item, row) => (
              <tr key={item.item_uid}>
                <th scope="row">{item.item_uid}</th>
                {rules.slice(from, to).map((uid, index) => {
                  const kind = raw[row]?.[from + index] ?? 'unrecorded';
                  return <td key={uid}><span className="report-cell" data-kind={kind}>{LETTERS[kind]}</span></td>;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </section>
  );
}

function provenanceWords(value: FrozenCell['provenance']): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  return Object.entries(value).map(([name, part]) => `${name}: ${typeof part === 'string' ? part : JSON.stringify(part)}`).join('; ');
}

/** What is on record of single cells beside their outcome. */
export function ReportDetails({ run, plan }: { run: RunRecord; plan: ReportPlan }) {
  const { items, rules, raw, cells } = run.frozen;
  if (cells.length === 0) return null;
  const rowOf = new Map(items.map((item, index) => [item.item_uid, index]));
  const columnOf = new Map(rules.map((uid, index) => [uid, index]));
  return (
    <section>
      <h2>Sources and notes</h2>
      <p>{formatCount(cells.length)} {cells.length === 1 ? 'cell has' : 'cells have'} a source value, a provenance or notes. {leftOut(plan.details.length, cells.length, 'cells')}</p>
      <table className="report-details">
        <thead><tr><th scope="col">Item</th><th scope="col" className="n">Rule</th><th scope="col">Outcome</th><th scope="col">Source value</th><th scope="col">Provenance</th><th scope="col">Notes</th></tr></thead>
        <tbody>
          {plan.details.map((cell) => {
            const column = columnOf.get(cell.rule_uid) ?? -1;
            const kind = raw[rowOf.get(cell.item_uid) ?? -1]?.[column] ?? 'unrecorded';
            return (
              <tr key={`${cell.item_uid}\n${cell.rule_uid}`}>
                <th scope="row">{cell.item_uid}</th><td className="n">{column + 1}</td><td><span className="report-cell" data-kind={kind}>{LETTERS[kind]}</span></td>
                <td>{cell.source_value}</td><td>{provenanceWords(cell.provenance)}</td><td>{cell.notes}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
