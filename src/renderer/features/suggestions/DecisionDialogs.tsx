import { z } from 'zod';
import { LongText, text } from '../../../shared/contract/common.ts';
import type { DecisionInput, SuggestionEntry } from '../../../shared/contract/v1/suggestions.ts';
import { useForm } from '../../state/form.ts';
import { TextArea } from '../../ui/Field.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { ReasonDialog } from '../../ui/ReasonDialog.tsx';
import { t } from '../../text/t.ts';
import { outcomeWords, provenanceText } from './words.ts';

interface DecisionDialogProps {
  entry: SuggestionEntry;
  /** Rejects where the server refuses; the dialog then stays. */
  onDecide: (decision: DecisionInput) => Promise<void>;
  onClose: () => void;
}

export function RefuseDialog({ entry, onDecide, onClose }: DecisionDialogProps) {
  const form = useForm({
    initial: { reason: '' },
    schema: z.strictObject({ reason: text(2_000, 1) }),
    toInput: ({ reason }) => ({ reason: reason.trim() }),
    submit: async ({ reason }) => {
      await onDecide({ suggestion_id: entry.suggestion_id, verdict: 'refuse', reason });
      onClose();
    },
  });
  return (
    <ReasonDialog
      title={t('Refuse the suggestion')}
      description={t('The cell stays as it is. Whoever suggested it is told the reason.')}
      action={t('Refuse')}
      form={form}
      reason={form.values.reason}
      onReason={(reason) => form.set('reason', reason)}
      hint={t('Kept with the suggestion.')}
      onClose={onClose}
    />
  );
}

const Edited = z.strictObject({
  source_value: LongText.nullable(),
  provenance: LongText.nullable(),
});
const orNone = (value: string): string | null => (value.trim() === '' ? null : value);

/** What is accepted may state another source than the suggestion does. */
export function AcceptDialog({ entry, onDecide, onClose }: DecisionDialogProps) {
  const before = provenanceText(entry.provenance);
  const form = useForm({
    initial: { source_value: entry.source_value ?? '', provenance: before },
    schema: Edited,
    toInput: ({ source_value, provenance }) => ({
      source_value: orNone(source_value),
      provenance: orNone(provenance),
    }),
    submit: async ({ source_value, provenance }) => {
      await onDecide({
        suggestion_id: entry.suggestion_id,
        verdict: 'accept',
        source_value,
        // What was not edited keeps its structure.
        provenance: (provenance ?? '') === before ? entry.provenance : provenance,
      });
      onClose();
    },
  });
  return (
    <FormDialog
      title={t('Edit and accept')}
      description={
        entry.raw_outcome === null
          ? undefined
          : t('{outcome} is recorded. To record another outcome, open the cell in the matrix.', {
              outcome: outcomeWords(entry.raw_outcome),
            })
      }
      action={t('Accept')}
      form={form}
      onClose={onClose}
    >
      <TextArea
        name="source_value"
        label={t('Reported value')}
        optional
        value={form.values.source_value}
        onValue={(value) => form.set('source_value', value)}
        error={form.errors['source_value']}
      />
      <TextArea
        name="provenance"
        label={t('Source')}
        optional
        value={form.values.provenance}
        onValue={(value) => form.set('provenance', value)}
        error={form.errors['provenance']}
      />
    </FormDialog>
  );
}
