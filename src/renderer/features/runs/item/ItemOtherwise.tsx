import { useMemo } from 'react';
import type { CountResult, ItemResult } from '../../../../shared/domain/result.ts';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import {
  countRows,
  evidenceBounds,
  KNOWN_PRIORS,
  outlineOf,
  type ResultOutline,
} from '../../../../shared/domain/sensitivity.ts';
import { formatShare, plural } from '../../../state/format.ts';
import { Section } from '../../../ui/Page.tsx';
import { Table } from '../../../ui/Table.tsx';
import { signed } from '../sentences.ts';
import type { ItemFacts } from './item-facts.ts';

interface OtherCase {
  name: string;
  result: CountResult | ItemResult;
}

/** The item as it is, under other priors, and if missing evidence were there. */
function otherCases(run: RunRecord, { row, result }: ItemFacts): OtherCase[] {
  const counts = countRows(run.frozen.raw);
  const rules = run.frozen.rules.length;
  const { settings } = run;
  const own = (outline: ResultOutline): CountResult | ItemResult =>
    outline.byCount.get(outline.present[row] ?? 0) ?? result;
  const under = (prior: (typeof KNOWN_PRIORS)[keyof typeof KNOWN_PRIORS]) =>
    own(outlineOf(counts.present, rules, { ...settings, ...prior }));
  const { asEvidence } = evidenceBounds(counts, rules, settings);
  const missing = (counts.unavailable[row] ?? 0) + (counts.unrecorded[row] ?? 0);
  return [
    { name: 'As frozen', result },
    { name: 'Uniform prior, Beta(1, 1)', result: under(KNOWN_PRIORS.uniform) },
    { name: 'Jeffreys prior, Beta(0.5, 0.5)', result: under(KNOWN_PRIORS.jeffreys) },
    {
      name:
        missing === 0
          ? 'Missing evidence there, for all items (this one misses none)'
          : `Missing evidence there, for all items (${plural(missing, 'cell')} of this one)`,
      result: own(asEvidence),
    },
  ];
}

/** How sure the result of the item is: what it would be otherwise. */
export function ItemOtherwise({ run, facts }: { run: RunRecord; facts: ItemFacts }) {
  const cases = useMemo(() => otherCases(run, facts), [run, facts]);
  return (
    <Section
      title="How sure is it"
      note="NA and unrecorded cells count 0, as TRUE does: if all of them were problems, the result would be as frozen."
    >
      <Table
        caption="The result of this item otherwise"
        dense
        head={
          <tr>
            <th scope="col">Case</th>
            <th scope="col" className="n">
              Met
            </th>
            <th scope="col" className="n">
              Mean
            </th>
            <th scope="col" className="n">
              Change
            </th>
            <th scope="col" className="n">
              Interval
            </th>
            <th scope="col" className="n">
              Percentile
            </th>
          </tr>
        }
      >
        {cases.map(({ name, result }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className="n">
              {result.k} of {result.m}
            </td>
            <td className="n">{formatShare(result.theta_mean, 3)}</td>
            <td className="n">{signed(result.theta_mean - facts.result.theta_mean, 3)}</td>
            <td className="n">
              {formatShare(result.theta_lower, 3)}–{formatShare(result.theta_upper, 3)}
            </td>
            <td className="n">{result.percentile.toFixed(1)}</td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}
