import { useMemo, useState } from 'react';
import type { RunRecord } from '../../../../shared/domain/run.ts';

import { OutcomeMark } from '../../../ui/OutcomeMark.tsx';
import { Pager, usePager } from '../../../ui/Pager.tsx';
import { Section } from '../../../ui/Page.tsx';
import { Table } from '../../../ui/Table.tsx';
import { ruleNames } from '../record.ts';
import type { CellChange } from '../../../../shared/domain/run-diff.ts';
import { t } from '../../../text/t.ts';

const PAGE = 50;

/** Whether a changed cell has the text in what is shown of its item or rule. */
const holds = (cell: CellChange, needle: string, itemName: string, ruleName: string): boolean =>
  [cell.item, cell.rule, itemName, ruleName].some((text) => text.toLowerCase().includes(needle));

interface CellsProps {
  cells: readonly CellChange[];
  /** Gives items and rules their names. */
  run: RunRecord;
  heads: readonly [from: string, to: string];
  note: string;
}

export function Cells({ cells, run, heads, note }: CellsProps) {
  const [filter, setFilter] = useState('');
  const ruleName = useMemo(() => ruleNames(run), [run]);
  const labels = useMemo(
    () => new Map<string, string>(run.frozen.items.map((item) => [item.item_uid, item.label])),
    [run],
  );
  const needle = filter.trim().toLowerCase();
  const shown =
    needle === ''
      ? cells
      : cells.filter((cell) =>
          holds(cell, needle, labels.get(cell.item) ?? '', ruleName(cell.rule)),
        );
  const pager = usePager(shown.length, PAGE);
  if (cells.length === 0)
    return (
      <Section title={t('Changed cells')} note={t('No cell that both have was changed.')}>
        <></>
      </Section>
    );
  return (
    <Section
      title={t('Changed cells')}
      note={note}
      actions={
        <>
          <span className="muted small" role="status">
            {t('{shown, number} of {all, number} shown', {
              shown: shown.length,
              all: cells.length,
            })}
          </span>
          <input
            type="search"
            className="input filter-input"
            aria-label={t('Filter changed cells by item or rule')}
            placeholder={t('Filter cells')}
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        </>
      }
    >
      <Table
        caption={t('Changed cells')}
        dense
        head={
          <tr>
            <th scope="col">{t('Item')}</th>
            <th scope="col">{t('Rule')}</th>
            <th scope="col">{heads[0]}</th>
            <th scope="col">{heads[1]}</th>
            <th scope="col">{t('Details')}</th>
          </tr>
        }
      >
        {shown.slice(pager.first, pager.end).map((cell) => (
          <tr key={`${cell.rule}\n${cell.item}`}>
            <th scope="row">
              {labels.get(cell.item)} <code className="muted">{cell.item}</code>
            </th>
            <td>{ruleName(cell.rule)}</td>
            <td>
              <OutcomeMark kind={cell.from ?? 'unrecorded'} label />
            </td>
            <td>
              {cell.from === cell.to ? (
                <span className="muted">{t('the same')}</span>
              ) : (
                <OutcomeMark kind={cell.to ?? 'unrecorded'} label />
              )}
            </td>
            <td>{cell.details ? t('changed') : ''}</td>
          </tr>
        ))}
      </Table>
      <Pager pager={pager} what={t('cells')} />
    </Section>
  );
}
