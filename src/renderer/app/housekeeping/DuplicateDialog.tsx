import { useNavigate } from 'react-router';
import type { Case } from '../../../shared/contract/v1/cases.ts';
import { duplicateCase, DuplicateInput } from '../../../shared/contract/v1/housekeeping.ts';
import { casePath } from '../../features/cases/CasesTable.tsx';
import { suggestCaseId } from '../../features/cases/suggest-case-id.ts';
import type { ShownFailure } from '../../state/failure.ts';
import { useForm } from '../../state/form.ts';
import { useServices } from '../../state/services.tsx';
import { TextField } from '../../ui/Field.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Select } from '../../ui/Select.tsx';
import { useToast } from '../../ui/Toast.tsx';
import { copiedWords } from './copied-words.ts';
import { t } from '../../text/t.ts';

type Copy = DuplicateInput['copy'];

const COPIES: readonly { value: Copy; label: string; detail: string }[] = [
  {
    value: 'fields',
    label: t('Without items'),
    detail: t('description, type, fields and profile'),
  },
  { value: 'items', label: t('With its items'), detail: t('nothing recorded yet') },
  { value: 'evidence', label: t('With its evidence'), detail: t('under the profile in use') },
];

const placeFailure = ({ code, details }: ShownFailure) =>
  code === 'conflict' && details[0]?.code === 'uid_taken'
    ? { field: 'case_uid' as const, message: t('A case with this ID exists already.') }
    : undefined;

/** A new case of a case, with as much of it as somebody chooses. */
export function DuplicateDialog({
  entry: { case_uid: caseUid, title },
  onClose,
}: {
  entry: Pick<Case, 'case_uid' | 'title'>;
  onClose: () => void;
}) {
  const { call, queries } = useServices();
  const announce = useToast();
  const navigate = useNavigate();
  const form = useForm({
    initial: {
      title: `${title} (copy)`,
      case_uid: suggestCaseId(`${caseUid}-copy`),
      copy: 'items' as Copy,
    },
    schema: DuplicateInput,
    toInput: (values) => ({ ...values, case_uid: values.case_uid.trim() }),
    submit: async (body, isHere) => {
      const made = await call(duplicateCase, { params: { caseUid }, body });
      queries.invalidate('case');
      announce({
        title: t('Made {title}', { title: made.case.title }),
        description: copiedWords(made),
      });
      if (!isHere()) return;
      onClose();
      void navigate(casePath(made.case.case_uid));
    },
    placeFailure,
  });
  return (
    <FormDialog
      title={t('Duplicate {title}', { title })}
      action={t('Duplicate case')}
      form={form}
      onClose={onClose}
    >
      <TextField
        name="title"
        label={t('Title')}
        required
        autoComplete="off"
        value={form.values.title}
        onValue={(value) => form.set('title', value)}
        error={form.errors['title']}
      />
      <TextField
        name="case_uid"
        label={t('ID')}
        mono
        required
        autoComplete="off"
        value={form.values.case_uid}
        onValue={(value) => form.set('case_uid', value)}
        error={form.errors['case_uid']}
      />
      <Select
        label={t('Copy')}
        options={COPIES}
        value={form.values.copy}
        onValue={(value) => form.set('copy', value)}
        error={form.errors['copy']}
      />
      {form.values.copy === 'evidence' && (
        <p className="muted small">
          {t(
            'Each copied cell says in its provenance that it is from {title}, and who recorded it there. History, conflicts and runs stay with {title}.',
            { title },
          )}
        </p>
      )}
    </FormDialog>
  );
}
