import type { ProjectId } from '../../../shared/contract/ids.ts';
import { CaseInput, upsertCase, type Case } from '../../../shared/contract/v1/cases.ts';
import type { ProfileEntry } from '../../../shared/contract/v1/profiles.ts';
import type { ShownFailure } from '../../state/failure.ts';
import { type Form, useForm } from '../../state/form.ts';
import { useServices } from '../../state/services.tsx';
import type { z } from 'zod';
import { TextArea, TextField } from '../../ui/Field.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Select } from '../../ui/Select.tsx';
import { suggestCaseId } from './suggest-case-id.ts';
import { t } from '../../text/t.ts';

interface CaseDialogProps {
  projectId: ProjectId;
  /** Newest versions, for the choice; empty while they load. */
  profiles: readonly z.infer<typeof ProfileEntry>[];
  onClose: () => void;
  onSaved: (saved: Case) => void;
}

const NO_PROFILE = 'later';

const placeFailure = (failure: ShownFailure): { field: 'case_uid'; message: string } | undefined =>
  failure.code === 'precondition_failed' || failure.code === 'conflict'
    ? { field: 'case_uid', message: t('A case with this ID exists already in this account.') }
    : undefined;

/** Empty optional texts are left out, so that the server's defaults apply. */
const orNothing = (text: string): string | undefined => (text.trim() === '' ? undefined : text);

const EMPTY = { case_uid: '', title: '', description: '', case_type: '', profile_uid: NO_PROFILE };

function useCaseForm({ projectId, profiles, onSaved }: Omit<CaseDialogProps, 'onClose'>) {
  const { call, queries } = useServices();
  return useForm({
    initial: EMPTY,
    schema: CaseInput,
    toInput: (values) => {
      const chosen = profiles.find((profile) => profile.profileUid === values.profile_uid);
      return {
        project_id: projectId,
        case_uid: values.case_uid.trim(),
        title: orNothing(values.title),
        description: orNothing(values.description),
        case_type: orNothing(values.case_type),
        ...(chosen === undefined
          ? {}
          : { profile_uid: chosen.profileUid, profile_version: chosen.version }),
      };
    },
    submit: async (body, isHere) => {
      const saved = await call(upsertCase, { body, headers: { 'if-none-match': '*' } });
      queries.invalidate('case');
      if (isHere()) onSaved(saved);
    },
    placeFailure,
  });
}

const profileOptions = (profiles: CaseDialogProps['profiles']) => [
  { value: NO_PROFILE, label: t('Choose later'), detail: t('before the first cell is recorded') },
  ...profiles.map((profile) => ({
    value: profile.profileUid,
    label: `${profile.name} ${profile.version}`,
    detail: t('{rules, plural, one {# rule} other {# rules}}', { rules: profile.rule_count }),
  })),
];

export function CaseDialog({ projectId, profiles, onClose, onSaved }: CaseDialogProps) {
  const form = useCaseForm({ projectId, profiles, onSaved });
  return (
    <FormDialog title={t('New case')} action={t('Create case')} form={form} onClose={onClose}>
      <TitleAndId form={form} />
      <TextArea
        name="description"
        label={t('Description')}
        optional
        value={form.values.description}
        onValue={(value) => form.set('description', value)}
        error={form.errors['description']}
      />
      <TextField
        name="case_type"
        label={t('Type')}
        optional
        hint={t('Free text, for example variant_review.')}
        value={form.values.case_type}
        onValue={(value) => form.set('case_type', value)}
        error={form.errors['case_type']}
        autoComplete="off"
      />
      <Select
        label={t('Evidence profile')}
        options={profileOptions(profiles)}
        value={form.values.profile_uid}
        onValue={(value) => form.set('profile_uid', value)}
        error={form.errors['profile_uid']}
      />
    </FormDialog>
  );
}

/** The title suggests the ID until somebody writes another ID. */
function TitleAndId({ form }: { form: Form<typeof EMPTY> }) {
  const { title, case_uid } = form.values;
  const setTitle = (value: string): void => {
    form.set('title', value);
    if (case_uid === suggestCaseId(title)) form.set('case_uid', suggestCaseId(value));
  };
  return (
    <>
      <TextField
        name="title"
        label={t('Title')}
        optional
        value={title}
        onValue={setTitle}
        error={form.errors['title']}
        autoComplete="off"
      />
      <TextField
        name="case_uid"
        label={t('ID')}
        mono
        required
        autoComplete="off"
        hint={t(
          'Suggested from the title. Letters, digits, and . _ : - ; it is part of the address and cannot be changed later.',
        )}
        value={case_uid}
        onValue={(value) => form.set('case_uid', value)}
        error={form.errors['case_uid']}
      />
    </>
  );
}
