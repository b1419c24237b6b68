import type { RunRecord } from '../../../shared/domain/run.ts';
import { formatPercent } from '../../state/format.ts';
import { Facts, Section } from '../../ui/Page.tsx';
import { settingsSentence } from './sentences.ts';

/** How the numbers came about, so that they can be made again. */
export function Method({ run }: { run: RunRecord }) {
  const { prior_alpha, prior_beta, ci_level } = run.settings;
  const facts = [
    { name: 'Method', value: <code>{run.method}</code> },
    { name: 'Engine', value: `${run.engine.name} ${run.engine.version}` },
    { name: 'Prior', value: `Beta(${prior_alpha}, ${prior_beta})` },
    { name: 'Credible level', value: `${formatPercent(ci_level)}, equal-tailed` },
    {
      name: 'Profile',
      value: `${run.frozen.profile.name}, ${run.profile_uid} ${run.profile_version}, ${run.frozen.profile.standard}`,
    },
    {
      name: 'Case',
      value: `${run.frozen.case.title} (${run.case_uid}), ${run.frozen.case.case_type}`,
    },
  ];
  return (
    <Section title="Method and settings" note={settingsSentence(run.settings)}>
      <Facts entries={facts} />
      <p className="section-note">
        For item i, k of its m rules are met: FALSE, evidence present. TRUE, NA and cells that are
        not recorded count 0. The posterior is Beta(a + k, b + m − k): its mean is the item&apos;s
        sufficiency, and the interval runs between its exact quantiles. The percentile is the
        item&apos;s mean rank among all items, ties averaged. The range of items is made of type-7
        quantiles of the item means.
      </p>
    </Section>
  );
}
