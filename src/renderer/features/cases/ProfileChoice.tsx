import { useId, useState } from 'react';
import type { z } from 'zod';
import type { ProfileEntry } from '../../../shared/contract/v1/profiles.ts';
import { domainName } from '../../state/format.ts';
import { Button } from '../../ui/Button.tsx';
import type { ProfileAddress } from './profile-address.ts';
import { t } from '../../text/t.ts';

type ProfileOption = z.infer<typeof ProfileEntry>;

interface ProfileChoiceProps {
  profiles: readonly ProfileOption[];
  /** The one in use, ticked at first. */
  current?: ProfileAddress | undefined;
  action: string;
  busy: boolean;
  onChoose: (profile: ProfileAddress) => void;
  onCancel?: (() => void) | undefined;
}

/** The rules decide what can be recorded, so a case without a profile begins here. */
export function ProfileChoice({
  profiles,
  current,
  action,
  busy,
  onChoose,
  onCancel,
}: ProfileChoiceProps) {
  const [uid, setUid] = useState(current?.uid ?? '');
  const id = useId();
  const chosen = profiles.find((profile) => profile.profileUid === uid);
  return (
    <form
      className="section choice"
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen !== undefined) onChoose({ uid: chosen.profileUid, version: chosen.version });
      }}
    >
      <fieldset className="choice-list">
        <legend className="visually-hidden">{t('Evidence profile')}</legend>
        {profiles.map((profile) => (
          <div
            key={profile.profileUid}
            className="choice-entry"
            data-on={profile.profileUid === uid || undefined}
          >
            <input
              type="radio"
              id={`${id}-${profile.profileUid}`}
              name="profile"
              aria-describedby={`${id}-${profile.profileUid}-about`}
              value={profile.profileUid}
              checked={profile.profileUid === uid}
              onChange={() => setUid(profile.profileUid)}
            />
            <span className="choice-text">
              <label htmlFor={`${id}-${profile.profileUid}`} className="row-title choice-label">
                {profile.name}
              </label>
              <span id={`${id}-${profile.profileUid}-about`} className="choice-about small">
                <span className="muted num">
                  {t('version {version}, {rules, plural, one {# rule} other {# rules}}, {domain}', {
                    version: profile.version,
                    rules: profile.rule_count,
                    domain: domainName(profile.domain),
                  })}
                </span>
                <span>{profile.scope}</span>
              </span>
            </span>
          </div>
        ))}
      </fieldset>
      <div className="actions">
        <Button type="submit" variant="primary" disabled={chosen === undefined} busy={busy}>
          {action}
        </Button>
        {onCancel !== undefined && <Button onClick={onCancel}>{t('Cancel')}</Button>}
      </div>
    </form>
  );
}
