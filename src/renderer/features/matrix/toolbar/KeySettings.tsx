import { useState } from 'react';
import { useStore } from 'zustand';
import { Button } from '../../../ui/Button.tsx';
import { CheckField } from '../../../ui/Field.tsx';
import { STATE_WORDS } from '../model/states.ts';
import { type Letter, LETTERS, keyStore, setKeyPreferences, USUAL_KEYS } from '../actions/keys.ts';
import { t } from '../../../text/t.ts';

const MEANINGS: Record<Letter, string> = {
  F: STATE_WORDS.FALSE.full,
  T: STATE_WORDS.TRUE.full,
  N: STATE_WORDS.NA.full,
  U: t('Next unrecorded'),
};
const ORDER = ['F', 'T', 'N', 'U'] as const satisfies readonly Letter[];

/**
 * Single keys can be turned off or exchanged: whoever speaks to the computer, or hits keys by
 * accident, must be able to.
 */
export function KeySettings() {
  const preferences = useStore(keyStore, (state) => state.preferences);
  const [refusal, setRefusal] = useState<string>();
  const isUsual =
    preferences.single && LETTERS.every((letter) => preferences.letters[letter] === letter);
  return (
    <section className="mx-key-settings" aria-label={t('Single keys')}>
      <CheckField
        label={t('Single letters and signs are commands')}
        checked={preferences.single}
        onChecked={(single) => setRefusal(setKeyPreferences({ ...preferences, single }))}
      />
      <div className="mx-key-letters">
        {ORDER.map((letter) => (
          <label key={letter}>
            <span>{MEANINGS[letter]}</span>
            <input
              className="input"
              size={2}
              value={preferences.letters[letter]}
              disabled={!preferences.single}
              aria-describedby="mx-key-refusal"
              onFocus={(event) => event.target.select()}
              onChange={(event) => {
                const typed = event.target.value
                  .replace(preferences.letters[letter], '')
                  .slice(-1)
                  .toUpperCase();
                if (typed !== '')
                  setRefusal(
                    setKeyPreferences({
                      ...preferences,
                      letters: { ...preferences.letters, [letter]: typed },
                    }),
                  );
              }}
            />
          </label>
        ))}
        <Button
          size="sm"
          disabled={isUsual}
          onClick={() => setRefusal(setKeyPreferences(USUAL_KEYS))}
        >
          {t('Reset to defaults')}
        </Button>
      </div>
      <p id="mx-key-refusal" role="status" className="field-error">
        {refusal}
      </p>
    </section>
  );
}
