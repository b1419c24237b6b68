import type { RunRecord } from '../../../../shared/domain/run.ts';
import { formatShare } from '../../../state/format.ts';
import { sumRules } from '../record.ts';
import type { SensitivityAnswers } from './find-sensitivity.ts';
import { Part } from './Part.tsx';
import { SpreadTable } from './SpreadTable.tsx';
import { t } from '../../../text/t.ts';

function boundsSentence(run: RunRecord, { bounds }: SensitivityAnswers): string {
  const [, , unavailable, unrecorded] = sumRules(run.result.rules);
  if (unavailable + unrecorded === 0)
    return t('No evidence is missing: every cell is TRUE or FALSE, so that there are no bounds.');
  return t(
    '{unavailable, plural, one {# cell} other {# cells}} NA and {unrecorded, plural, one {# cell} other {# cells}} not recorded count 0, as TRUE does: if all of them were problems, the result would be as frozen, mean {mean}. If all of them were evidence, the mean would be {meanWithAll}. Whatever they are, it is between the two.',
    {
      unavailable,
      unrecorded,
      mean: formatShare(bounds.asProblem.spread.mean_theta, 3),
      meanWithAll: formatShare(bounds.asEvidence.spread.mean_theta, 3),
    },
  );
}

/** What NA and unrecorded cells could make of the result. */
export function Bounds({ run, answers }: { run: RunRecord; answers: SensitivityAnswers }) {
  const { bounds } = answers;
  return (
    <Part title={t('If missing evidence were there')} note={boundsSentence(run, answers)}>
      <SpreadTable
        caption={t('The result if missing evidence were there')}
        head={t('Every')}
        level={run.settings.ci_level}
        rows={[
          {
            key: 'problem',
            name: t('NA and unrecorded cell TRUE, problem found: as frozen'),
            spread: bounds.asProblem.spread,
          },
          {
            key: 'unrecorded',
            name: t('unrecorded cell FALSE, evidence present'),
            spread: bounds.unrecordedPresent.spread,
          },
          {
            key: 'unavailable',
            name: t('NA cell FALSE, evidence present'),
            spread: bounds.unavailablePresent.spread,
          },
          {
            key: 'evidence',
            name: t('NA and unrecorded cell FALSE, evidence present'),
            spread: bounds.asEvidence.spread,
          },
        ]}
      />
    </Part>
  );
}
