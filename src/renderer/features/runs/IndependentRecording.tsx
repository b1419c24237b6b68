import type { RunRecord } from '../../../shared/domain/run.ts';
import { AGREEMENT_HEADS, agreementRows } from '../../state/agreement-figures.ts';
import { t } from '../../text/t.ts';
import { FiguresTable } from '../../ui/FiguresTable.tsx';
import { Section } from '../../ui/Page.tsx';
import { agreementSentence, settledSentence } from './independent.ts';

/** The agreement that was frozen with a run; nothing where it names no independent recording. */
export function IndependentRecording({ run }: { run: RunRecord }) {
  const { round } = run.frozen;
  if (round === undefined) return null;
  return (
    <Section title={t('Agreement of independent recorders')} note={agreementSentence(round)}>
      <p>{settledSentence(round)}</p>
      <FiguresTable
        caption={t('Agreement over all cells and by rule')}
        heads={AGREEMENT_HEADS}
        rows={agreementRows(round.figures, run.frozen.profile.rules)}
      />
    </Section>
  );
}
