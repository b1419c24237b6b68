import { useEffect, useState } from 'react';
import {
  decidePairing,
  listPairingRequests,
  type PairingRequest,
} from '../../../shared/contract/v1/pairing.ts';
import { useQuery } from '../../state/query.ts';
import { useServices } from '../../state/services.tsx';
import { useMay } from '../../state/use-may.ts';
import { Button } from '../../ui/Button.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { rich } from '../../text/rich.ts';
import { t } from '../../text/t.ts';
import { mayWords } from './key-words.ts';
import { PairingDialog } from './PairingDialog.tsx';
import { useAct } from './use-act.ts';
import { useCalled } from './use-called.ts';

const KEY = 'pairing';
/** Somebody has just started the program, and looks here next. */
const ASK_AGAIN_MS = 4_000;
/** How long a key lasts that is allowed without a closer look. */
const DAYS = 90;

/**
 * Programs on this computer that ask to be let in. It opens no dialog by itself: somebody may be in
 * the middle of a sentence.
 */
export function PairingNotice() {
  const home = useQuery('session', (library) => library.session()).data?.home;
  const mayDecide = useMay(decidePairing);
  return home === undefined || home === 'hosted' || !mayDecide ? null : <Waiting />;
}

function Waiting() {
  const { data, reload } = useCalled(KEY, listPairingRequests);
  useEffect(() => {
    const look = (): void => {
      if (document.visibilityState === 'visible') reload();
    };
    const timer = setInterval(look, ASK_AGAIN_MS);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [reload]);
  return data?.data.map((request) => <Request key={request.pairing_id} request={request} />);
}

/** What was decided changes these. */
const CHANGES = [KEY, 'usage', 'audit'];

function Request({ request }: { request: PairingRequest }) {
  const { call } = useServices();
  const { busy, act } = useAct();
  const [choosing, setChoosing] = useState(false);
  const { name, code, pairing_id } = request;
  const params = { pairingId: pairing_id };
  const allow = (): Promise<boolean> =>
    act(() => call(decidePairing, { params, body: { decision: 'allow', expires_days: DAYS } }), {
      changes: CHANGES,
      done: t('{name} is let in.', { name }),
      failed: t('{name} was not let in', { name }),
    });
  const refuse = (): Promise<boolean> =>
    act(() => call(decidePairing, { params, body: { decision: 'refuse' } }), {
      changes: CHANGES,
      done: t('{name} was refused.', { name }),
      failed: t('{name} was not refused', { name }),
    });
  return (
    <div className="shell-notice">
      <Notice
        tone="warning"
        live
        title={t('A program on this computer that calls itself "{name}" asks to be let in', {
          name,
        })}
        actions={
          <>
            <Button size="sm" busy={busy} onClick={() => void refuse()}>
              {t('Refuse')}
            </Button>
            <Button size="sm" busy={busy} onClick={() => setChoosing(true)}>
              {t('Allow less…')}
            </Button>
            <Button size="sm" variant="primary" busy={busy} onClick={() => void allow()}>
              {t('Allow')}
            </Button>
          </>
        }
      >
        <p>
          {rich(
            'Allow it only if you have just started it and it shows the code {code}. It may then: {may}, for 90 days.',
            { code: <code>{code}</code>, may: mayWords(request) },
          )}
        </p>
      </Notice>
      {choosing && (
        <PairingDialog request={request} changes={CHANGES} onClose={() => setChoosing(false)} />
      )}
    </div>
  );
}
