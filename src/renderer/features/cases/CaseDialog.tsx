import { CaseInput, upsertCase, type Case } from '../../../shared/contract/v1/cases.ts';
import type { ProfileEntry } from '../../../shared/contract/v1/profiles.ts';
import type { Failure } from '../../state/failure.ts';
import { useForm } from '../../state/form.ts';
import { useServices } from '../../state/services.tsx';
import type { z } from 'zod';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { TextArea, TextField } from '../../ui/Field.tsx';
import { FailureNotice } from '../../ui/Loaded.tsx';
import { Select } from '../../ui/Select.tsx';

interface CaseDialogProps {
  projectId: string;
  /** Newest versions, for the choice; empty while they load. */
  profiles: readonly z.infer<typeof ProfileEntry>[];
  onClose: () => void;
  onSaved: (saved: Case) => void;
}

const NO_PROFILE = 'later';

const placeFailure = (failure: Failure): { field: 'case_uid'; message: string } | undefined =>
  failure.code === 'precondition_failed' || failure.code === 'conflict'
    ? { field: 'case_uid', message: 'A case with this identifier exists already in this account.' }
    : undefined;

/** Empty optional texts are left out, so that the server's defaults apply. */
const orNothing = (text: string): string | undefined => (text.trim() === '' ? undefined : text);

export function CaseDialog({ projectId, profiles, onClose, onSaved }: CaseDialogProps) {
  const { call, queries } = useServices();
  const form = useForm({
    initial: { case_uid: '', title: '', description: '', case_type: '', profile_uid: NO_PROFILE },
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
    submit: async (body) => {
      const saved = await call(upsertCase, { body, headers: { 'if-none-match': '*' } });
      queries.invalidate('case');
      onSaved(saved);
    },
    placeFailure,
  });
  const options = [
    { value: NO_PROFILE, label: 'Choose later', detail: 'before the first cell is recorded' },
    ...profiles.map((profile) => ({
      value: profile.profileUid,
      label: `${profile.name} ${profile.version}`,
      detail: `${profile.rule_count} rules`,
    })),
  ];
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="New case"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="case-form" busy={form.busy}>
            Create case
          </Button>
        </>
      }
    >
      <form {...form.props} id="case-form" className="form" aria-label="New case">
        <TextField
          name="case_uid"
          label="Case identifier"
          mono
          required
          autoComplete="off"
          hint="Letters, digits, and . _ : - ; it stands in the address and cannot be changed."
          value={form.values.case_uid}
          onValue={(value) => form.set('case_uid', value)}
          error={form.errors['case_uid']}
        />
        <TextField
          name="title"
          label="Title"
          optional
          value={form.values.title}
          onValue={(value) => form.set('title', value)}
          error={form.errors['title']}
          autoComplete="off"
        />
        <TextArea
          name="description"
          label="Description"
          optional
          value={form.values.description}
          onValue={(value) => form.set('description', value)}
          error={form.errors['description']}
        />
        <TextField
          name="case_type"
          label="Type"
          optional
          hint="Free text, for example variant_review."
          value={form.values.case_type}
          onValue={(value) => form.set('case_type', value)}
          error={form.errors['case_type']}
          autoComplete="off"
        />
        <Select
          label="Evidence profile"
          options={options}
          value={form.values.profile_uid}
          onValue={(value) => form.set('profile_uid', value)}
          error={form.errors['profile_uid']}
        />
        {form.failure !== undefined && <FailureNotice failure={form.failure} />}
      </form>
    </Dialog>
  );
}
