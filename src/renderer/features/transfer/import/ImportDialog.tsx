import { useEffect, useMemo, useRef } from 'react';
import { useStore } from 'zustand';
import type { MatrixSession } from '../../../data/store/port.ts';
import { plural } from '../../../state/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Progress } from '../Progress.tsx';
import { CheckStep } from './CheckStep.tsx';
import { ColumnsStep } from './ColumnsStep.tsx';
import { FileStep } from './FileStep.tsx';
import { OutcomesStep } from './OutcomesStep.tsx';
import { cellCount, type ImportPlan } from './plan.ts';
import { ReadingStep } from './ReadingStep.tsx';
import { createWizard, type Wizard } from './wizard.ts';
import { obstacles, type WizardStep, type WizardState } from './wizard-state.ts';
import '../transfer.css';

const TITLES: Record<WizardStep, string> = {
  file: 'File',
  reading: 'Reading',
  columns: 'Columns',
  outcomes: 'Outcomes',
  check: 'Check',
  done: 'Done',
};
const SHOWN = ['file', 'reading', 'columns', 'outcomes', 'check'] as const;

interface ImportProps {
  session: MatrixSession;
  /** Dropped on the matrix. */
  file: File | undefined;
  clock: { now(): number };
  onClose: () => void;
}

/**
 * From a file to the matrix: how it is read, what its columns and values map to, and what would
 * change, before anything does.
 */
export function ImportDialog({ session, file, clock, onClose }: ImportProps) {
  const wizard = useMemo(() => createWizard(session, clock), [session, clock]);
  const state = useStore(wizard.store);
  useEffect(() => {
    if (file !== undefined) void wizard.choose(file);
    return () => wizard.stop();
  }, [wizard, file]);
  const isBusy = state.busy !== null;
  return (
    <Dialog
      open
      wide
      dismissible={!isBusy}
      focus={state.step === 'file' ? 'field' : 'dialog'}
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
      title="Import a file"
      footer={<Footer wizard={wizard} state={state} onClose={onClose} />}
    >
      <Steps step={state.step} isBusy={isBusy} />
      {state.problem !== null && (
        <Notice tone="danger" live>
          {state.problem}
        </Notice>
      )}
      {state.busy === null ? (
        <Body wizard={wizard} state={state} />
      ) : (
        <Progress label={state.busy.label} done={state.busy.done} />
      )}
    </Dialog>
  );
}

function Steps({ step, isBusy }: { step: WizardStep; isBusy: boolean }) {
  const at = SHOWN.findIndex((shown) => shown === step);
  const heading = useRef<HTMLHeadingElement>(null);
  const first = useRef(true);
  useEffect(() => {
    // The button that led here may have disappeared; the heading says which step it is.
    if (!first.current) heading.current?.focus();
    first.current = false;
  }, [step]);
  useEffect(() => {
    // The Stop button that had the focus went with the work; keys are meant for the dialog.
    if (!isBusy && document.activeElement === document.body) heading.current?.focus();
  }, [isBusy]);
  return (
    <>
      <ol className="tr-steps" aria-hidden="true">
        {SHOWN.map((shown, index) => (
          <li
            key={shown}
            data-state={shown === step ? 'now' : at < 0 || index < at ? 'past' : 'ahead'}
          >
            <span>{index + 1}</span>
            {TITLES[shown]}
          </li>
        ))}
      </ol>
      <h3 ref={heading} tabIndex={-1} className="visually-hidden">
        {at < 0 ? TITLES[step] : `Step ${at + 1} of ${SHOWN.length}: ${TITLES[step]}`}
      </h3>
    </>
  );
}

function Body({ wizard, state }: { wizard: Wizard; state: WizardState }) {
  switch (state.step) {
    case 'file':
      return <FileStep wizard={wizard} />;
    case 'reading':
      return <ReadingStep wizard={wizard} state={state} />;
    case 'columns':
      return <ColumnsStep wizard={wizard} state={state} />;
    case 'outcomes':
      return <OutcomesStep wizard={wizard} state={state} />;
    case 'check':
      return state.plan === null ? null : <CheckStep state={state} plan={state.plan} />;
    case 'done':
      return <Done state={state} />;
  }
}

function Done({ state: { plan, result } }: { state: WizardState }) {
  if (plan === null || result === null) return null;
  return (
    <p role="status">
      {plural(plan.added, 'item')} added, {plural(plan.changed, 'item')} changed,{' '}
      {plural(result.cells, 'cell')} written. Undo takes it back.
    </p>
  );
}

function commitLabel(plan: ImportPlan | null): string {
  if (plan === null) return 'Import';
  const parts = [
    ...(plan.items.length > 0 ? [plural(plan.items.length, 'item')] : []),
    ...(cellCount(plan) > 0 ? [plural(cellCount(plan), 'cell')] : []),
  ];
  return parts.length === 0 ? 'Nothing to import' : `Import ${parts.join(', ')}`;
}

function Footer({
  wizard,
  state,
  onClose,
}: {
  wizard: Wizard;
  state: WizardState;
  onClose: () => void;
}) {
  const { step, busy, plan, read } = state;
  if (busy !== null) return <Button onClick={wizard.stop}>Stop</Button>;
  if (step === 'done')
    return (
      <Button variant="primary" onClick={onClose}>
        Done
      </Button>
    );
  const why = obstacles(state);
  const isEmpty = step === 'check' && plan !== null && plan.items.length + cellCount(plan) === 0;
  return (
    <>
      {why.length > 0 && (
        <p className="tr-obstacle field-error" role="status">
          {why[0]}
        </p>
      )}
      {step !== 'file' && <Button onClick={wizard.back}>Back</Button>}
      <Button onClick={onClose}>Cancel</Button>
      {(step !== 'file' || read !== null) && (
        <Button
          variant="primary"
          disabled={why.length > 0 || isEmpty}
          onClick={() => void wizard.next()}
        >
          {step === 'check' ? commitLabel(plan) : 'Next'}
        </Button>
      )}
    </>
  );
}
