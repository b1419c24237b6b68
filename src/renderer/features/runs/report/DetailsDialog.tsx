import { useId, useState } from 'react';
import { z } from 'zod';
import { useForm } from '../../../state/form.ts';
import { Button } from '../../../ui/Button.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { TextArea, TextField } from '../../../ui/Field.tsx';
import { Lab, logoOf, MAX_LOGO_BYTES, ReportDetails } from './report-details.ts';
import { rich } from '../../../text/rich.ts';
import { t } from '../../../text/t.ts';

const ReportForm = z.strictObject({
  lab: Lab.shape.name,
  logo: Lab.shape.logo,
  ...ReportDetails.shape,
});
type ReportForm = z.infer<typeof ReportForm>;

/** The logo of the lab: chosen as a file, and shown as it will be printed. */
function LogoField({ value, onValue }: { value: string; onValue: (logo: string) => void }) {
  const id = useId();
  const [problem, setProblem] = useState<string>();
  const read = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    const logo =
      file.size > MAX_LOGO_BYTES ? undefined : logoOf(new Uint8Array(await file.arrayBuffer()));
    setProblem(logo === undefined ? t('Choose a PNG or JPEG of at most 256 KiB.') : undefined);
    if (logo !== undefined) onValue(logo);
  };
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {rich('Logo <span>(optional)</span>', {
          span: (text) => <span className="field-optional">{text}</span>,
        })}
      </label>
      {value !== '' && <img className="report-logo" src={value} alt={t('Logo of the lab')} />}
      <input
        id={id}
        type="file"
        accept="image/png,image/jpeg"
        onChange={(event) => void read(event.target.files?.[0])}
      />
      {problem !== undefined && (
        <p className="field-error" role="alert">
          {problem}
        </p>
      )}
      {value !== '' && (
        <Button size="sm" onClick={() => onValue('')}>
          {t('Remove the logo')}
        </Button>
      )}
    </div>
  );
}

interface DetailsDialogProps {
  lab: Lab;
  details: ReportDetails;
  onClose: () => void;
  onSave: (lab: Lab, details: ReportDetails) => void;
}

/** What a report says besides its run. */
export function DetailsDialog({ lab, details, onClose, onSave }: DetailsDialogProps) {
  const form = useForm<ReportForm, ReportForm>({
    initial: { lab: lab.name, logo: lab.logo, ...details },
    schema: ReportForm,
    toInput: (values) => values,
    submit: async ({ lab: name, logo, ...rest }) => {
      onSave({ name, logo }, rest);
      onClose();
    },
  });
  const field = (
    name: Exclude<keyof ReportForm, 'question' | 'logo'>,
    label: string,
    type = 'text',
  ) => (
    <TextField
      name={name}
      label={label}
      type={type}
      optional
      value={form.values[name]}
      error={form.errors[name]}
      onValue={(value) => form.set(name, value)}
    />
  );
  return (
    <Dialog
      onClose={onClose}
      title={t('Details of the report')}
      description={t(
        'Kept on this computer. The run does not hold them, and its hash does not cover them.',
      )}
      footer={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button variant="primary" type="submit" form="report-details" busy={form.busy}>
            {t('Save details')}
          </Button>
        </>
      }
    >
      <form
        {...form.props}
        id="report-details"
        className="form"
        aria-label={t('Details of the report')}
      >
        <TextArea
          name="question"
          label={t('Question')}
          optional
          value={form.values.question}
          error={form.errors['question']}
          onValue={(value) => form.set('question', value)}
        />
        {field('prepared_by', t('Prepared by'))}
        {field('reviewed_by', t('Reviewed by'))}
        {field('date', t('Date'), 'date')}
        {field('lab', t('Lab'))}
        <LogoField value={form.values.logo} onValue={(logo) => form.set('logo', logo)} />
      </form>
    </Dialog>
  );
}
