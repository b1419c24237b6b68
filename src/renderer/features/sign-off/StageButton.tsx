import { BadgeCheck, CircleDashed, Eye, PenLine } from 'lucide-react';
import { useState } from 'react';
import type { CaseUid } from '../../../shared/contract/ids.ts';
import { moveCase, type SignOff } from '../../../shared/contract/v1/sign-off.ts';
import { type CaseStage, isForOwners } from '../../../shared/domain/sign-off.ts';
import { formatDateTime } from '../../state/format.ts';
import { useQuery } from '../../state/query.ts';
import { useMay } from '../../state/use-may.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { t } from '../../text/t.ts';
import { MoveDialog } from './MoveDialog.tsx';
import { useSignOff } from './use-sign-off.ts';
import { cameWords, STAGE_WORDS } from './words.ts';

const ICONS = { in_progress: CircleDashed, in_review: Eye, approved: BadgeCheck, amended: PenLine };

/** In which stage a case is; opens how it came there, and where it may go. */
export function StageButton({ caseUid, stage }: { caseUid: CaseUid; stage: CaseStage }) {
  const [open, setOpen] = useState(false);
  const [to, setTo] = useState<CaseStage>();
  const Icon = ICONS[stage];
  const { name } = STAGE_WORDS[stage];
  return (
    <>
      <Button
        size="sm"
        icon={<Icon size={14} aria-hidden="true" />}
        aria-label={t('Stage of the case: {name}', { name })}
        onClick={() => setOpen(true)}
      >
        {name}
      </Button>
      {open && <StageDialog caseUid={caseUid} onMove={setTo} onClose={() => setOpen(false)} />}
      {to !== undefined && (
        <MoveDialog
          caseUid={caseUid}
          to={to}
          onClose={() => setTo(undefined)}
          onMoved={() => setOpen(false)}
        />
      )}
    </>
  );
}

interface StageDialogProps {
  caseUid: CaseUid;
  onMove: (to: CaseStage) => void;
  onClose: () => void;
}

function StageDialog({ caseUid, onMove, onClose }: StageDialogProps) {
  const known = useSignOff(caseUid);
  const mayMove = useMay(moveCase);
  const isOwner = useQuery('session', (library) => library.session()).data?.user.role === 'owner';
  const next = (known.data?.next ?? []).filter((stage) => isOwner || !isForOwners(stage));
  return (
    <Dialog
      onClose={onClose}
      title={t('Stage of the case')}
      footer={
        <>
          <Button onClick={onClose}>{t('Close')}</Button>
          {mayMove &&
            next.map((stage, index) => (
              <Button
                key={stage}
                {...(index === 0 && { variant: 'primary' as const })}
                onClick={() => onMove(stage)}
              >
                {t('{action}…', { action: STAGE_WORDS[stage].action })}
              </Button>
            ))}
        </>
      }
    >
      <Loaded query={known} what={t('the stage of the case')} lines={4}>
        {(signOff) => <StageFacts signOff={signOff} isOwner={isOwner} />}
      </Loaded>
    </Dialog>
  );
}

function StageFacts({ signOff, isOwner }: { signOff: SignOff; isOwner: boolean }) {
  const { name, means } = STAGE_WORDS[signOff.stage];
  return (
    <>
      <p>
        <strong>{name}.</strong> {means}
      </p>
      {!isOwner && signOff.next.some(isForOwners) && (
        <p className="muted">{t('An owner of the account approves a case, and opens it again.')}</p>
      )}
      {signOff.unaware > 0 && (
        <Notice tone="warning">
          {t('Somebody moved it without knowing of this. That does not count.')}
        </Notice>
      )}
      {signOff.later.length > 0 && (
        <Notice tone="warning" title={t('Recorded after the approval')}>
          <p>
            {t(
              'People who did not know of the approval recorded more, or it came here after it. It is in no run approved before; its history names it.',
            )}
          </p>
          <ul className="plain-list">
            {signOff.later.map((one) => (
              <li key={one.change}>
                {t('{by}, {when}', { by: one.by, when: formatDateTime(one.at) })}
                {one.after_by === 'receipt' && <> {t('(by an earlier clock; it came later)')}</>}
                <Came of={one} />
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <ul className="plain-list" aria-label={t('Moves, newest first')}>
        {signOff.moves.map(({ stage, by, at, received_at, sent_by, reason, run }) => (
          <li key={at + stage}>
            <strong>{STAGE_WORDS[stage].name}</strong>
            {': '}
            {t('{by}, {when}: {reason}', { by, when: formatDateTime(at), reason })}
            {run !== undefined && (
              <>
                {' '}
                <code>{run.run_uid}</code>
              </>
            )}
            <Came of={{ received_at, sent_by }} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Came({ of }: { of: Parameters<typeof cameWords>[0] }) {
  const words = cameWords(of);
  return words === undefined ? null : <span className="muted"> ({words})</span>;
}
