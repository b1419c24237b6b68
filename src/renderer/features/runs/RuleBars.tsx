import { Fragment, useId } from 'react';
import type { ProfileRule } from '../../../shared/domain/profile.ts';
import type { RuleResult } from '../../../shared/domain/result.ts';
import type { RunRecord } from '../../../shared/domain/run.ts';
import { formatCount } from '../../state/format.ts';
import { OutcomeMark, OUTCOME_TEXT, type OutcomeKind } from '../../ui/Badge.tsx';
import { Figure } from '../../ui/Figure.tsx';
import { Table } from '../../ui/Table.tsx';
import type { RunCounts } from './record.ts';
import { rulesSentence } from './sentences.ts';

const KINDS: readonly OutcomeKind[] = ['FALSE', 'TRUE', 'NA', 'unrecorded'];

interface RuleBar {
  rule: ProfileRule | undefined;
  uid: string;
  counts: RunCounts;
}

const countsOf = (result: RuleResult): RunCounts => [
  result.evidence_present,
  result.problem_found,
  result.not_available,
  result.unrecorded,
];

export function RuleBars({ run, totals }: { run: RunRecord; totals: RunCounts }) {
  const ruleByUid = new Map(run.frozen.profile.rules.map((rule) => [rule.ruleUid, rule]));
  const rows = run.result.rules.map((result): RuleBar => ({
    rule: ruleByUid.get(result.rule_uid),
    uid: result.rule_uid,
    counts: countsOf(result),
  }));
  const sentence = rulesSentence(
    run.result.rules,
    (uid) => ruleByUid.get(uid)?.name ?? uid,
    totals,
  );
  return (
    <Figure
      title="Rules"
      sentence={sentence}
      picture={<Bars rows={rows} items={run.result.global.n_items} />}
      table={<RulesCounts rows={rows} />}
    />
  );
}

function RulesCounts({ rows }: { rows: readonly RuleBar[] }) {
  const head = (
    <tr>
      <th scope="col" className="n">
        #
      </th>
      <th scope="col">Rule</th>
      {KINDS.map((kind) => (
        <th key={kind} scope="col" className="n">
          <OutcomeMark kind={kind} label />
        </th>
      ))}
    </tr>
  );
  return (
    <Table caption="Outcomes by rule" head={head} dense>
      {rows.map((row) => (
        <tr key={row.uid}>
          <td className="n">{row.rule?.ruleOrder}</td>
          <th scope="row">{row.rule?.name ?? row.uid}</th>
          {KINDS.map((kind, index) => (
            <td key={kind} className="n">
              {formatCount(row.counts[index] ?? 0)}
            </td>
          ))}
        </tr>
      ))}
    </Table>
  );
}

function Bars({ rows, items }: { rows: readonly RuleBar[]; items: number }) {
  return (
    <div className="panel">
      <div className="rule-bars">
        <span className="rule-bars-head muted">Rule, in the profile's order</span>
        <span className="rule-bars-head muted">Share of {formatCount(items)} items</span>
        {KINDS.map((kind) => (
          <span key={kind} className="rule-bars-head rule-bars-n">
            <OutcomeMark kind={kind} />
            <span className="muted rule-bars-word">
              {OUTCOME_TEXT[kind].meaning === 'nobody has recorded it'
                ? 'unrecorded'
                : OUTCOME_TEXT[kind].meaning}
            </span>
          </span>
        ))}
        {rows.map((row) => (
          <Fragment key={row.uid}>
            <span className="rule-bars-name">
              <span className="num muted">{row.rule?.ruleOrder}</span> {row.rule?.name ?? row.uid}
            </span>
            <StackedBar counts={row.counts} />
            {KINDS.map((kind, index) => (
              <span key={kind} className="num rule-bars-n">
                {formatCount(row.counts[index] ?? 0)}
              </span>
            ))}
          </Fragment>
        ))}
      </div>
    </div>
  );
}

/**
 * Segments in the order of the legend; letters where there is room, so that the bar reads without
 * colour.
 */
function StackedBar({ counts }: { counts: RunCounts }) {
  const pattern = useId();
  const total = counts.reduce((sum, count) => sum + count, 0);
  const label = KINDS.map((kind, index) => `${formatCount(counts[index] ?? 0)} ${kind}`).join(', ');
  let start = 0;
  return (
    <svg className="stacked" width="100%" height="18" role="img" aria-label={label}>
      <defs>
        <pattern
          id={pattern}
          width="5"
          height="5"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <rect width="5" height="5" className="seg-na" />
          <rect width="1.4" height="5" className="seg-na-line" />
        </pattern>
      </defs>
      {KINDS.map((kind, index) => {
        const share = total === 0 ? 0 : (100 * (counts[index] ?? 0)) / total;
        const x = start;
        start += share;
        if (share === 0) return null;
        return (
          <g key={kind} data-kind={kind} className="segment">
            <rect
              x={`${x}%`}
              y="0.5"
              width={`${share}%`}
              height="17"
              {...(kind === 'NA' ? { fill: `url(#${pattern})` } : {})}
            />
            {share >= 7 && (
              <text x={`${x + share / 2}%`} y="13" textAnchor="middle">
                {OUTCOME_TEXT[kind].letter}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}
