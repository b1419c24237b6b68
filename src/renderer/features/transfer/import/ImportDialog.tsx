import { type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react';
import { useStore } from 'zustand';
import type { MatrixSession } from '../../../data/store/port.ts';
import { useDroppedFiles } from '../../../state/window-drop.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Progress } from '../Progress.tsx';
import { FileStep, take } from './FileStep.tsx';
import { cellCount, type ImportPlan } from './plan.ts';
import { ReviewStep } from './ReviewStep.tsx';
import { createWizard, type Wizard } from './wizard.ts';
import { obstacles, type WizardStep, type WizardState } from './wizard-state.ts';
import '../transfer.css';
import '../review.css';
import { t, tAs } from '../../../text/t.ts';

const TITLES: Record<WizardStep, string> = {
  file: t('File'),
  review: t('Review'),
  done: t('Done'),
};

/** What to do with files of a matrix under another profile. */
export type UnderProfile = (wanted: NonNullable<WizardState['wanted']>) => ReactNode;

interface ImportProps {
  session: MatrixSession;
  /** Dropped on the matrix. */
  files: readonly File[] | undefined;
  clock: { now(): number };
  underProfile: UnderProfile | undefined;
  onClose: () => void;
}

/** From a file to the matrix: what is read, what it maps to, what would change, on one page. */
export function ImportDialog({ session, files, clock, underProfile, onClose }: ImportProps) {
  const wizard = useMemo(() => createWizard(session, clock), [session, clock]);
  const state = useStore(wizard.store);
  useEffect(() => {
    if (files !== undefined) void wizard.choose(files);
    return () => wizard.stop();
  }, [wizard, files]);
  const isBusy = state.busy !== null;
  const { step } = state;
  useEffect(() => {
    if (step !== 'file' || isBusy) return undefined;
    const onPaste = (event: ClipboardEvent): void => {
      if (event.clipboardData === null) return;
      event.preventDefault();
      void take(wizard, event.clipboardData);
    };
    document.addEventListener('paste', onPaste);
    return () => document.removeEventListener('paste', onPaste);
  }, [wizard, step, isBusy]);
  const takeDrop = useCallback((data: DataTransfer) => void take(wizard, data), [wizard]);
  useDroppedFiles(step === 'done' || isBusy ? undefined : takeDrop);
  return (
    <Dialog
      wide={step !== 'review'}
      full={step === 'review'}
      dismissible={!isBusy}
      focus={step === 'file' ? 'field' : 'dialog'}
      onClose={onClose}
      title={t('Import a file')}
      footer={<Footer wizard={wizard} state={state} onClose={onClose} />}
    >
      <div className="tr-body">
        <StepHeading step={step} isBusy={isBusy} />
        {state.problem !== null && (
          <Notice tone="danger" live>
            {state.problem}
          </Notice>
        )}
        {state.wanted !== null && underProfile?.(state.wanted)}
        {state.busy === null ? (
          <Body wizard={wizard} state={state} />
        ) : (
          <Progress label={state.busy.label} done={state.busy.done} />
        )}
      </div>
    </Dialog>
  );
}

/** Takes the focus when what had it is gone: it says where one is. */
function StepHeading({ step, isBusy }: { step: WizardStep; isBusy: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const first = useRef(true);
  useEffect(() => {
    if (!first.current) heading.current?.focus();
    first.current = false;
  }, [step]);
  useEffect(() => {
    if (!isBusy && document.activeElement === document.body) heading.current?.focus();
  }, [isBusy]);
  return (
    <h3 ref={heading} tabIndex={-1} className="visually-hidden">
      {TITLES[step]}
    </h3>
  );
}

function Body({ wizard, state }: { wizard: Wizard; state: WizardState }) {
  switch (state.step) {
    case 'file':
      return <FileStep wizard={wizard} />;
    case 'review':
      return <ReviewStep wizard={wizard} state={state} />;
    case 'done':
      return <Done state={state} />;
  }
}

function Done({ state: { plan, result } }: { state: WizardState }) {
  if (plan === null || result === null) return null;
  return (
    <p role="status">
      {t(
        '{added, plural, one {# item} other {# items}} added, {changed, plural, one {# item} other {# items}} changed, {cells, plural, one {# cell} other {# cells}} written. Undo takes it back.',
        { added: plan.added, changed: plan.changed, cells: result.cells },
      )}
    </p>
  );
}

function commitLabel(plan: ImportPlan | null): string {
  if (plan === null) return tAs('verb', 'Import');
  const [items, cells] = [plan.items.length, cellCount(plan)];
  if (items === 0 && cells === 0) return t('Nothing to import');
  if (items === 0) return t('Import {cells, plural, one {# cell} other {# cells}}', { cells });
  return cells === 0
    ? t('Import {items, plural, one {# item} other {# items}}', { items })
    : t(
        'Import {items, plural, one {# item} other {# items}}, {cells, plural, one {# cell} other {# cells}}',
        { items, cells },
      );
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
  const { step, busy, comparing, plan } = state;
  if (busy !== null) return <Button onClick={wizard.stop}>{t('Stop')}</Button>;
  if (step === 'done')
    return (
      <Button variant="primary" onClick={onClose}>
        {t('Done')}
      </Button>
    );
  const why = obstacles(state);
  const isEmpty = plan !== null && plan.items.length + cellCount(plan) === 0;
  return (
    <>
      {why.length > 0 && (
        <p className="tr-obstacle field-error" role="status">
          {why[0]}
        </p>
      )}
      {comparing !== null && <Button onClick={wizard.stop}>{t('Stop')}</Button>}
      {step === 'review' && <Button onClick={wizard.again}>{t('Another file')}</Button>}
      <Button onClick={onClose}>{t('Cancel')}</Button>
      {step === 'review' && (
        <Button
          variant="primary"
          disabled={why.length > 0 || plan === null || isEmpty}
          onClick={() => void wizard.import()}
        >
          {commitLabel(plan)}
        </Button>
      )}
    </>
  );
}
