import { z } from 'zod';
import type { CaseUid } from '../../../shared/contract/ids.ts';
import { text } from '../../../shared/contract/common.ts';
import { listRuns } from '../../../shared/contract/v1/runs.ts';
import { moveCase } from '../../../shared/contract/v1/sign-off.ts';
import { type CaseStage } from '../../../shared/domain/sign-off.ts';
import { RunUid } from '../../../shared/domain/uid.ts';
import { formatDateTime } from '../../state/format.ts';
import { useForm } from '../../state/form.ts';
import { useQuery } from '../../state/query.ts';
import { useServices } from '../../state/services.tsx';
import { ReasonDialog } from '../../ui/ReasonDialog.tsx';
import { Select } from '../../ui/Select.tsx';
import { t } from '../../text/t.ts';
import { STAGE_WORDS } from './words.ts';

const SHOWN = '20';

/** The newest runs of a case: one of them is what is approved. */
function useRunsToApprove(caseUid: CaseUid, isAsked: boolean) {
  const { call, clock } = useServices();
  return useQuery(`runs/to-approve/${caseUid}/${String(isAsked)}`, async () => ({
    data: isAsked
      ? (await call(listRuns, { query: { case_uid: caseUid, limit: SHOWN, order: 'desc' } })).data
      : [],
    stale: false,
    at: clock.now(),
  }));
}

/** Moves a case to another stage, with a reason; an approval names a run. */
export function MoveDialog({
  caseUid,
  to,
  onClose,
  onMoved,
}: {
  caseUid: CaseUid;
  to: CaseStage;
  onClose: () => void;
  onMoved: () => void;
}) {
  const { call, queries } = useServices();
  const isApproval = to === 'approved';
  const runs = useRunsToApprove(caseUid, isApproval).data;
  const form = useForm({
    initial: { reason: '', run_uid: '' },
    schema: z.strictObject({ reason: text(2_000, 1), run_uid: RunUid.optional() }),
    toInput: ({ reason, run_uid }) => ({
      reason: reason.trim(),
      ...(run_uid !== '' && { run_uid }),
    }),
    submit: async (input) => {
      await call(moveCase, { params: { caseUid }, body: { ...input, stage: to } });
      queries.invalidate('case');
      onClose();
      onMoved();
    },
  });
  const { action, name, means } = STAGE_WORDS[to];
  return (
    <ReasonDialog
      title={t('{action}: {stage}', { action, stage: name })}
      description={means}
      action={action}
      form={form}
      reason={form.values.reason}
      onReason={(reason) => form.set('reason', reason)}
      hint={t('Kept in the history of the case and in the audit trail.')}
      isIncomplete={isApproval && form.values.run_uid === ''}
      onClose={onClose}
    >
      {isApproval && (
        <Select
          label={t('Run that is approved')}
          hint={runs?.length === 0 ? t('The case has no run yet: freeze one first.') : ''}
          options={(runs ?? []).map(({ run_uid, created_at, created_by }) => ({
            value: run_uid as string,
            label: t('{when}, {by}', { when: formatDateTime(created_at), by: created_by }),
            detail: run_uid,
          }))}
          value={form.values.run_uid === '' ? null : form.values.run_uid}
          onValue={(run_uid) => form.set('run_uid', run_uid)}
          error={form.errors['run_uid']}
        />
      )}
    </ReasonDialog>
  );
}
