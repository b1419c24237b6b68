import type { usePublisher } from '../../../state/use-may.ts';
import { Button } from '../../../ui/Button.tsx';
import { TextArea, TextField } from '../../../ui/Field.tsx';
import { Select } from '../../../ui/Select.tsx';
import { suggestedWords, type Distance } from '../next-version.ts';
import { setHeader, setVisibility, type DraftChange, type HeaderText } from './change-draft.ts';
import type { ProfileDraft } from './draft.ts';
import { t } from '../../../text/t.ts';

interface HeaderFieldsProps {
  draft: ProfileDraft;
  change: (change: DraftChange) => void;
  errorOf: (field: string) => string | undefined;
  suggestion: { version: string; distance: Distance } | undefined;
  /** Who shows profiles to every account. */
  publisher: ReturnType<typeof usePublisher>;
}

const VISIBILITIES = [
  { value: 'private', label: t('Private'), detail: t('this account alone') },
  { value: 'community', label: t('Community'), detail: t('every account of this server') },
] as const;

const OTHERS = {
  you: undefined,
  'an owner': t('An owner of this account publishes to the community.'),
  operator: t(
    'Whoever runs this server publishes to the community: ask them once the profile is here.',
  ),
};

export function HeaderFields(props: HeaderFieldsProps) {
  const { draft, change, errorOf, publisher } = props;
  const field = fieldsOf(props);
  return (
    <div className="form pe-header">
      <TextField {...field('name')} label={t('Name')} required autoComplete="off" />
      <IdAndVersion {...props} />
      <div className="form-row">
        <TextField
          {...field('domain')}
          label={t('Domain')}
          mono
          required
          autoComplete="off"
          hint={t('One word for the field of work, such as clinical_genetics.')}
        />
        <Select
          label={t('Visibility')}
          options={publisher === 'you' ? VISIBILITIES : VISIBILITIES.slice(0, 1)}
          hint={OTHERS[publisher]}
          value={draft.visibility}
          onValue={(value) => change(setVisibility(value))}
          error={errorOf('visibility')}
        />
      </div>
      <TextArea
        {...field('description')}
        label={t('Description')}
        required
        hint={t('What the rules check, and what one row of the matrix is.')}
      />
      <TextArea
        {...field('scope')}
        label={t('Scope')}
        required
        hint={t('What the profile is for, and what it is not for.')}
      />
      <div className="form-row">
        <TextField
          {...field('maintainer')}
          label={t('Maintainer')}
          required
          autoComplete="off"
          hint={t('Who answers for the rules.')}
        />
        <TextField
          {...field('sourceUrl')}
          label={t('Source address')}
          optional
          mono
          type="text"
          inputMode="url"
          autoComplete="off"
          hint={t('Where the rules come from.')}
        />
      </div>
      <p className="muted small">
        {t('Standard SGA-QEM-1.0, version 1.0: every rule is a failure check.')}
      </p>
    </div>
  );
}

const fieldsOf =
  ({ draft, change, errorOf }: HeaderFieldsProps) =>
  (name: HeaderText) => ({
    name,
    value: draft[name],
    onValue: (value: string) => change(setHeader(name, value)),
    error: errorOf(name),
  });

function idHint({ origin, uidGiven }: ProfileDraft): string {
  if (origin.kind === 'version') return t('A new version keeps the ID of its profile.');
  return uidGiven
    ? t('Names the profile for good, in addresses and in runs.')
    : t('Suggested by the name until you write your own.');
}

/** Both are suggested until a person writes another. */
function IdAndVersion(props: HeaderFieldsProps) {
  const { draft, change, suggestion } = props;
  const field = fieldsOf(props);
  return (
    <div className="form-row">
      <TextField
        {...field('profileUid')}
        label={t('Profile ID')}
        mono
        required
        readOnly={draft.origin.kind === 'version'}
        autoComplete="off"
        hint={idHint(draft)}
      />
      <div className="pe-version">
        <TextField
          {...field('version')}
          label={t('Version')}
          mono
          required
          autoComplete="off"
          inputMode="decimal"
          hint={
            suggestion === undefined
              ? t('Two or three numbers, such as 1.0.')
              : suggestedWords(suggestion)
          }
        />
        {suggestion !== undefined && draft.versionGiven && draft.version !== suggestion.version && (
          <Button
            size="sm"
            onClick={() => change((given) => ({ ...given, version: '', versionGiven: false }))}
          >
            {t('Use {version}', { version: suggestion.version })}
          </Button>
        )}
      </div>
    </div>
  );
}
