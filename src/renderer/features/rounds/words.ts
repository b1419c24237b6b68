import type { Round } from '../../../shared/contract/v1/rounds.ts';
import { t } from '../../text/t.ts';

type Recorder = Round['recorders'][number];

export const recorderName = ({ name, recorder, kind }: Recorder): string =>
  kind === 'agent' ? t('{name} (agent)', { name: name ?? recorder }) : (name ?? recorder);

export const isDone = ({ commitments }: Recorder): boolean =>
  commitments.some(({ after_release }) => after_release !== true);

/** Which cells a round is about. */
export function whatOf({ items, rules, profile_uid, profile_version }: Round): string {
  const values = { profile: `${profile_uid} ${profile_version}` };
  if (items === 'all' && rules === 'all') return t('All cells under {profile}', values);
  return t('{items} and {rules} under {profile}', {
    ...values,
    items:
      items === 'all'
        ? t('all items')
        : t('{count, plural, one {# item} other {# items}}', { count: items.length }),
    rules:
      rules === 'all'
        ? t('all rules')
        : t('{count, plural, one {# rule} other {# rules}}', { count: rules.length }),
  });
}
