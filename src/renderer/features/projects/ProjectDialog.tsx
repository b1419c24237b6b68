import { useState } from 'react';
import {
  ProjectDomain,
  ProjectInput,
  upsertProject,
  type Project,
} from '../../../shared/contract/v1/projects.ts';
import type { ShownFailure } from '../../state/failure.ts';
import { useForm } from '../../state/form.ts';
import { domainName } from '../../state/format.ts';
import { useServices } from '../../state/services.tsx';
import { TextArea, TextField } from '../../ui/Field.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Select } from '../../ui/Select.tsx';
import { t } from '../../text/t.ts';

type Domain = Project['domain'];
const DOMAINS = ProjectDomain.options.map((value) => ({ value, label: domainName(value) }));

interface ProjectDialogProps {
  /** The project to edit; without one a new project is made. */
  project?: Project;
  onClose: () => void;
  onSaved: (project: Project) => void;
}

/**
 * A POST with a known name would update that project: `If-None-Match` and `If-Match` keep making
 * and editing apart.
 */
function placeFailure(editing: boolean) {
  return (failure: ShownFailure): { field: 'name'; message: string } | undefined => {
    if (failure.code === 'conflict')
      return { field: 'name', message: t('Another project has this name.') };
    if (failure.code !== 'precondition_failed') return undefined;
    return {
      field: 'name',
      message: editing
        ? t(
            'Somebody else has changed this project since it was opened. Close, load the page again, and repeat the change.',
          )
        : t('A project with this name exists already.'),
    };
  };
}

export function ProjectDialog({ project: now, onClose, onSaved }: ProjectDialogProps) {
  const { call, queries } = useServices();
  // As its fields begin: what others change meanwhile is refused, not written over.
  const [project] = useState(now);
  const form = useForm({
    initial: {
      name: project?.name ?? '',
      description: project?.description ?? '',
      domain: project?.domain ?? ('general' as Domain),
    },
    schema: ProjectInput,
    toInput: (values) => ({
      ...values,
      ...(project === undefined ? {} : { project_id: project.project_id }),
    }),
    submit: async (body, isHere) => {
      const headers: Record<string, string> =
        project === undefined ? { 'if-none-match': '*' } : { 'if-match': `"v${project.version}"` };
      const saved = await call(upsertProject, { body, headers });
      queries.invalidate('project');
      if (isHere()) onSaved(saved);
    },
    placeFailure: placeFailure(project !== undefined),
  });
  const title = project === undefined ? t('New project') : t('Edit project');
  return (
    <FormDialog
      title={title}
      action={project === undefined ? t('Create project') : t('Save changes')}
      form={form}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={t('Name')}
        value={form.values.name}
        onValue={(value) => form.set('name', value)}
        error={form.errors['name']}
        required
        autoComplete="off"
      />
      <TextArea
        name="description"
        label={t('Description')}
        optional
        value={form.values.description}
        onValue={(value) => form.set('description', value)}
        error={form.errors['description']}
      />
      <Select
        label={t('Domain')}
        options={DOMAINS}
        value={form.values.domain}
        onValue={(value) => form.set('domain', value)}
        error={form.errors['domain']}
      />
    </FormDialog>
  );
}
