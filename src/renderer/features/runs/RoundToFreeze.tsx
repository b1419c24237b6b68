import { listRounds } from '../../../shared/contract/v1/rounds.ts';
import type { MatrixSession } from '../../data/store/port.ts';
import type { Form } from '../../state/form.ts';
import { useQuery } from '../../state/query.ts';
import { useServices } from '../../state/services.tsx';
import { t } from '../../text/t.ts';
import { Select } from '../../ui/Select.tsx';
import type { RunFormValues } from './run-plan.ts';

/**
 * Which released round of independent recording of this matrix is frozen with the run; nothing
 * where there is none.
 */
export function RoundToFreeze({
  form,
  session: { caseUid, profile },
}: {
  form: Form<RunFormValues>;
  session: MatrixSession;
}) {
  const { call, clock } = useServices();
  const rounds = useQuery(`rounds/${caseUid}`, async () => ({
    data: (await call(listRounds, { params: { caseUid } })).data,
    stale: false,
    at: clock.now(),
  }));
  const released = (rounds.data ?? []).filter(
    ({ state, profile_uid, profile_version }) =>
      state === 'released' &&
      profile_uid === profile.profileUid &&
      profile_version === profile.version,
  );
  if (released.length === 0) return null;
  return (
    <Select
      label={t('Agreement of independent recorders')}
      hint={t('Is frozen with the run, and stands in its report.')}
      options={[
        { value: '', label: t('None') },
        ...released.map(({ round_id, title }) => ({ value: round_id, label: title })),
      ]}
      value={form.values.round}
      onValue={(value) => form.set('round', value)}
      error={form.errors['round']}
    />
  );
}
