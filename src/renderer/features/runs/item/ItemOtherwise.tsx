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
import { formatShare } from '../../../state/format.ts';
import { Section } from '../../../ui/Page.tsx';
import { Table } from '../../../ui/Table.tsx';
import { signed } from '../sentences.ts';
import type { ItemFacts } from './item-facts.ts';
import { t, tAs } from '../../../text/t.ts';

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
    { name: t('As frozen'), result },
    { name: t('Uniform prior, Beta(1, 1)'), result: under(KNOWN_PRIORS.uniform) },
    { name: t('Jeffreys prior, Beta(0.5, 0.5)'), result: under(KNOWN_PRIORS.jeffreys) },
    {
      name:
        missing === 0
          ? t('Missing evidence there, for all items (this one misses none)')
          : t(
              'Missing evidence there, for all items ({cells, plural, one {# cell} other {# cells}} of this one)',
              { cells: missing },
            ),
      result: own(asEvidence),
    },
  ];
}

/** How sure the result of the item is: what it would be otherwise. */
export function ItemOtherwise({ run, facts }: { run: RunRecord; facts: ItemFacts }) {
  const cases = useMemo(() => otherCases(run, facts), [run, facts]);
  return (
    <Section
      title={t('How sure is it')}
      note={t(
        'NA and unrecorded cells count 0, as TRUE does: if all of them were problems, the result would be as frozen.',
      )}
    >
      <Table
        caption={t('The result of this item otherwise')}
        dense
        head={
          <tr>
            <th scope="col">{tAs('scenario', 'Case')}</th>
            <th scope="col" className="n">
              {t('Met')}
            </th>
            <th scope="col" className="n">
              {t('Mean')}
            </th>
            <th scope="col" className="n">
              {tAs('difference', 'Change')}
            </th>
            <th scope="col" className="n">
              {t('Interval')}
            </th>
            <th scope="col" className="n">
              {t('Percentile')}
            </th>
          </tr>
        }
      >
        {cases.map(({ name, result }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className="n">{t('{k} of {m}', { k: result.k, m: result.m })}</td>
            <td className="n">{formatShare(result.theta_mean, 3)}</td>
            <td className="n">{signed(result.theta_mean - facts.result.theta_mean, 3)}</td>
            <td className="n">
              {formatShare(result.theta_lower, 3)}–{formatShare(result.theta_upper, 3)}
            </td>
            <td className="n">{formatShare(result.percentile, 1)}</td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}
