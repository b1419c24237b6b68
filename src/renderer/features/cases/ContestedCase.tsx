import { useId, useState } from 'react';
import { type ContestedField, FieldSettling, settleField } from '../../../shared/contract/v1/evidence.ts';
import { formatDateTime, plural } from '../../state/format.ts';
import { useForm } from '../../state/form.ts';
import { useServices } from '../../state/services.tsx';
import { useMay } from '../../state/use-may.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { TextField } from '../../ui/Field.tsx';
import { FailureNotice } from '../../ui/Loaded.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { SideBySide } from '../../ui/SideBySide.tsx';

const FIELD_WORDS: Record<ContestedField['field'], string> = {
  title: 'Title', description: 'Description', case_type: 'Type', metadata: 'Metadata', profile: 'Profile in use', project_id: 'Project', x: 'Whether the case is kept',
};

type Head = ContestedField['heads'][number];

function valueText(field: ContestedField['field'], value: Head['value']): string {
  if (field === 'x') return (value as { deleted: boolean }).deleted ? 'removed' : 'kept';
  if (field === 'profile') return value === null ? 'none' : Object.values(value as Record<string, string>).join(' ');
  if (field === 'metadata') return JSON.stringify(value, null, 2);
  return typeof value === 'string' && value !== '' ? value : 'none';
}

/** That the case itself was written by people who did not see each other's words, and where that is settled. Nothing while nothing is contested. */
export function ContestedCase({ caseUid, fields, onSettled }: { caseUid: string; fields: readonly ContestedField[]; onSettled: () => void }) {
  const [open, setOpen] = useState(false);
  const mayWrite = useMay(settleField);
  const [first] = fields;
  if (first === undefined) return null;
  return (
    <>
      <Notice tone="warning" actions={mayWrite && <Button size="sm" onClick={() => setOpen(true)}>Review the case</Button>}>
        <p>{plural(fields.length, 'field')} of this case {fields.length === 1 ? 'was' : 'were'} written by people who did not see each other’s words: {fields.map(({ field }) => FIELD_WORDS[field].toLowerCase()).join(', ')}.</p>
      </Notice>
      {open && <Settle key={first.field + first.heads.map(({ entry }) => entry).join(' ')} caseUid={caseUid} contested={first} left={fields.length} onClose={() => setOpen(false)} onSettled={onSettled} />}
    </>
  );
}

function Settle({ caseUid, contested, left, onClose, onSettled }: { caseUid: string; contested: ContestedField; left: number; onClose: () => void; onSettled: () => void }) {
  const { call } = useServices();
  const { field, heads } = contested;
  const id = useId();
  const form = useForm({
    initial: { take: '', reason: '' },
    schema: FieldSettling,
    toInput: ({ take, reason }) => ({ field, heads: heads.map(({ entry }) => entry), take, reason: reason.trim() }),
    submit: async (body) => {
      await call(settleField, { params: { caseUid }, body });
      if (left === 1) onClose();
      onSettled();
    },
    // Other values have come: the page's answer is asked again, and the dialog begins anew with it.
    placeFailure: (failure) => {
      if (failure.code === 'conflict') onSettled();
      return undefined;
    },
  });
  const facts: [name: string, of: (head: Head) => string][] = [
    ['Value', ({ value }) => valueText(field, value)], ['Written by', ({ by, kind }) => (kind === 'human' ? by : `${by}, ${kind}`)], ['When', ({ at }) => formatDateTime(at)], ['Reason given', ({ reason }) => reason ?? 'none'],
  ];
  return (
    <Dialog
      open
      wide
      onOpenChange={onClose}
      title={`${FIELD_WORDS[field]} of the case`}
      description={left > 1 ? `${plural(left, 'field')} to settle; one after the other.` : undefined}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={id} busy={form.busy} disabled={form.values.take === '' || form.values.reason.trim() === ''}>Settle</Button>
        </>
      }
    >
      <form {...form.props} id={id} className="form" aria-label={`${FIELD_WORDS[field]} of the case`}>
        <SideBySide
          values={heads.map((head, at) => ({ key: head.entry, name: valueText(field, head.value), heading: head.displayed ? 'shown now' : `Value ${at + 1}` }))}
          lines={facts.map(([name, of]) => ({ name, cells: heads.map((head) => (name === 'Written by' && head.restored !== null ? <>{of(head)} <span className="muted small">brought back by {head.restored.by}</span></> : of(head))) }))}
          group="take"
          taken={form.values.take}
          onTake={(entry) => form.set('take', entry)}
        />
        <TextField name="reason" label="Reason" required hint="Kept in the history of the case." value={form.values.reason} onValue={(value) => form.set('reason', value)} error={form.errors['reason']} autoComplete="off" />
        {form.failure !== undefined && <FailureNotice failure={form.failure} />}
      </form>
    </Dialog>
  );
}
