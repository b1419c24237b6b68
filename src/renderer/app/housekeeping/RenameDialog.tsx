import { useState } from 'react';
import { z } from 'zod';
import { text } from '../../../shared/contract/common.ts';
import { type Case, upsertCase } from '../../../shared/contract/v1/cases.ts';
import { type Project, upsertProject } from '../../../shared/contract/v1/projects.ts';
import type { ShownFailure } from '../../state/failure.ts';
import { useForm } from '../../state/form.ts';
import { useServices } from '../../state/services.tsx';
import { TextField } from '../../ui/Field.tsx';
import { ReasonDialog } from '../../ui/ReasonDialog.tsx';
import { changedMeanwhile } from './changed-meanwhile.ts';
import { t } from '../../text/t.ts';

interface RenameProps {
  title: string;
  label: string;
  before: string;
  most: number;
  /** Rejects where the server refuses. */
  rename: (name: string, reason: string | undefined) => Promise<unknown>;
  onClose: () => void;
}

const placeFailure = (failure: ShownFailure): { field: 'name'; message: string } | undefined => {
  const message =
    failure.code === 'conflict' ? t('Another one has this name.') : changedMeanwhile(failure);
  return message === undefined ? undefined : { field: 'name', message };
};

function RenameDialog({ title, label, before, most, rename, onClose }: RenameProps) {
  const form = useForm({
    initial: { name: before, reason: '' },
    schema: z.strictObject({ name: text(most, 1), reason: text(2_000, 1).optional() }),
    toInput: ({ name, reason }) => ({
      name: name.trim(),
      ...(reason.trim() !== '' && { reason: reason.trim() }),
    }),
    submit: async ({ name, reason }) => {
      await rename(name, reason);
      onClose();
    },
    placeFailure,
  });
  const { name, reason } = form.values;
  return (
    <ReasonDialog
      title={title}
      action={t('Rename')}
      form={form}
      reason={reason}
      onReason={(value) => form.set('reason', value)}
      hint={t('Kept in its history and in the audit trail.')}
      isOptional
      isIncomplete={name.trim() === '' || name.trim() === before}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={label}
        required
        autoComplete="off"
        value={name}
        onValue={(value) => form.set('name', value)}
        error={form.errors['name']}
      />
    </ReasonDialog>
  );
}

export function RenameCase({
  entry,
  onClose,
}: {
  entry: Pick<Case, 'case_uid' | 'project_id' | 'title' | 'version'>;
  onClose: () => void;
}) {
  const { call, queries } = useServices();
  // As its field begins: what others change meanwhile is refused, not written over.
  const [{ case_uid, project_id, title, version }] = useState(entry);
  return (
    <RenameDialog
      title={t('Rename the case')}
      label={t('Title')}
      before={title}
      most={500}
      onClose={onClose}
      rename={async (name, reason) => {
        await call(upsertCase, {
          body: { case_uid, project_id, title: name, ...(reason !== undefined && { reason }) },
          headers: { 'if-match': `"v${version}"` },
        });
        queries.invalidate('case');
      }}
    />
  );
}

export function RenameProject({
  project: now,
  onClose,
}: {
  project: Project;
  onClose: () => void;
}) {
  const { call, queries } = useServices();
  const [project] = useState(now);
  return (
    <RenameDialog
      title={t('Rename the project')}
      label={t('Name')}
      before={project.name}
      most={200}
      onClose={onClose}
      rename={async (name, reason) => {
        await call(upsertProject, {
          body: { project_id: project.project_id, name, ...(reason !== undefined && { reason }) },
          headers: { 'if-match': `"v${project.version}"` },
        });
        queries.invalidate('project');
      }}
    />
  );
}
