import type { UnsentChoice } from '../../../shared/contract/v1/uplink.ts';
import type { ShownFailure } from '../../state/failure.ts';
import { ExportUnsent } from './Unsent.tsx';
import { t } from '../../text/t.ts';

const CHOICES: readonly { choice: UnsentChoice; words: string; hint: string }[] = [
  {
    choice: 'mine',
    words: t('That was me: send it as it is'),
    hint: t('Both names stay: it remains recorded under the previous name, sent by the new one.'),
  },
  {
    choice: 'rename',
    words: t('Send it under the new name'),
    hint: t(
      'It is recorded once more under the new name, with a reason that names the previous one. The first recording stays on this computer.',
    ),
  },
  {
    choice: 'set_aside',
    words: t('Do not send it'),
    hint: t(
      'It stays on this computer, counts as set aside, and is sent if this user’s own key is used again. Export it first.',
    ),
  },
];

/**
 * Work of others that has not been sent: a person decides what happens to it before the connection
 * is made.
 */
export function OtherWork({
  failure,
  choice,
  onChoice,
}: {
  failure: ShownFailure;
  choice: UnsentChoice | null;
  onChoice: (choice: UnsentChoice) => void;
}) {
  const own = failure.details.filter(({ path }) => path === '/unsent');
  return (
    <fieldset className="sync-other-work">
      <legend>{t('Unsent work of somebody else')}</legend>
      <p role="alert">{failure.message}</p>
      <ul>
        {own.map(({ message }) => (
          <li key={message}>{t('Unsent changes: {message}', { message })}</li>
        ))}
      </ul>
      {CHOICES.map(({ choice: one, words, hint }) => (
        <label key={one} className="sync-choice">
          <input
            type="radio"
            name="unsent"
            value={one}
            checked={choice === one}
            onChange={() => onChoice(one)}
            aria-describedby={`unsent-${one}`}
          />{' '}
          <span>
            {words}
            <span id={`unsent-${one}`} className="muted">
              {hint}
            </span>
          </span>
        </label>
      ))}
      <ExportUnsent />
    </fieldset>
  );
}
