import { useState } from 'react';
import type { z } from 'zod';
import { type ContestedField, FieldSettling } from '../../shared/contract/v1/contested.ts';
import type { ContestedProjectField } from '../../shared/contract/v1/projects.ts';
import { domainName, formatDateTime, plural } from '../state/format.ts';
import { useForm } from '../state/form.ts';
import { Button } from '../ui/Button.tsx';
import { Notice } from '../ui/Notice.tsx';
import { ReasonDialog } from '../ui/ReasonDialog.tsx';
import { SideBySide } from '../ui/SideBySide.tsx';

type ContestedFieldName = ContestedField['field'] | ContestedProjectField['field'];
type FieldHead = ContestedField['heads'][number];

const FIELD_WORDS: Record<ContestedFieldName, string> = {
  title: 'Title',
  name: 'Name',
  description: 'Description',
  domain: 'Domain',
  case_type: 'Type',
  metadata: 'Fields',
  profile: 'Profile in use',
  project_id: 'Project',
  archived: 'Archived or not',
  x: 'Deleted or present',
};

function valueText(field: ContestedFieldName, value: FieldHead['value']): string {
  if (field === 'x') return (value as { deleted: boolean }).deleted ? 'deleted' : 'present';
  if (field === 'archived') return value === true ? 'archived' : 'not archived';
  if (field === 'profile')
    return value === null ? 'none' : Object.values(value as Record<string, string>).join(' ');
  if (field === 'metadata') return JSON.stringify(value, null, 2);
  if (field === 'domain') return domainName(value as string);
  return typeof value === 'string' && value !== '' ? value : 'none';
}

const Choice = FieldSettling.omit({ field: true });

interface ConflictProps<F extends ContestedFieldName> {
  of: 'case' | 'project';
  fields: readonly { field: F; heads: readonly FieldHead[] }[];
  mayResolve: boolean;
  resolve: (resolution: z.output<typeof Choice> & { field: F }) => Promise<unknown>;
  onResolved: () => void;
}

/** Conflicts in the fields of a case or project itself, and where they are resolved. */
export function FieldConflicts<F extends ContestedFieldName>({
  of,
  fields,
  mayResolve,
  resolve,
  onResolved,
}: ConflictProps<F>) {
  const [open, setOpen] = useState(false);
  const [first] = fields;
  if (first === undefined) return null;
  const { field, heads } = first;
  return (
    <>
      <Notice
        tone="warning"
        actions={
          mayResolve && (
            <Button size="sm" onClick={() => setOpen(true)}>
              Resolve {plural(fields.length, 'conflict')}
            </Button>
          )
        }
      >
        <p>
          {plural(fields.length, 'conflict')} in this {of}: people changed it without seeing each
          other’s values: {fields.map((entry) => FIELD_WORDS[entry.field].toLowerCase()).join(', ')}
          .
        </p>
      </Notice>
      {open && (
        <Resolve
          key={field + heads.map(({ entry }) => entry).join(' ')}
          of={of}
          field={field}
          heads={heads}
          left={fields.length}
          resolve={(choice) => resolve({ ...choice, field })}
          onClose={() => setOpen(false)}
          onResolved={onResolved}
        />
      )}
    </>
  );
}

interface ResolveProps {
  of: 'case' | 'project';
  field: ContestedFieldName;
  heads: readonly FieldHead[];
  left: number;
  resolve: (choice: z.output<typeof Choice>) => Promise<unknown>;
  onClose: () => void;
  onResolved: () => void;
}

function Resolve({ of, field, heads, left, resolve, onClose, onResolved }: ResolveProps) {
  const form = useForm({
    initial: { take: '', reason: '' },
    schema: Choice,
    toInput: ({ take, reason }) => ({
      heads: heads.map(({ entry }) => entry),
      take,
      reason: reason.trim(),
    }),
    submit: async (choice) => {
      await resolve(choice);
      if (left === 1) onClose();
      onResolved();
    },
    // Other values have come: they are loaded, and the dialog starts again with them.
    placeFailure: (failure) => {
      if (failure.code === 'conflict') onResolved();
      return undefined;
    },
  });
  return (
    <ReasonDialog
      wide
      title={`${FIELD_WORDS[field]} of the ${of}`}
      description={
        left > 1 ? `${plural(left, 'conflict')} to resolve, one after the other.` : undefined
      }
      action="Resolve"
      form={form}
      reason={form.values.reason}
      onReason={(reason) => form.set('reason', reason)}
      hint={`Stored in the history of the ${of}.`}
      isIncomplete={form.values.take === ''}
      onClose={onClose}
    >
      <SideBySide
        values={heads.map((head, at) => ({
          key: head.entry,
          name: valueText(field, head.value),
          heading: head.displayed ? 'shown now' : `Value ${at + 1}`,
        }))}
        lines={[
          { name: 'Value', cells: heads.map(({ value }) => valueText(field, value)) },
          {
            name: 'Written by',
            cells: heads.map((head) => <Author key={head.entry} head={head} />),
          },
          { name: 'When', cells: heads.map(({ at }) => formatDateTime(at)) },
          { name: 'Reason given', cells: heads.map(({ reason }) => reason ?? 'none') },
        ]}
        group="take"
        taken={form.values.take}
        onTake={(entry) => form.set('take', entry)}
      />
    </ReasonDialog>
  );
}

function Author({ head: { by, kind, restored } }: { head: FieldHead }) {
  const name = kind === 'human' ? by : `${by}, ${kind}`;
  if (restored === null) return name;
  return (
    <>
      {name} <span className="muted small">brought back by {restored.by}</span>
    </>
  );
}
