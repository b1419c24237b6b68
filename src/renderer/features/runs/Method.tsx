import type { RunRecord } from '../../../shared/domain/run.ts';
import { formatPercent } from '../../state/format.ts';
import { Facts, Section } from '../../ui/Page.tsx';
import { settingsSentence } from './sentences.ts';
import { t } from '../../text/t.ts';

/** How the numbers came about, so that they can be made again. */
export function Method({ run }: { run: RunRecord }) {
  const { prior_alpha, prior_beta, ci_level } = run.settings;
  const facts = [
    { name: t('Method'), value: <code>{run.method}</code> },
    { name: t('Engine'), value: `${run.engine.name} ${run.engine.version}` },
    { name: t('Prior'), value: `Beta(${prior_alpha}, ${prior_beta})` },
    {
      name: t('Credible level'),
      value: t('{level}, equal-tailed', { level: formatPercent(ci_level) }),
    },
    {
      name: t('Profile'),
      value: `${run.frozen.profile.name}, ${run.profile_uid} ${run.profile_version}, ${run.frozen.profile.standard}`,
    },
    {
      name: t('Case'),
      value: `${run.frozen.case.title} (${run.case_uid}), ${run.frozen.case.case_type}`,
    },
  ];
  return (
    <Section title={t('Method and settings')} note={settingsSentence(run.settings)}>
      <Facts entries={facts} />
      <p className="section-note">
        {t(
          "For item i, k of its m rules are met: FALSE, evidence present. TRUE, NA and cells that are not recorded count 0. The posterior is Beta(a + k, b + m − k): its mean is the item's sufficiency, and the interval runs between its exact quantiles. The percentile is the item's mean rank among all items, ties averaged. The range of items is made of type-7 quantiles of the item means.",
        )}
      </p>
    </Section>
  );
}
