import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { z } from 'zod';
import { text } from '../../../shared/contract/common.ts';
import { CaseUid, ProfileUid } from '../../../shared/domain/uid.ts';
import { known, ProjectId } from '../../../shared/contract/ids.ts';
import { upsertCase } from '../../../shared/contract/v1/cases.ts';
import { upsertProject } from '../../../shared/contract/v1/projects.ts';
import { casePath } from '../../features/cases/CasesTable.tsx';
import { suggestCaseId } from '../../features/cases/suggest-case-id.ts';
import { useProfiles, type VersionedProfile } from '../../features/profiles/versions.ts';
import type { CaseEntry, ProjectEntry } from '../../data/api/library.ts';
import type { ShownFailure } from '../../state/failure.ts';
import { dropFiles, holdFiles, useFilesInHand } from '../../state/files-in-hand.ts';
import { useForm } from '../../state/form.ts';
import { useServices } from '../../state/services.tsx';
import { TextField } from '../../ui/Field.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Select } from '../../ui/Select.tsx';
import { profileOfFile } from '../../features/transfer/import/read-qem.ts';
import { useProjects } from '../find.ts';
import { useRecentCases } from '../home/use-home.ts';
import { t } from '../../text/t.ts';
import { MissingProfile } from './UnderOtherProfile.tsx';

const NEW = '';

/** What a new case needs; `case` names one that there is. */
const Chosen = z.union([
  z.strictObject({ case: CaseUid }),
  z.strictObject({
    title: text(500, 1),
    project: z.union([ProjectId, z.strictObject({ name: text(200, 1) })]),
    profile_uid: ProfileUid,
  }),
]);

const placeFailure = ({ code }: ShownFailure): { field: 'title'; message: string } | undefined =>
  code === 'precondition_failed' || code === 'conflict'
    ? { field: 'title', message: t('A case with this ID exists already in this account.') }
    : undefined;

/** Files that were dropped or chosen outside of a case: which case are they for? */
export function CaseForFiles() {
  const { files, caseUid } = useFilesInHand();
  return files === undefined || caseUid !== undefined ? null : <Offers files={files} />;
}

function Offers({ files }: { files: readonly File[] }) {
  const cases = useRecentCases().data;
  const projects = useProjects({ sort: 'changed', order: 'desc' }).data;
  const profiles = useProfiles().data;
  const wanted = useWantedProfile(files[0]);
  if (cases === undefined || projects === undefined || profiles === undefined || wanted === null)
    return null;
  return (
    <Choice
      wanted={wanted}
      files={files}
      cases={cases}
      projects={projects}
      profiles={profiles.filter(({ newest }) => newest.retired !== true)}
    />
  );
}

/** The profile that a file of a matrix is under; null while that is not known. */
function useWantedProfile(file: File | undefined): ProfileUid | undefined | null {
  const [wanted, setWanted] = useState<ProfileUid | undefined | null>(null);
  useEffect(() => {
    let isOver = false;
    void (file === undefined ? Promise.resolve(undefined) : profileOfFile(file)).then((found) => {
      if (!isOver) setWanted(found);
    });
    return () => {
      isOver = true;
    };
  }, [file]);
  return wanted;
}

interface ChoiceProps {
  wanted: ProfileUid | undefined;
  files: readonly File[];
  cases: readonly CaseEntry[];
  projects: readonly ProjectEntry[];
  profiles: readonly VersionedProfile[];
}

const titleFrom = (file: File | undefined): string =>
  (file?.name ?? '').replace(/(\.[a-z]+){1,2}$/i, '').replaceAll('_', ' ');

const has = (profiles: readonly VersionedProfile[], uid: ProfileUid | undefined): boolean =>
  profiles.some(({ newest }) => newest.profileUid === uid);

function useChoice({ files, projects, profiles, wanted }: ChoiceProps) {
  const { call, queries } = useServices();
  const navigate = useNavigate();
  return useForm({
    initial: {
      case: NEW,
      title: titleFrom(files[0]),
      project: projects[0]?.project_id ?? NEW,
      name: t('My project'),
      profile_uid: has(profiles, wanted) ? (wanted as string) : NEW,
    },
    schema: Chosen,
    toInput: (values): z.input<typeof Chosen> =>
      values.case === NEW
        ? {
            title: values.title.trim(),
            project: values.project === NEW ? { name: values.name.trim() } : values.project,
            profile_uid: values.profile_uid,
          }
        : { case: values.case },
    submit: async (chosen, isHere) => {
      const caseUid = 'case' in chosen ? chosen.case : await make(chosen);
      if (!isHere()) return;
      holdFiles(files, known.caseUid.parse(caseUid));
      void navigate(casePath(known.caseUid.parse(caseUid)));
    },
    placeFailure,
  });

  async function make({
    title,
    project,
    profile_uid,
  }: Exclude<z.output<typeof Chosen>, { case: string }>): Promise<string> {
    // A second try finds the project that the first has made.
    const project_id =
      typeof project === 'string'
        ? project
        : (await call(upsertProject, { body: { name: project.name } })).project_id;
    queries.invalidate('project');
    const version = profiles.find(({ newest }) => newest.profileUid === profile_uid)?.newest
      .version;
    const { case_uid } = await call(upsertCase, {
      body: {
        project_id,
        case_uid: CaseUid.parse(suggestCaseId(title) || 'case'),
        title,
        profile_uid,
        ...(version !== undefined && { profile_version: version }),
      },
      headers: { 'if-none-match': '*' },
    });
    queries.invalidate('case');
    return case_uid;
  }
}

function Choice(props: ChoiceProps) {
  const { files, cases, projects, profiles, wanted } = props;
  const form = useChoice(props);
  const { values } = form;
  const isNew = values.case === NEW;
  return (
    <FormDialog
      title={t('Import {name}', { name: files[0]?.name ?? '' })}
      action={isNew ? t('Create case and import') : t('Open case and import')}
      form={form}
      onClose={dropFiles}
    >
      {wanted !== undefined && !has(profiles, wanted) && <MissingProfile profileUid={wanted} />}
      {cases.length > 0 && (
        <Select
          label={t('Into')}
          options={[
            { value: NEW, label: t('A new case') },
            ...cases.map(({ case_uid, title }) => ({ value: case_uid as string, label: title })),
          ]}
          value={values.case}
          onValue={(value) => form.set('case', value)}
        />
      )}
      {isNew && (
        <>
          <TextField
            name="title"
            label={t('Title')}
            required
            autoComplete="off"
            value={values.title}
            onValue={(value) => form.set('title', value)}
            error={form.errors['title']}
          />
          <Select
            label={t('Evidence profile')}
            hint={t('Its rules are the columns of the matrix.')}
            options={profiles.map(({ newest }) => ({
              value: newest.profileUid as string,
              label: `${newest.name} ${newest.version}`,
              detail: t('{rules, plural, one {# rule} other {# rules}}', {
                rules: newest.rule_count,
              }),
            }))}
            value={values.profile_uid}
            onValue={(value) => form.set('profile_uid', value)}
            error={form.errors['profile_uid']}
          />
          {projects.length > 0 && (
            <Select
              label={t('Project')}
              options={[
                ...projects.map(({ project_id, name }) => ({
                  value: project_id as string,
                  label: name,
                })),
                { value: NEW, label: t('A new project') },
              ]}
              value={values.project}
              onValue={(value) => form.set('project', value)}
            />
          )}
          {values.project === NEW && (
            <TextField
              name="name"
              label={t('Name of the project')}
              required
              autoComplete="off"
              value={values.name}
              onValue={(value) => form.set('name', value)}
              error={form.errors['project'] ?? form.errors['name']}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}
