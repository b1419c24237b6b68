import type { RunRecord } from '../../../../shared/domain/run.ts';
import { formatShare, plural } from '../../../state/format.ts';
import { sumRules } from '../record.ts';
import type { SensitivityAnswers } from './find-sensitivity.ts';
import { Part } from './Part.tsx';
import { SpreadTable } from './SpreadTable.tsx';

function boundsSentence(run: RunRecord, { bounds }: SensitivityAnswers): string {
  const [, , unavailable, unrecorded] = sumRules(run.result.rules);
  if (unavailable + unrecorded === 0)
    return 'No evidence is missing: every cell is TRUE or FALSE, so that there are no bounds.';
  return (
    `${plural(unavailable, 'cell')} NA and ${plural(unrecorded, 'cell')} not recorded count 0, as ` +
    'TRUE does: if all of them were problems, the result would be as frozen, mean ' +
    `${formatShare(bounds.asProblem.spread.mean_theta, 3)}. If all of them were evidence, the mean would be ` +
    `${formatShare(bounds.asEvidence.spread.mean_theta, 3)}. Whatever they are, it is between the two.`
  );
}

/** What NA and unrecorded cells could make of the result. */
export function Bounds({ run, answers }: { run: RunRecord; answers: SensitivityAnswers }) {
  const { bounds } = answers;
  return (
    <Part title="If missing evidence were there" note={boundsSentence(run, answers)}>
      <SpreadTable
        caption="The result if missing evidence were there"
        head="Every"
        level={run.settings.ci_level}
        rows={[
          {
            key: 'problem',
            name: 'NA and unrecorded cell TRUE, problem found: as frozen',
            spread: bounds.asProblem.spread,
          },
          {
            key: 'unrecorded',
            name: 'unrecorded cell FALSE, evidence present',
            spread: bounds.unrecordedPresent.spread,
          },
          {
            key: 'unavailable',
            name: 'NA cell FALSE, evidence present',
            spread: bounds.unavailablePresent.spread,
          },
          {
            key: 'evidence',
            name: 'NA and unrecorded cell FALSE, evidence present',
            spread: bounds.asEvidence.spread,
          },
        ]}
      />
    </Part>
  );
}
