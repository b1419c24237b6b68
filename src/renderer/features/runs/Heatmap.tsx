import { useMemo, useState } from 'react';
import { outcomeWords, type CellState } from '../../../shared/domain/outcome.ts';
import type { Recorder } from '../../../shared/domain/run-recorders.ts';
import type { RunRecord } from '../../../shared/domain/run.ts';

import { OUTCOME_KINDS, OutcomeMark, type OutcomeKind } from '../../ui/OutcomeMark.tsx';
import { Figure } from '../../ui/Figure.tsx';
import { Pager, usePager } from '../../ui/Pager.tsx';
import { Select } from '../../ui/Select.tsx';
import { Table } from '../../ui/Table.tsx';
import { HeatmapCanvas } from './HeatmapCanvas.tsx';
import type { RunCounts } from '../../../shared/domain/item-lines.ts';
import type { RunAuthors } from '../../../shared/domain/run-authors.ts';
import { recorderWords } from './recorders.ts';
import { heatmapSentence } from './sentences.ts';
import { t, tOf } from '../../text/t.ts';

const SIZES = [
  { value: '1', label: t('As it fits') },
  { value: '4', label: t('4 px and more') },
  { value: '8', label: t('8 px and more') },
  { value: '16', label: t('16 px and more') },
] as const;
const PAGE = 50;
const kindOf = (state: CellState): OutcomeKind => state ?? 'unrecorded';

export function Heatmap({
  run,
  totals,
  authors,
}: {
  run: RunRecord;
  totals: RunCounts;
  authors: RunAuthors | undefined;
}) {
  const [size, setSize] = useState<(typeof SIZES)[number]['value']>('4');
  const [at, setAt] = useState<{ row: number; column: number }>();
  const { items, rules } = run.frozen;
  return (
    <Figure
      title={t('Matrix as frozen')}
      sentence={heatmapSentence(totals, items.length, rules.length)}
      tools={
        <Select inline label={t('Cell size')} value={size} onValue={setSize} options={SIZES} />
      }
      picture={
        <div className="panel heatmap">
          <div className="legend">
            {OUTCOME_KINDS.map((kind) => (
              <OutcomeMark key={kind} kind={kind} label />
            ))}
          </div>
          <HeatmapCanvas run={run} least={Number(size)} onPoint={setAt} />
          <p className="small muted heatmap-readout">
            {at === undefined
              ? t(
                  'Rows are items, columns are rules by their number in the profile. Point at a cell to read it, or show the table.',
                )
              : cellText(run, at, authors)}
          </p>
        </div>
      }
      table={<MatrixTable run={run} authors={authors} />}
    />
  );
}

function cellText(
  run: RunRecord,
  { row, column }: { row: number; column: number },
  authors: RunAuthors | undefined,
): string {
  const { items, rules, raw } = run.frozen;
  const state = raw[row]?.[column] ?? null;
  const author = authors?.of(row, column);
  const words = `${items[row]?.item_uid ?? ''}, ${rules[column] ?? ''}: ${tOf(outcomeWords(state))}`;
  return author === undefined
    ? words
    : t('{cell}, recorded by {author}', { cell: words, author: recorderWords(author) });
}

function CellAuthor({ author }: { author: Recorder | undefined }) {
  return author === undefined ? null : <div className="small muted">{recorderWords(author)}</div>;
}

/** The same matrix in words, fifty items at a time, of those looked for. */
function MatrixTable({ run, authors }: { run: RunRecord; authors: RunAuthors | undefined }) {
  const { items, rules, raw, profile } = run.frozen;
  const [filter, setFilter] = useState('');
  const [named, setNamed] = useState(false);
  const needle = filter.trim().toLowerCase();
  const rows = useMemo(
    () =>
      items.flatMap((item, row) =>
        needle === '' ||
        item.item_uid.toLowerCase().includes(needle) ||
        item.label.toLowerCase().includes(needle)
          ? [row]
          : [],
      ),
    [items, needle],
  );
  const pager = usePager(rows.length, PAGE);
  const nameByRule = new Map(profile.rules.map((rule) => [rule.ruleUid, rule.name]));
  const head = (
    <tr>
      <th scope="col">{t('Item')}</th>
      {rules.map((uid) => (
        <th key={uid} scope="col" className="matrix-rule">
          {nameByRule.get(uid) ?? uid}
        </th>
      ))}
    </tr>
  );
  return (
    <>
      <div className="actions">
        <input
          type="search"
          className="input filter-input"
          aria-label={t('Find items of the frozen matrix by label or identifier')}
          placeholder={t('Find items')}
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
        <span className="muted small" role="status">
          {t('{shown, number} of {items, number} items', {
            shown: rows.length,
            items: items.length,
          })}
        </span>
        {authors !== undefined && (
          <label className="check">
            <input type="checkbox" checked={named} onChange={() => setNamed(!named)} />
            {t('Who recorded each outcome')}
          </label>
        )}
      </div>
      <Table caption={t('Matrix as frozen')} dense head={head}>
        {rows.slice(pager.first, pager.end).map((row) => (
          <tr key={items[row]?.item_uid}>
            <th scope="row">{items[row]?.item_uid}</th>
            {rules.map((uid, column) => (
              <td key={uid}>
                <OutcomeMark kind={kindOf(raw[row]?.[column] ?? null)} />
                {named && <CellAuthor author={authors?.of(row, column)} />}
              </td>
            ))}
          </tr>
        ))}
      </Table>
      <Pager pager={pager} what={t('items')} />
    </>
  );
}
