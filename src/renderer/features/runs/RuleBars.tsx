import { useId, useMemo } from 'react';
import type { RuleResult } from '../../../shared/domain/result.ts';
import type { RunRecord } from '../../../shared/domain/run.ts';
import { formatCount } from '../../state/format.ts';
import { OUTCOME_KINDS, OutcomeMark } from '../../ui/OutcomeMark.tsx';
import { Table } from '../../ui/Table.tsx';
import { drawRules, type RuleOutcomes } from './figures/draw-rules.tsx';
import { RunFigure } from './figures/RunFigure.tsx';
import type { RunCounts } from '../../../shared/domain/item-lines.ts';
import { ruleNames } from './record.ts';
import { rulesSentence } from './sentences.ts';
import { t } from '../../text/t.ts';

const countsOf = (result: RuleResult): RunCounts => [
  result.evidence_present,
  result.problem_found,
  result.not_available,
  result.unrecorded,
];

/** The outcomes of each rule of a run, in the order of its columns. */
export function ruleOutcomes({ frozen, result }: RunRecord): RuleOutcomes[] {
  const ruleByUid = new Map(frozen.profile.rules.map((rule) => [rule.ruleUid, rule]));
  return result.rules.map((counts, column) => {
    const rule = ruleByUid.get(counts.rule_uid);
    return {
      order: rule?.ruleOrder ?? column + 1,
      name: rule?.name ?? counts.rule_uid,
      counts: countsOf(counts),
    };
  });
}

export function RuleBars({
  run,
  rules,
  totals,
}: {
  run: RunRecord;
  rules: readonly RuleOutcomes[];
  totals: RunCounts;
}) {
  const id = useId();
  const drawing = useMemo(() => drawRules(rules, id), [rules, id]);
  return (
    <RunFigure
      run={run}
      title={t('Rules')}
      sentence={rulesSentence(run.result.rules, ruleNames(run), totals)}
      drawing={drawing}
      table={<RulesCounts rules={rules} />}
    />
  );
}

function RulesCounts({ rules }: { rules: readonly RuleOutcomes[] }) {
  const head = (
    <tr>
      <th scope="col" className="n">
        #
      </th>
      <th scope="col">{t('Rule')}</th>
      {OUTCOME_KINDS.map((kind) => (
        <th key={kind} scope="col" className="n">
          <OutcomeMark kind={kind} label />
        </th>
      ))}
    </tr>
  );
  return (
    <Table caption={t('Outcomes by rule')} head={head} dense>
      {rules.map(({ order, name, counts }) => (
        <tr key={order}>
          <td className="n">{order}</td>
          <th scope="row">{name}</th>
          {OUTCOME_KINDS.map((kind, index) => (
            <td key={kind} className="n">
              {formatCount(counts[index] ?? 0)}
            </td>
          ))}
        </tr>
      ))}
    </Table>
  );
}
