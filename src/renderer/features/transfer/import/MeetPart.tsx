import { memo, useId } from 'react';
import { manyOriginsHint } from '../../../state/keep-origin.ts';
import { CheckField } from '../../../ui/Field.tsx';
import { MEETS } from './plan.ts';
import type { Wizard } from './wizard.ts';
import type { WizardState } from './wizard-state.ts';
import { MEET_WORDS } from './words.ts';
import { t } from '../../../text/t.ts';

type MeetPartProps = { wizard: Wizard } & Pick<
  WizardState,
  'meet' | 'keepsWords' | 'emptyClears' | 'columns'
>;

/** How the file meets what is there, and what else is kept of it. */
export const MeetPart = memo(function MeetPart({
  wizard,
  meet,
  keepsWords,
  emptyClears,
  columns,
}: MeetPartProps) {
  const name = useId();
  const cells = columns.reduce((sum, { filled }) => sum + filled, 0);
  return (
    <section aria-labelledby="tr-meet">
      <fieldset className="tr-meet">
        <legend>
          <h3 id="tr-meet">{t('Where something is recorded already')}</h3>
        </legend>
        {MEETS.map((way) => (
          <label key={way} className="check">
            <input
              type="radio"
              name={name}
              checked={meet === way}
              onChange={() => void wizard.setChoice({ meet: way })}
            />
            <span>
              {MEET_WORDS[way].label}
              <span className="field-hint check-hint">{MEET_WORDS[way].hint}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <CheckField
        label={t('Empty cells of the file clear the cell to unrecorded')}
        checked={emptyClears}
        disabled={meet !== 'overwrite'}
        onChecked={(next) => void wizard.setChoice({ emptyClears: next })}
        hint={
          meet === 'overwrite'
            ? t('Else they leave the cell as it is. They never become NA.')
            : t('Only where the file overwrites. They never become NA.')
        }
      />
      <CheckField
        label={t('Keep with each cell what was read and where')}
        checked={keepsWords}
        onChecked={(next) => void wizard.setChoice({ keepsWords: next })}
        hint={
          t(
            'The text as its reported value; file, place and date as its provenance. Remembered on this computer.',
          ) + manyOriginsHint(cells)
        }
      />
    </section>
  );
});
