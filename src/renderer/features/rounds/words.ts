import type { Round } from '../../../shared/contract/v1/rounds.ts';
import { formatShare } from '../../state/format.ts';
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

/** What is undefined is said to be so. */
export const figure = (value: number | null): string =>
  value === null ? t('undefined') : formatShare(value, 3);

export const interval = (low: number | null, high: number | null): string =>
  low === null || high === null
    ? t('undefined')
    : t('{low} to {high}', { low: formatShare(low, 3), high: formatShare(high, 3) });
