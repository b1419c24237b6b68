import { useId, useState } from 'react';
import type { z } from 'zod';
import { type ContestedField, FieldSettling } from '../../shared/contract/v1/contested.ts';
import type { ContestedProjectField } from '../../shared/contract/v1/projects.ts';
import { domainName, formatDateTime, plural } from '../state/format.ts';
import { useForm } from '../state/form.ts';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { TextField } from '../ui/Field.tsx';
import { FailureNotice } from '../ui/Loaded.tsx';
import { Notice } from '../ui/Notice.tsx';
import { SideBySide } from '../ui/SideBySide.tsx';

type Field = ContestedField['field'] | ContestedProjectField['field'];
type Head = ContestedField['heads'][number];

const FIELD_WORDS: Record<Field, string> = {
  title: 'Title',
  name: 'Name',
  description: 'Description',
  domain: 'Domain',
  case_type: 'Type',
  metadata: 'Metadata',
  profile: 'Profile in use',
  project_id: 'Project',
  x: 'Being kept',
};

function valueText(field: Field, value: Head['value']): string {
  if (field === 'x') return (value as { deleted: boolean }).deleted ? 'removed' : 'kept';
  if (field === 'profile')
    return value === null ? 'none' : Object.values(value as Record<string, string>).join(' ');
  if (field === 'metadata') return JSON.stringify(value, null, 2);
  if (field === 'domain') return domainName(value as string);
  return typeof value === 'string' && value !== '' ? value : 'none';
}

const Choice = FieldSettling.omit({ field: true });

interface ContestedProps<F extends Field> {
  of: 'case' | 'project';
  fields: readonly { field: F; heads: readonly Head[] }[];
  maySettle: boolean;
  settle: (settling: z.output<typeof Choice> & { field: F }) => Promise<unknown>;
  onSettled: () => void;
}

/**
 * That a case or project itself was written by people who did not see each other's words, and where
 * that is settled. Nothing while nothing is contested.
 */
export function ContestedFields<F extends Field>({
  of,
  fields,
  maySettle,
  settle,
  onSettled,
}: ContestedProps<F>) {
  const [open, setOpen] = useState(false);
  const [first] = fields;
  if (first === undefined) return null;
  const { field, heads } = first;
  return (
    <>
      <Notice
        tone="warning"
        actions={
          maySettle && (
            <Button size="sm" onClick={() => setOpen(true)}>
              Review the {of}
            </Button>
          )
        }
      >
        <p>
          {plural(fields.length, 'field')} of this {of} {fields.length === 1 ? 'was' : 'were'}{' '}
          written by people who did not see each other’s words:{' '}
          {fields.map((entry) => FIELD_WORDS[entry.field].toLowerCase()).join(', ')}.
        </p>
      </Notice>
      {open && (
        <Settle
          key={field + heads.map(({ entry }) => entry).join(' ')}
          of={of}
          field={field}
          heads={heads}
          left={fields.length}
          settle={(choice) => settle({ ...choice, field })}
          onClose={() => setOpen(false)}
          onSettled={onSettled}
        />
      )}
    </>
  );
}

interface SettleProps {
  of: 'case' | 'project';
  field: Field;
  heads: readonly Head[];
  left: number;
  settle: (choice: z.output<typeof Choice>) => Promise<unknown>;
  onClose: () => void;
  onSettled: () => void;
}

function Settle({ of, field, heads, left, settle, onClose, onSettled }: SettleProps) {
  const id = useId();
  const form = useForm({
    initial: { take: '', reason: '' },
    schema: Choice,
    toInput: ({ take, reason }) => ({
      heads: heads.map(({ entry }) => entry),
      take,
      reason: reason.trim(),
    }),
    submit: async (choice) => {
      await settle(choice);
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
    ['Value', ({ value }) => valueText(field, value)],
    ['Written by', ({ by, kind }) => (kind === 'human' ? by : `${by}, ${kind}`)],
    ['When', ({ at }) => formatDateTime(at)],
    ['Reason given', ({ reason }) => reason ?? 'none'],
  ];
  return (
    <Dialog
      open
      wide
      onOpenChange={onClose}
      title={`${FIELD_WORDS[field]} of the ${of}`}
      description={
        left > 1 ? `${plural(left, 'field')} to settle; one after the other.` : undefined
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            type="submit"
            form={id}
            busy={form.busy}
            disabled={form.values.take === '' || form.values.reason.trim() === ''}
          >
            Settle
          </Button>
        </>
      }
    >
      <form
        {...form.props}
        id={id}
        className="form"
        aria-label={`${FIELD_WORDS[field]} of the ${of}`}
      >
        <SideBySide
          values={heads.map((head, at) => ({
            key: head.entry,
            name: valueText(field, head.value),
            heading: head.displayed ? 'shown now' : `Value ${at + 1}`,
          }))}
          lines={facts.map(([name, textOf]) => ({
            name,
            cells: heads.map((head) =>
              name === 'Written by' && head.restored !== null ? (
                <>
                  {textOf(head)}{' '}
                  <span className="muted small">brought back by {head.restored.by}</span>
                </>
              ) : (
                textOf(head)
              ),
            ),
          }))}
          group="take"
          taken={form.values.take}
          onTake={(entry) => form.set('take', entry)}
        />
        <TextField
          name="reason"
          label="Reason"
          required
          hint={`Kept in the history of the ${of}.`}
          value={form.values.reason}
          onValue={(value) => form.set('reason', value)}
          error={form.errors['reason']}
          autoComplete="off"
        />
        {form.failure !== undefined && <FailureNotice failure={form.failure} />}
      </form>
    </Dialog>
  );
}
