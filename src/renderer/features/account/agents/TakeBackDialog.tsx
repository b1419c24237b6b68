import { useState } from 'react';
import { type ApiKey, revokeKey } from '../../../../shared/contract/v1/account.ts';
import type { Activity } from '../../../../shared/contract/v1/activity.ts';
import { revertChanges } from '../../../../shared/contract/v1/reverts.ts';
import { useServices } from '../../../state/services.tsx';
import { Confirm } from '../../../ui/Dialog.tsx';
import { CheckField } from '../../../ui/Field.tsx';
import { t } from '../../../text/t.ts';
import { useAct } from '../use-act.ts';

/**
 * Ends an agent's access and, if wanted, takes back what it wrote, as far as nobody has recorded
 * there since.
 */
export function TakeBackDialog({
  agent,
  cases,
  onClose,
}: {
  agent: ApiKey;
  /** Where it wrote. */
  cases: readonly Activity[];
  onClose: () => void;
}) {
  const { call } = useServices();
  const { busy, act } = useAct();
  const [reverts, setReverts] = useState(cases.length > 0);
  const { name, key_id, created_at } = agent;

  /** All that this key wrote in a case: as many requests as it takes. */
  const revertCase = async (caseUid: Activity['case_uid']): Promise<void> => {
    const params = { caseUid };
    const reason = t('The access of {name} was taken back', { name });
    const first = { key_id, since: created_at, reason };
    let { left } = await call(revertChanges, { params, body: first });
    while (left.length > 0)
      ({ left } = await call(revertChanges, {
        params,
        body: { changes: left.slice(0, 2_000), reason },
      }));
  };
  const takeBack = async (): Promise<void> => {
    const isDone = await act(
      async () => {
        await call(revokeKey, { params: { keyId: key_id } });
        if (reverts) for (const { case_uid } of cases) await revertCase(case_uid);
      },
      {
        changes: ['usage', 'audit'],
        done: t('The access of {name} is taken back.', { name }),
        failed: t('Not everything was taken back'),
      },
    );
    if (isDone) onClose();
  };
  return (
    <Confirm
      open
      onOpenChange={onClose}
      title={t('Take back the access of "{name}"?', { name })}
      action={t('Take back')}
      busy={busy}
      onConfirm={() => void takeBack()}
    >
      <p>{t('It is refused from its next request on. It may ask again, and you decide again.')}</p>
      {cases.length > 0 && (
        <CheckField
          label={t('Also take back what it wrote')}
          hint={t(
            'In {cases, plural, one {one case} other {# cases}}: {titles}. What somebody recorded there later stays, and so does the history.',
            { cases: cases.length, titles: cases.map(({ title }) => title).join(', ') },
          )}
          checked={reverts}
          onChecked={setReverts}
        />
      )}
    </Confirm>
  );
}
