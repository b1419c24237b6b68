import type { MatrixSession } from '../../data/store/port.ts';
import { runCommand } from '../../state/commands.ts';
import type { Form } from '../../state/form.ts';
import { Button } from '../../ui/Button.tsx';
import { CheckField, TextArea } from '../../ui/Field.tsx';
import { Notice } from '../../ui/Notice.tsx';
import type { ContestedRunCell, RunFormValues } from './run-plan.ts';
import { t } from '../../text/t.ts';

const LISTED = 50;

interface RunConflictsProps {
  form: Form<RunFormValues>;
  session: MatrixSession;
  contested: readonly ContestedRunCell[];
  /** Others have been added since this person accepted those that were listed. */
  hasAdded: boolean;
  onRead: () => void;
  onReview: () => void;
}

export const conflictsAdded = (): string =>
  t(
    'Conflicts have been added since. Look at the list again: the reason is recorded for all of them.',
  );

/** Whether it matters which of the values holds, and where. */
function materialSentence(material: number, contested: number): string {
  if (material === 0) return t('Whichever value holds, the result is the same.');
  if (material < contested)
    return t('In {cells, number} another value would change the result (◆).', { cells: material });
  return material === 1
    ? t('In it another value would change the result (◆).')
    : t('In all of them another value would change the result (◆).');
}

/**
 * Cells that two people wrote without seeing each other: to be resolved first, or frozen as shown
 * for a stated reason. Those that change the result come first.
 */
export function RunConflicts({
  form,
  session,
  contested,
  hasAdded,
  onRead,
  onReview,
}: RunConflictsProps) {
  const material = contested.filter((cell) => cell.material).length;
  const ruleNames = new Map(session.profile.rules.map((rule) => [rule.ruleUid, rule.name]));
  return (
    <fieldset className="form-group">
      <legend className="visually-hidden">{t('Conflicts')}</legend>
      <Notice
        tone="warning"
        title={
          contested.length === 0
            ? t('The server has conflicts')
            : t('{conflicts, plural, one {# conflict} other {# conflicts}}', {
                conflicts: contested.length,
              })
        }
      >
        <p>
          {t(
            "{conflicts, plural, one {Two people recorded a cell without seeing each other's entry.} other {Two people recorded these cells without seeing each other's entry.}} A run that freezes what is shown carries the list and your reason in its hash.",
            { conflicts: contested.length },
          )}
        </p>
        {contested.length > 0 && <p>{materialSentence(material, contested.length)}</p>}
        <ul className="plain-list">
          {contested.slice(0, LISTED).map((cell) => (
            <li key={`${cell.item}\n${cell.rule}`}>
              {cell.material && (
                <>
                  <span aria-hidden="true">◆ </span>
                  <span className="visually-hidden">{t('changes the result:')} </span>
                </>
              )}
              <code>{cell.item}</code>, {ruleNames.get(cell.rule) ?? cell.rule}
            </li>
          ))}
        </ul>
        {contested.length > LISTED && (
          <p>{t('and {more, number} more.', { more: contested.length - LISTED })}</p>
        )}
        {contested.length > 0 && (
          <Button
            onClick={() => {
              onReview();
              runCommand('review.open');
            }}
          >
            {t('Resolve {conflicts, plural, one {# conflict} other {# conflicts}}', {
              conflicts: contested.length,
            })}
          </Button>
        )}
      </Notice>
      <CheckField
        label={t('Freeze the values shown in spite of conflicts')}
        checked={form.values.accept}
        onChecked={(accept) => {
          onRead();
          form.set('accept', accept);
        }}
      />
      {form.errors['accept'] !== undefined && (
        <p className="field-error" role="alert">
          {form.errors['accept']}
        </p>
      )}
      {hasAdded && (
        <p className="field-error" role="alert">
          {conflictsAdded()}
        </p>
      )}
      {form.values.accept && (
        <TextArea
          name="reason"
          label={t('Reason')}
          value={form.values.reason}
          onValue={(value) => form.set('reason', value)}
          error={form.errors['reason']}
        />
      )}
    </fieldset>
  );
}
