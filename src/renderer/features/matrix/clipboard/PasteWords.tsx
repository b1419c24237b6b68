import { useEditor } from '../editor/use-editor.ts';
import { cellName } from '../model/names.ts';
import { formatCount } from '../../../state/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { Select, type SelectOption } from '../../../ui/Select.tsx';
import { STATE_WORDS } from '../model/states.ts';
import { CHOICES, type PasteChoice, type PasteChoices, type PastePlan } from './plan.ts';
import { loadRemembered } from './remembered.ts';
import { t, tOf } from '../../../text/t.ts';

const OPTIONS: readonly SelectOption<PasteChoice>[] = CHOICES.map((value) =>
  value === 'leave'
    ? { value, label: t('Leave the cell as it is') }
    : {
        value,
        label: value === 'unrecorded' ? t('Unrecorded') : STATE_WORDS[value].full,
      },
);

/** More different words than this are no list of outcomes. */
const ASKED = 50;
const LONGEST = 60;

/** Control characters as signs that can be seen. */
const visible = (word: string): string =>
  word
    .slice(0, LONGEST)
    .replaceAll(/[\u0000-\u001f]/g, (sign) => String.fromCharCode(0x2400 + sign.charCodeAt(0))) +
  (word.length > LONGEST ? '…' : '');

/**
 * Every word that is no outcome, once. What it maps to is the person's to say: nothing is chosen
 * before.
 */
export function PasteWords({
  plan,
  choices,
  onChange,
}: {
  plan: PastePlan;
  choices: PasteChoices;
  onChange: (words: ReadonlyMap<string, PasteChoice>) => void;
}) {
  const { session } = useEditor();
  const earlier = loadRemembered();
  const known = plan.words.filter(
    ({ word, reading }) => reading === undefined && !choices.words.has(word) && earlier.has(word),
  );
  const choose = (word: string, choice: PasteChoice): void =>
    onChange(new Map([...choices.words, [word, choice]]));
  const useEarlier = (): void =>
    onChange(
      new Map([
        ...choices.words,
        ...known.map(({ word }): [string, PasteChoice] => [word, earlier.get(word)!]),
      ]),
    );
  return (
    <section>
      <div className="mx-paste-head">
        <h3 className="mx-paste-title">{t('Values')}</h3>
        {known.length > 0 && (
          <Button size="sm" onClick={useEarlier}>
            {t('Use the same as last time for {values, plural, one {# value} other {# values}}', {
              values: known.length,
            })}
          </Button>
        )}
      </div>
      <p className="muted small">
        {t(
          'Outcomes are TRUE (problem found), FALSE (evidence present) and NA (not available). Other values could mean either: say what each maps to here. A value without a choice leaves its cells as they are.',
        )}
      </p>
      <table className="mx-paste-words">
        <thead>
          <tr>
            <th scope="col">{t('Value')}</th>
            <th scope="col">{t('Cells')}</th>
            <th scope="col">{t('First at')}</th>
            <th scope="col">{t('Maps to')}</th>
          </tr>
        </thead>
        <tbody>
          {plan.words.slice(0, ASKED).map(({ word, count, at, reading }) => (
            <tr key={word}>
              <th scope="row">
                <bdi className="mx-paste-word">{visible(word)}</bdi>
                {reading !== undefined && (
                  <div className="muted small">
                    {t('{outcome}, in {language}', {
                      outcome: STATE_WORDS[reading.state].full,
                      language: (reading.language ?? '').split(', ').map(tOf).join(', '),
                    })}
                  </div>
                )}
              </th>
              <td>{formatCount(count)}</td>
              <td className="mx-uid">{cellName(session, at)}</td>
              <td>
                <Select
                  label={t('“{word}” maps to', { word: visible(word) })}
                  labelHidden
                  options={OPTIONS}
                  value={choices.words.get(word) ?? reading?.state ?? null}
                  onValue={(choice) => choose(word, choice)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {plan.words.length > ASKED && (
        <p className="muted small">
          {t(
            'And {more, plural, one {# more value} other {# more values}}, skipped. So many values are hardly outcomes: is this the right block?',
            { more: plan.words.length - ASKED },
          )}
        </p>
      )}
    </section>
  );
}
