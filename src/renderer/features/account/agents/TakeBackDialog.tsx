import { useState } from 'react';
import { type ApiKey, revokeKey } from '../../../../shared/contract/v1/account.ts';
import { formatDate } from '../../../state/format.ts';
import { useServices } from '../../../state/services.tsx';
import { Confirm } from '../../../ui/Dialog.tsx';
import { CheckField } from '../../../ui/Field.tsx';
import { t } from '../../../text/t.ts';
import { useAct } from '../use-act.ts';
import { type NotTakenBack, takeBackWrites } from './take-back.ts';

/**
 * Ends an agent's access and, if wanted, takes back what it wrote, as far as nobody has recorded
 * there since. What could not be taken back is named, and may be tried again.
 */
export function TakeBackDialog({ agent, onClose }: { agent: ApiKey; onClose: () => void }) {
  const { call } = useServices();
  const { busy, act } = useAct();
  // Also where the list says that it was never used: it may have been since.
  const [reverts, setReverts] = useState(true);
  const [hasEnded, setHasEnded] = useState(false);
  const [left, setLeft] = useState<readonly NotTakenBack[]>([]);
  const { name, key_id, created_at } = agent;

  const takeBack = async (): Promise<void> => {
    let remaining: readonly NotTakenBack[] = [];
    const isDone = await act(
      async () => {
        if (!hasEnded) await call(revokeKey, { params: { keyId: key_id } });
        setHasEnded(true);
        if (reverts) remaining = await takeBackWrites(call, agent);
        setLeft(remaining);
      },
      {
        changes: ['usage', 'audit'],
        done: t('The access of {name} is taken back.', { name }),
        failed: t('Not everything was taken back'),
      },
    );
    if (isDone && remaining.length === 0) onClose();
  };
  return (
    <Confirm
      onClose={onClose}
      title={t('Take back the access of "{name}"?', { name })}
      action={hasEnded ? t('Try again') : t('Take back')}
      busy={busy}
      onConfirm={() => void takeBack()}
    >
      <p>{t('It is refused from its next request on. It may ask again, and you decide again.')}</p>
      <CheckField
        label={t('Also take back what it wrote')}
        hint={t(
          'In all cases written to since {date}, archived ones too; not in deleted cases, nor in those of archived projects. What somebody recorded there later stays, and so does the history.',
          { date: formatDate(created_at) },
        )}
        checked={reverts}
        onChecked={setReverts}
      />
      {left.length > 0 && (
        <div role="alert">
          <p>{t('The access has ended, but in these cases not all was taken back:')}</p>
          <ul>
            {left.map(({ title, why }, place) => (
              <li key={place}>
                {title}: {why}
              </li>
            ))}
          </ul>
        </div>
      )}
    </Confirm>
  );
}
