import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { createRun } from '../../../shared/contract/v1/runs.ts';
import { METHOD } from '../../../shared/domain/result.ts';
import type { MatrixSession } from '../../data/store/port.ts';
import { useForm, type Form } from '../../state/form.ts';
import { useServices } from '../../state/services.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { TextField } from '../../ui/Field.tsx';
import { FailureNotice } from '../../ui/Loaded.tsx';
import { ChecklistView } from './ChecklistView.tsx';
import {
  type Checklist,
  checklistOf,
  hasOthers,
  INITIAL_SETTINGS,
  RunForm,
  type RunFormValues,
} from './run-plan.ts';
import { RoundToFreeze } from './RoundToFreeze.tsx';
import { conflictsAdded, RunConflicts } from './RunConflicts.tsx';
import { runPath } from './RunsTable.tsx';
import './runs.css';
import { rich } from '../../text/rich.ts';
import { t, tAs } from '../../text/t.ts';

const FLUSH_MS = 30_000;

interface RunDialogProps {
  session: MatrixSession;
  /** What is to be known before: it holds nothing up. */
  notice?: ReactNode;
  onClose: () => void;
}

/** Of the matrix as it is now, whatever others record while the dialog is open. */
function useChecklist(session: MatrixSession): Checklist {
  const [checklist, setChecklist] = useState(() => checklistOf(session));
  useEffect(() => {
    const readAll = (): void => setChecklist(checklistOf(session));
    const readWaiting = (): void => {
      const { waiting } = session.saveStatus;
      setChecklist((now) => (now.waiting === waiting ? now : { ...now, waiting }));
    };
    const ends = [session.subscribe(readAll), session.subscribeSaveStatus(readWaiting)];
    // What came between drawing and listening.
    readAll();
    return () => {
      for (const end of ends) end();
    };
  }, [session]);
  return checklist;
}

/**
 * Looks over what is about to be frozen, waits until all of it is on the server's disk, and freezes
 * it.
 */
export function RunDialog({ session, notice, onClose }: RunDialogProps) {
  const { call, queries, newId } = useServices();
  // The same request sent again, after an answer that got lost, must not make a second run.
  const sent = useRef({ text: '', key: '' });
  const navigate = useNavigate();
  const checklist = useChecklist(session);
  /** The conflicts that were listed when the person last said something about them. */
  const [read, setRead] = useState(checklist.contested);
  const [refused, setRefused] = useState(false);
  const [step, setStep] = useState('');
  // The server may know of conflicts that have not reached this window yet.
  const contested = checklist.contested.length > 0 || refused;
  const form = useForm<RunFormValues, ReturnType<typeof RunForm.parse>>({
    initial: { ...INITIAL_SETTINGS, accept: false, reason: '' },
    schema: RunForm,
    toInput: (values) => ({ ...values, contested }),
    submit: async (input, isHere) => {
      setStep(t('Saving the last changes…'));
      await flush(session);
      const { contested: now } = checklistOf(session);
      if (hasOthers(read, now)) {
        setRead(now);
        form.set('accept', false);
        form.set('reason', '');
        throw new Error(conflictsAdded());
      }
      setStep(t('Freezing and computing…'));
      const body = {
        case_uid: session.caseUid,
        profile_uid: session.profile.profileUid,
        profile_version: session.profile.version,
        // This matrix is on screen.
        allow_unused_profile: true,
        ...input,
      };
      const text = `${session.revision} ${JSON.stringify(body)}`;
      if (sent.current.text !== text) sent.current = { text, key: newId() };
      const run = await call(createRun, { body, headers: { 'idempotency-key': sent.current.key } });
      queries.write(`run/${run.run_uid}`, run);
      queries.invalidate('runs');
      if (isHere()) await navigate(runPath(run.run_uid));
    },
    placeFailure: (failure) => {
      if (failure.code !== 'contested_cells') return undefined;
      setRefused(true);
      return { field: 'accept', message: failure.message };
    },
  });
  return (
    <Dialog
      wide
      focus="dialog"
      onClose={() => {
        if (!form.busy) onClose();
      }}
      title={tAs('verb', 'Run')}
      description={t(
        'A run freezes the case, the profile, every cell with its notes and provenance, and the computed result under one hash. It never changes afterwards.',
      )}
      footer={
        <>
          <span className="small muted run-step" role="status">
            {form.busy ? step : ''}
          </span>
          <Button onClick={onClose} disabled={form.busy}>
            {t('Cancel')}
          </Button>
          <Button
            variant="primary"
            type="submit"
            form="run-form"
            busy={form.busy}
            disabled={checklist.items === 0}
          >
            {tAs('verb', 'Run')}
          </Button>
        </>
      }
    >
      <ChecklistView checklist={checklist} />
      {notice}
      <form {...form.props} id="run-form" className="form" aria-label={tAs('verb', 'Run')}>
        {contested && (
          <RunConflicts
            form={form}
            session={session}
            contested={checklist.contested}
            hasAdded={form.values.accept && hasOthers(read, checklist.contested)}
            onRead={() => setRead(checklist.contested)}
            onReview={onClose}
          />
        )}
        <Settings form={form} />
        <RoundToFreeze form={form} session={session} />
        {form.failure !== undefined && <FailureNotice failure={form.failure} />}
      </form>
    </Dialog>
  );
}

async function flush(session: MatrixSession): Promise<void> {
  try {
    await session.flush(FLUSH_MS);
  } catch {
    const problem =
      session.saveStatus.problem ??
      (session.saveStatus.connection === 'offline'
        ? t('The server is not reachable.')
        : t('The server did not confirm the last changes in time.'));
    throw new Error(
      `${problem} ${t(
        'A run freezes what the server holds, so it waits until every change of this window is saved there. Nothing is lost.',
      )}`,
    );
  }
}

function Settings({ form }: { form: Form<RunFormValues> }) {
  const field = (name: 'prior_alpha' | 'prior_beta' | 'ci_level', label: string, hint: string) => (
    <TextField
      name={name}
      label={label}
      hint={hint}
      inputMode="decimal"
      autoComplete="off"
      value={form.values[name]}
      onValue={(value) => form.set(name, value)}
      error={form.errors[name]}
    />
  );
  return (
    <fieldset className="form-group">
      <legend className="field-label">
        {rich('Settings of {method}', { method: <code>{METHOD}</code> })}
      </legend>
      <div className="form-row">
        {field('prior_alpha', t('Prior alpha'), t('0.25 to 10'))}
        {field('prior_beta', t('Prior beta'), t('0.25 to 10'))}
        {field('ci_level', t('Credible level'), t('0.5 to 0.999'))}
      </div>
    </fieldset>
  );
}
