import { z } from 'zod';
import { text } from '../../../shared/contract/common.ts';
import { releaseRound, type Round } from '../../../shared/contract/v1/rounds.ts';
import { useForm } from '../../state/form.ts';
import { useServices } from '../../state/services.tsx';
import { ReasonDialog } from '../../ui/ReasonDialog.tsx';
import { t } from '../../text/t.ts';
import { roundsOf } from './use-rounds.ts';

/** An owner releases a round before enough recorders are done. */
export function ReleaseDialog({ round, onClose }: { round: Round; onClose: () => void }) {
  const { call, queries } = useServices();
  const form = useForm({
    initial: { reason: '' },
    schema: z.strictObject({ reason: text(2_000, 1) }),
    toInput: ({ reason }) => ({ reason: reason.trim() }),
    submit: async (body) => {
      await call(releaseRound, {
        params: { caseUid: round.case_uid, roundId: round.round_id },
        body,
      });
      queries.invalidate(roundsOf(round.case_uid));
      onClose();
    },
  });
  return (
    <ReasonDialog
      title={t('Release {title}', { title: round.title })}
      description={t(
        'Everybody who reads the case then reads what was recorded. It cannot be taken back, and only those who are done count.',
      )}
      action={t('Release')}
      tone="danger"
      form={form}
      reason={form.values.reason}
      onReason={(reason) => form.set('reason', reason)}
      hint={t('Kept in the audit trail.')}
      onClose={onClose}
    />
  );
}
