import { type ReactNode, useId } from 'react';
import { useStore } from 'zustand';
import type { CellState } from '../../../../shared/domain/outcome.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { Mark } from '../../../ui/OutcomeMark.tsx';
import { SideBySide } from '../../../ui/SideBySide.tsx';
import {
  type Adjudication,
  type AdjudicationState,
  cellAt,
  type CellToDecide,
  type Choice,
  columnsOf,
} from '../conflicts/adjudication-state.ts';
import { useEditor, useMayWrite } from '../editor/use-editor.ts';
import { provenanceText } from '../model/history-text.ts';
import { itemName, ruleName } from '../model/names.ts';
import { STATE_WORDS, stateKey } from '../model/states.ts';
import { t } from '../../../text/t.ts';

/** One column: what a recorder says, or what the record shows. */
interface ComparedColumn {
  key: string;
  title: string;
  outcome: CellState;
  source: string;
  provenance: string;
  notes: string;
}

/** A, B and so on: who was named first in the round has no part in it. */
const letter = (place: number): string => String.fromCodePoint(65 + (place % 26));

function useColumns(cell: CellToDecide, state: AdjudicationState): ComparedColumn[] {
  const { session } = useEditor();
  const { recorders, authors, heads } = state;
  const ids = recorders.map(({ recorder }) => recorder).toSorted();
  const name = (id: string): string =>
    authors
      ? (recorders.find(({ recorder }) => recorder === id)?.name ?? id)
      : t('Recorder {letter}', { letter: letter(ids.indexOf(id as (typeof ids)[number])) });
  const [row, column] = [session.rowOf(cell.item_uid), session.columnOf(cell.rule_uid)];
  const notes = row < 0 || column < 0 ? null : session.detail(row, column).notes;
  return columnsOf(cell, heads).flatMap(({ of, entry }): ComparedColumn[] => {
    if (of === 'rating') {
      const found = cell.ratings.find((rating) => rating.entry === entry);
      return found === undefined
        ? []
        : [
            {
              key: entry,
              title: name(found.recorder),
              outcome: found.raw_outcome,
              source: found.source_value ?? '',
              provenance: provenanceText(found.provenance),
              notes: found.notes ?? '',
            },
          ];
    }
    const head = heads.find((one) => one.entry === entry);
    return head === undefined
      ? []
      : [
          {
            key: entry,
            title: heads.length > 1 ? t('Record, in conflict') : t('Record'),
            outcome: head.raw_outcome,
            source: head.source_value ?? '',
            provenance: provenanceText(head.provenance),
            notes: notes ?? '',
          },
        ];
  });
}

const keyOf = (choice: Choice | null): string | null =>
  choice === null || choice.of === 'own' ? null : choice.entry;

/** What the recorders say of the cell that is looked at, beside the record, and the choice. */
export function CompareRatings({ adjudication }: { adjudication: Adjudication }) {
  const state = useStore(adjudication.store);
  const cell = cellAt(state);
  return cell === undefined ? null : (
    <Compared adjudication={adjudication} state={state} cell={cell} />
  );
}

function Compared({
  adjudication,
  state,
  cell,
}: {
  adjudication: Adjudication;
  state: AdjudicationState;
  cell: CellToDecide;
}) {
  const { session } = useEditor();
  const mayWrite = useMayWrite();
  const id = useId();
  const columns = useColumns(cell, state);
  const { choice, overtaken, decided, heads } = state;
  const item = itemName(session, cell.item_uid);
  const line = (
    name: string,
    of: (column: ComparedColumn) => string,
    draw?: (c: ComparedColumn) => ReactNode,
  ) => ({
    name,
    cells: columns.map((column) => draw?.(column) ?? of(column)),
    differs: new Set(columns.map(of)).size > 1,
  });
  const reason = decided.get(cell.reg) ?? null;
  return (
    <section className="mx-compare" aria-labelledby={id}>
      <h3 id={id}>
        {item}
        {item !== cell.item_uid && <span className="muted"> {cell.item_uid}</span>},{' '}
        {ruleName(session, cell.rule_uid)}
      </h3>
      <p className="small">
        {decided.has(cell.reg)
          ? t('Decided. Another decision takes its place.')
          : heads.length > 1
            ? t('The record has a conflict here; the decision resolves it.')
            : (heads[0]?.raw_outcome ?? null) === null
              ? t('The record has nothing here yet.')
              : t('The record has an outcome here already; the decision takes its place.')}
        {reason !== null && ` ${t('Reason given: {reason}', { reason })}`}
      </p>
      {overtaken && (
        <Notice tone="danger" live>
          {t('Another value was recorded since you chose. Look again: nothing was decided.')}
        </Notice>
      )}
      <SideBySide
        values={columns.map(({ key, title, outcome }, at) => ({
          key,
          name: `${title}, ${STATE_WORDS[stateKey(outcome)].full}`,
          heading: (
            <>
              <kbd aria-hidden="true">{at + 1}</kbd>
              <span>{title}</span>
            </>
          ),
        }))}
        lines={[
          line(
            t('Outcome'),
            ({ outcome }) => STATE_WORDS[stateKey(outcome)].full,
            ({ outcome }) => (
              <span className="mx-compare-outcome">
                <Mark state={stateKey(outcome)} /> {STATE_WORDS[stateKey(outcome)].full}
              </span>
            ),
          ),
          line(t('Reported value'), ({ source }) => source),
          line(t('Provenance'), ({ provenance }) => provenance),
          line(t('Notes'), ({ notes }) => notes),
        ]}
        group={id}
        taken={keyOf(choice)}
        disabled={!mayWrite}
        onTake={(_, at) => adjudication.choose(at + 1)}
      />
      {choice?.of === 'own' && (
        <p className="small" role="status">
          {t('{outcome}, which none of them recorded, without a source.', {
            outcome: STATE_WORDS[choice.outcome].full,
          })}
        </p>
      )}
      {mayWrite && (
        <p className="small muted">
          {t(
            'Numbers take what a column says, with its source; T, F and N an outcome. R leads to the reason, Enter records, S takes the reason from before, J and K lead on.',
          )}
        </p>
      )}
    </section>
  );
}
