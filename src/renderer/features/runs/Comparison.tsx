import { useState } from 'react';
import { Link } from 'react-router';
import type { RunRecord } from '../../../shared/domain/run.ts';
import { formatCount, formatShare, plural } from '../../state/format.ts';
import { OutcomeMark } from '../../ui/Badge.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Pager, usePager } from '../../ui/Pager.tsx';
import { Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { sumRules } from './record.ts';
import type { CellChange, RunDiff } from './run-diff.ts';
import { runPath } from './RunsTable.tsx';
import { rangeName } from './sentences.ts';

const PAGE = 50;
const LISTED = 100;

/** "+0.031", "−0.004", "0": a change with its sign. */
export function signed(value: number, digits: number): string {
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? '0' : `${value > 0 ? '+' : '−'}${text}`;
}

export function Comparison({ from, to, diff }: { from: RunRecord; to: RunRecord; diff: RunDiff }) {
  const outcomes = diff.cells.filter((cell) => cell.from !== cell.to).length;
  const change = to.result.global.mean_theta - from.result.global.mean_theta;
  return (
    <>
      <p className="headline">
        Mean evidence sufficiency {formatShare(from.result.global.mean_theta, 3)} became{' '}
        {formatShare(to.result.global.mean_theta, 3)} ({signed(change, 3)}).{' '}
        {plural(outcomes, 'outcome')} and the scores of {plural(diff.scores.length, 'item')}{' '}
        changed.
      </p>
      {diff.unlike.length > 0 && (
        <Notice tone="warning" title="The two are not of one kind">
          <ul className="plain-list">
            {diff.unlike.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        </Notice>
      )}
      <Result from={from} to={to} />
      <Cells
        cells={diff.cells}
        run={to}
        heads={['Earlier', 'Later']}
        note="Cells of items and rules that both runs have. Details are source value, provenance and notes."
      />
      <Scores diff={diff} />
      <Uids title="Items only in the later run" uids={diff.itemsAdded} />
      <Uids title="Items only in the earlier run" uids={diff.itemsGone} />
      <Uids title="Rules only in the later run" uids={diff.rulesAdded} />
      <Uids title="Rules only in the earlier run" uids={diff.rulesGone} />
      <p className="muted small">{to.result.interpretation_boundary}</p>
    </>
  );
}

function Result({ from, to }: { from: RunRecord; to: RunRecord }) {
  const [a, b] = [from.result.global, to.result.global];
  const [before, after] = [sumRules(from.result.rules), sumRules(to.result.rules)];
  const range = a.ci_level === b.ci_level ? rangeName(a.ci_level) : 'Range of items';
  const shares: [string, number, number][] = [
    ['Mean sufficiency', a.mean_theta, b.mean_theta],
    ['Median', a.median_theta, b.median_theta],
    [`${range}, lower`, a.lower_theta, b.lower_theta],
    [`${range}, upper`, a.upper_theta, b.upper_theta],
  ];
  const counts: [string, number, number][] = [
    ['Items', a.n_items, b.n_items],
    ['Rules', a.m_rules, b.m_rules],
    ['FALSE, evidence present', before[0], after[0]],
    ['TRUE, problem found', before[1], after[1]],
    ['NA, not available', before[2], after[2]],
    ['Not recorded', before[3], after[3]],
  ];
  return (
    <Section title="Result">
      <Table
        caption="Result of both runs"
        dense
        head={
          <tr>
            <th scope="col">Measure</th>
            <th scope="col" className="n">
              <Link to={runPath(from.run_uid)}>{from.run_uid}</Link>
            </th>
            <th scope="col" className="n">
              <Link to={runPath(to.run_uid)}>{to.run_uid}</Link>
            </th>
            <th scope="col" className="n">
              Change
            </th>
          </tr>
        }
      >
        {shares.map(([name, was, is]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className="n">{formatShare(was, 3)}</td>
            <td className="n">{formatShare(is, 3)}</td>
            <td className="n">{signed(is - was, 3)}</td>
          </tr>
        ))}
        {counts.map(([name, was, is]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className="n">{formatCount(was)}</td>
            <td className="n">{formatCount(is)}</td>
            <td className="n">{signed(is - was, 0)}</td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}

function holds(cell: CellChange, needle: string, ruleName: string): boolean {
  return (
    cell.item.toLowerCase().includes(needle) ||
    cell.rule.includes(needle) ||
    ruleName.toLowerCase().includes(needle)
  );
}

interface CellsProps {
  cells: readonly CellChange[];
  /** Gives the rules their names. */
  run: RunRecord;
  heads: readonly [from: string, to: string];
  note: string;
}

export function Cells({ cells, run, heads, note }: CellsProps) {
  const [filter, setFilter] = useState('');
  const names = new Map(run.frozen.profile.rules.map((rule) => [rule.ruleUid, rule.name]));
  const needle = filter.trim().toLowerCase();
  const shown =
    needle === '' ? cells : cells.filter((cell) => holds(cell, needle, names.get(cell.rule) ?? ''));
  const pager = usePager(shown.length, PAGE);
  if (cells.length === 0)
    return (
      <Section title="Changed cells" note="No cell that both have was changed.">
        <></>
      </Section>
    );
  return (
    <Section
      title="Changed cells"
      note={note}
      actions={
        <>
          <span className="muted small" role="status">
            {formatCount(shown.length)} of {formatCount(cells.length)} shown
          </span>
          <input
            type="search"
            className="input filter-input"
            aria-label="Filter changed cells by item or rule"
            placeholder="Filter cells"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        </>
      }
    >
      <Table
        caption="Changed cells"
        dense
        head={
          <tr>
            <th scope="col">Item</th>
            <th scope="col">Rule</th>
            <th scope="col">{heads[0]}</th>
            <th scope="col">{heads[1]}</th>
            <th scope="col">Details</th>
          </tr>
        }
      >
        {shown.slice(pager.first, pager.end).map((cell) => (
          <tr key={`${cell.rule}\n${cell.item}`}>
            <th scope="row">
              <code>{cell.item}</code>
            </th>
            <td>{names.get(cell.rule) ?? cell.rule}</td>
            <td>
              <OutcomeMark kind={cell.from ?? 'unrecorded'} label />
            </td>
            <td>
              {cell.from === cell.to ? (
                <span className="muted">the same</span>
              ) : (
                <OutcomeMark kind={cell.to ?? 'unrecorded'} label />
              )}
            </td>
            <td>{cell.details ? 'changed' : ''}</td>
          </tr>
        ))}
      </Table>
      <Pager pager={pager} what="cells" />
    </Section>
  );
}

function Scores({ diff }: { diff: RunDiff }) {
  const pager = usePager(diff.scores.length, PAGE);
  if (diff.scores.length === 0) return null;
  return (
    <Section
      title="Changed scores"
      note={
        'Largest change of the mean first. Intervals of one item overlap more than its means ' +
        'differ: a change of the mean is no proof of a difference.'
      }
    >
      <Table
        caption="Changed scores"
        dense
        head={
          <tr>
            <th scope="col">Item</th>
            <th scope="col" className="n">
              Met of rules
            </th>
            <th scope="col" className="n">
              Earlier mean
            </th>
            <th scope="col" className="n">
              Later mean
            </th>
            <th scope="col" className="n">
              Change
            </th>
            <th scope="col" className="n">
              Percentile
            </th>
          </tr>
        }
      >
        {diff.scores.slice(pager.first, pager.end).map(({ item, label, from, to, change }) => (
          <tr key={item}>
            <th scope="row">
              {label !== '' && label !== item && <>{label} </>}
              <code>{item}</code>
            </th>
            <td className="n">
              {from.k} of {from.m} → {to.k} of {to.m}
            </td>
            <td className="n">{formatShare(from.theta_mean, 3)}</td>
            <td className="n">{formatShare(to.theta_mean, 3)}</td>
            <td className="n">{signed(change, 3)}</td>
            <td className="n">
              {from.percentile.toFixed(1)} → {to.percentile.toFixed(1)}
            </td>
          </tr>
        ))}
      </Table>
      <Pager pager={pager} what="items" />
    </Section>
  );
}

export function Uids({ title, uids }: { title: string; uids: readonly string[] }) {
  if (uids.length === 0) return null;
  return (
    <Section title={`${title} (${formatCount(uids.length)})`}>
      <p className="small">
        {uids.slice(0, LISTED).map((uid, index) => (
          <span key={uid}>
            {index > 0 && ', '}
            <code>{uid}</code>
          </span>
        ))}
        {uids.length > LISTED && ` and ${formatCount(uids.length - LISTED)} more`}
      </p>
    </Section>
  );
}
