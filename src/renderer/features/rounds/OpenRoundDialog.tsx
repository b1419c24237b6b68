import type { ProfileUid } from '../../../shared/contract/ids.ts';
import { useState } from 'react';
import { z } from 'zod';
import type { CaseUid } from '../../../shared/contract/ids.ts';
import { openRound, RoundInput } from '../../../shared/contract/v1/rounds.ts';
import { mapQuery } from '../../state/query.ts';
import { type Person, usePeople } from '../../state/use-people.ts';
import { useForm } from '../../state/form.ts';
import { useServices } from '../../state/services.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { CheckField, TextField } from '../../ui/Field.tsx';
import { FailureNotice, Loaded } from '../../ui/Loaded.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { t, tAs } from '../../text/t.ts';
import { roundsOf } from './use-rounds.ts';

interface OpenRoundProps {
  caseUid: CaseUid;
  profile: { uid: ProfileUid; version: string };
  onClose: () => void;
}

/** Names who records, and how many of them have to be done. */
export function OpenRoundDialog(props: OpenRoundProps) {
  const candidates = mapQuery(usePeople(), (people) => people.filter(({ mayRecord }) => mayRecord));
  return (
    <Dialog
      onClose={props.onClose}
      title={t('Open an independent recording')}
      description={t(
        'Each recorder records the cells of this matrix without seeing the others. Their recordings are shown once enough of them are done.',
      )}
    >
      <Loaded query={candidates} what={t('people and keys')} lines={4}>
        {(known) => <OpenRoundForm {...props} candidates={known} />}
      </Loaded>
    </Dialog>
  );
}

const Values = z.strictObject({
  title: RoundInput.shape.title,
  recorders: z.array(z.string()).min(2, t('Choose at least two.')),
  quorum: z.int(t('Must be a whole number.')).min(1),
});

function OpenRoundForm({
  caseUid,
  profile: { uid, version },
  onClose,
  candidates,
}: OpenRoundProps & { candidates: readonly Person[] }) {
  const { call, queries } = useServices();
  const [chosen, choose] = useState<readonly string[]>([]);
  const form = useForm({
    initial: { title: '', quorum: '' },
    schema: Values,
    toInput: ({ title, quorum }) => ({
      title: title.trim(),
      recorders: chosen,
      quorum: quorum.trim() === '' ? Math.max(1, chosen.length) : Number(quorum),
    }),
    submit: async (input) => {
      await call(openRound, {
        params: { caseUid },
        body: { ...input, profile_uid: uid, profile_version: version },
      });
      queries.invalidate(roundsOf(caseUid));
      onClose();
    },
  });
  return (
    <form {...form.props} className="form" aria-label={t('Open an independent recording')}>
      <TextField
        name="title"
        label={t('Title')}
        required
        autoComplete="off"
        value={form.values.title}
        onValue={(title) => form.set('title', title)}
        error={form.errors['title']}
      />
      <fieldset className="round-recorders">
        <legend className="field-label">{t('Recorders')}</legend>
        {candidates.map(({ id, name }) => (
          <CheckField
            key={id}
            label={name}
            checked={chosen.includes(id)}
            onChecked={(isChosen) =>
              choose(isChosen ? [...chosen, id] : chosen.filter((one) => one !== id))
            }
          />
        ))}
        {form.errors['recorders'] !== undefined && chosen.length < 2 && (
          <p className="field-error" role="alert">
            {form.errors['recorders']}
          </p>
        )}
      </fieldset>
      {candidates.length < 2 && (
        <Notice>
          {t('Invite somebody, or create a key that may write: it takes two to compare.')}
        </Notice>
      )}
      <TextField
        name="quorum"
        label={t('Released when so many are done')}
        hint={t('All of them if left empty.')}
        optional
        inputMode="numeric"
        value={form.values.quorum}
        onValue={(quorum) => form.set('quorum', quorum)}
        error={form.errors['quorum']}
      />
      {form.failure !== undefined && <FailureNotice failure={form.failure} />}
      <div className="actions">
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button variant="primary" type="submit" busy={form.busy}>
          {tAs('recording', 'Open')}
        </Button>
      </div>
    </form>
  );
}
