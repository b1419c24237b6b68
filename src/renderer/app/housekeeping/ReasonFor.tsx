import type { ReactNode } from 'react';
import { z } from 'zod';
import { text } from '../../../shared/contract/common.ts';
import { useForm } from '../../state/form.ts';
import { ReasonDialog } from '../../ui/ReasonDialog.tsx';
import { t } from '../../text/t.ts';
import { changedMeanwhile } from './changed-meanwhile.ts';

const Optional = z.strictObject({ reason: text(2_000, 1).optional() });
const Required = z.strictObject({ reason: text(2_000, 1) });

export interface ReasonForProps {
  title: string;
  description: string;
  action: string;
  isOptional: boolean;
  tone?: 'primary' | 'danger';
  /** Rejects where the server refuses; the dialog then stays. */
  act: (reason: string | undefined) => Promise<unknown>;
  onClose: () => void;
  children?: ReactNode;
}

/** Asks why, and does it. */
export function ReasonFor({ act, onClose, isOptional, ...shown }: ReasonForProps) {
  const form = useForm<{ reason: string }, { reason?: string | undefined }>({
    initial: { reason: '' },
    schema: isOptional ? Optional : Required,
    toInput: ({ reason }) => (reason.trim() === '' ? {} : { reason: reason.trim() }),
    submit: async ({ reason }) => {
      await act(reason);
      onClose();
    },
    placeFailure: (failure) => {
      const message = changedMeanwhile(failure);
      return message === undefined ? undefined : { field: 'reason', message };
    },
  });
  return (
    <ReasonDialog
      {...shown}
      isOptional={isOptional}
      form={form}
      reason={form.values.reason}
      onReason={(value) => form.set('reason', value)}
      hint={t('Kept in the history and in the audit trail.')}
      onClose={onClose}
    />
  );
}
