import { useState } from 'react';
import type { z } from 'zod';
import { type ContestedField, FieldSettling } from '../../shared/contract/v1/contested.ts';
import type { ContestedProjectField } from '../../shared/contract/v1/projects.ts';
import { domainName, formatDateTime } from '../state/format.ts';
import { useForm } from '../state/form.ts';
import { Button } from '../ui/Button.tsx';
import { Notice } from '../ui/Notice.tsx';
import { ReasonDialog } from '../ui/ReasonDialog.tsx';
import { SideBySide } from '../ui/SideBySide.tsx';
import { KIND_WORD } from '../state/role-words.ts';
import { inSentence, t } from '../text/t.ts';

type ContestedFieldName = ContestedField['field'] | ContestedProjectField['field'];
type FieldHead = ContestedField['heads'][number];

const FIELD_WORDS: Record<ContestedFieldName, string> = {
  title: t('Title'),
  name: t('Name'),
  description: t('Description'),
  domain: t('Domain'),
  case_type: t('Type'),
  metadata: t('Fields'),
  profile: t('Profile in use'),
  project_id: t('Project'),
  archived: t('Archived or not'),
  x: t('Deleted or present'),
};

function valueText(field: ContestedFieldName, value: FieldHead['value']): string {
  if (field === 'x') return (value as { deleted: boolean }).deleted ? t('deleted') : t('present');
  if (field === 'archived') return value === true ? t('archived') : t('not archived');
  if (field === 'profile')
    return value === null ? t('none') : Object.values(value as Record<string, string>).join(' ');
  if (field === 'metadata') return JSON.stringify(value, null, 2);
  if (field === 'domain') return domainName(value as string);
  return typeof value === 'string' && value !== '' ? value : t('none');
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
              {t('Resolve {count, plural, one {# conflict} other {# conflicts}}', {
                count: fields.length,
              })}
            </Button>
          )
        }
      >
        <p>
          {t(
            '{count, plural, one {# conflict} other {# conflicts}} in this {of, select, case {case} other {project}}: people changed it without seeing each other’s values: {fields}.',
            {
              count: fields.length,
              of,
              fields: fields.map((entry) => inSentence(FIELD_WORDS[entry.field])).join(', '),
            },
          )}
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
      title={t('{field} of the {of, select, case {case} other {project}}', {
        field: FIELD_WORDS[field],
        of,
      })}
      description={
        left > 1
          ? t(
              '{left, plural, one {# conflict} other {# conflicts}} to resolve, one after the other.',
              { left },
            )
          : undefined
      }
      action={t('Resolve')}
      form={form}
      reason={form.values.reason}
      onReason={(reason) => form.set('reason', reason)}
      hint={t('Stored in the history of the {of, select, case {case} other {project}}.', { of })}
      isIncomplete={form.values.take === ''}
      onClose={onClose}
    >
      <SideBySide
        values={heads.map((head, at) => ({
          key: head.entry,
          name: valueText(field, head.value),
          heading: head.displayed ? t('shown now') : t('Value {position}', { position: at + 1 }),
        }))}
        lines={[
          { name: t('Value'), cells: heads.map(({ value }) => valueText(field, value)) },
          {
            name: t('Written by'),
            cells: heads.map((head) => <Author key={head.entry} head={head} />),
          },
          { name: t('When'), cells: heads.map(({ at }) => formatDateTime(at)) },
          { name: t('Reason given'), cells: heads.map(({ reason }) => reason ?? t('none')) },
        ]}
        group="take"
        taken={form.values.take}
        onTake={(entry) => form.set('take', entry)}
      />
    </ReasonDialog>
  );
}

function Author({ head: { by, kind, restored } }: { head: FieldHead }) {
  const name = kind === 'human' ? by : `${by}, ${KIND_WORD[kind]}`;
  if (restored === null) return name;
  return (
    <>
      {name} <span className="muted small">{t('brought back by {by}', { by: restored.by })}</span>
    </>
  );
}
