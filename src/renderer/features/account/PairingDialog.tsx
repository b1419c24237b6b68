import { covers } from '../../../shared/contract/rights.ts';
import type { ProjectId } from '../../../shared/contract/ids.ts';
import type { Scope } from '../../../shared/contract/v1/account.ts';
import { decidePairing, type PairingRequest } from '../../../shared/contract/v1/pairing.ts';
import { useForm } from '../../state/form.ts';
import { useQuery } from '../../state/query.ts';
import { useServices } from '../../state/services.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Select } from '../../ui/Select.tsx';
import { rich } from '../../text/rich.ts';
import { t } from '../../text/t.ts';
import { daysOf, EXPIRY, type Expiry, mayWords } from './key-words.ts';

const LADDER: readonly Exclude<Scope, 'sync'>[][] = [
  ['read'],
  ['suggest'],
  ['read', 'write'],
  ['read', 'write', 'delete'],
];
const ALL = 'all';
const ASKED = 'asked';

const wordsOf = (scopes: PairingRequest['scopes']): string => mayWords({ scopes, projects: null });

/** Lets a program in with less than it asks for. */
export function PairingDialog({
  request,
  changes,
  onClose,
}: {
  request: PairingRequest;
  /** Queries that the decision changes. */
  changes: readonly string[];
  onClose: () => void;
}) {
  const { call, queries } = useServices();
  const projects = useQuery('projects/names', (library) =>
    library.projects({ sort: 'name', order: 'asc' }, { limit: 100 }),
  ).data;
  const { name, code, pairing_id } = request;
  const scopes = LADDER.filter((some) => covers(request.scopes, some));
  const form = useForm({
    initial: {
      scopes: ASKED,
      project: request.projects === null ? ALL : ASKED,
      expires_days: '90' as Expiry,
    },
    schema: decidePairing.body!,
    toInput: (values) => ({
      decision: 'allow',
      ...(values.scopes !== ASKED && { scopes: values.scopes.split(',') }),
      ...(values.project !== ALL &&
        values.project !== ASKED && { projects: [values.project as ProjectId] }),
      expires_days: daysOf(values.expires_days),
    }),
    submit: async (body) => {
      await call(decidePairing, { params: { pairingId: pairing_id }, body });
      for (const key of changes) queries.invalidate(key);
      onClose();
    },
  });
  const offered = (projects?.entries ?? []).filter(
    ({ project_id }) => request.projects === null || request.projects.includes(project_id),
  );
  return (
    <FormDialog
      title={t('Let "{name}" in', { name })}
      action={t('Allow')}
      form={form}
      onClose={onClose}
    >
      <p>{rich('The program shows the code {code}.', { code: <code>{code}</code> })}</p>
      <Select
        label={t('It may')}
        options={[
          { value: ASKED, label: wordsOf(request.scopes) },
          ...scopes
            .filter((some) => !covers(some, request.scopes))
            .map((some) => ({ value: some.join(), label: wordsOf(some) })),
        ]}
        value={form.values.scopes}
        onValue={(value) => form.set('scopes', value)}
        error={form.errors['scopes']}
      />
      <Select
        label={t('Where')}
        options={[
          request.projects === null
            ? { value: ALL, label: t('In all projects') }
            : {
                value: ASKED,
                label: t(
                  '{count, plural, one {In the project that it asks for} other {In the # projects that it asks for}}',
                  {
                    count: request.projects.length,
                  },
                ),
              },
          ...offered.map(({ project_id, name: label }) => ({ value: project_id, label })),
        ]}
        value={form.values.project}
        onValue={(value) => form.set('project', value)}
        error={form.errors['projects']}
      />
      <Select
        label={t('Expires')}
        options={EXPIRY}
        value={form.values.expires_days}
        onValue={(value) => form.set('expires_days', value)}
        error={form.errors['expires_days']}
      />
    </FormDialog>
  );
}
