import type { MatrixSession } from '../../data/store/port.ts';
import { runCommand } from '../../state/commands.ts';
import type { Form } from '../../state/form.ts';
import { formatCount, plural } from '../../state/format.ts';
import { Button } from '../../ui/Button.tsx';
import { CheckField, TextArea } from '../../ui/Field.tsx';
import { Notice } from '../../ui/Notice.tsx';
import type { ContestedRunCell } from './run-plan.ts';

const LISTED = 50;

interface RunConflictsProps {
  form: Form<
    { accept: boolean; reason: string } & Record<'prior_alpha' | 'prior_beta' | 'ci_level', string>
  >;
  session: MatrixSession;
  contested: readonly ContestedRunCell[];
  onReview: () => void;
}

const materialWords = (material: number, contested: number): string =>
  material < contested ? formatCount(material) : material === 1 ? 'it' : 'all of them';

/**
 * Cells that two people wrote without seeing each other: to be resolved first, or frozen as shown
 * for a stated reason. Those that change the result come first.
 */
export function RunConflicts({ form, session, contested, onReview }: RunConflictsProps) {
  const material = contested.filter((cell) => cell.material).length;
  const ruleNames = new Map(session.profile.rules.map((rule) => [rule.ruleUid, rule.name]));
  return (
    <fieldset className="form-group">
      <legend className="visually-hidden">Conflicts</legend>
      <Notice
        tone="warning"
        title={
          contested.length === 0 ? 'The server has conflicts' : plural(contested.length, 'conflict')
        }
      >
        <p>
          Two people recorded {contested.length === 1 ? 'a cell' : 'these cells'} without seeing
          each other&apos;s entry. A run that freezes what is shown carries the list and your reason
          in its hash.
        </p>
        {contested.length > 0 && (
          <p>
            {material === 0
              ? 'Whichever value holds, the result is the same.'
              : `In ${materialWords(material, contested.length)} another value would change the ` +
                'result (◆).'}
          </p>
        )}
        <ul className="plain-list">
          {contested.slice(0, LISTED).map((cell) => (
            <li key={`${cell.item}\n${cell.rule}`}>
              {cell.material && (
                <>
                  <span aria-hidden="true">◆ </span>
                  <span className="visually-hidden">changes the result: </span>
                </>
              )}
              <code>{cell.item}</code>, {ruleNames.get(cell.rule) ?? cell.rule}
            </li>
          ))}
        </ul>
        {contested.length > LISTED && <p>and {formatCount(contested.length - LISTED)} more.</p>}
        {contested.length > 0 && (
          <Button
            onClick={() => {
              onReview();
              runCommand('review.open');
            }}
          >
            Resolve {plural(contested.length, 'conflict')}
          </Button>
        )}
      </Notice>
      <CheckField
        label="Freeze the values shown in spite of conflicts"
        checked={form.values.accept}
        onChecked={(accept) => form.set('accept', accept)}
      />
      {form.errors['accept'] !== undefined && (
        <p className="field-error" role="alert">
          {form.errors['accept']}
        </p>
      )}
      {form.values.accept && (
        <TextArea
          name="reason"
          label="Reason"
          value={form.values.reason}
          onValue={(value) => form.set('reason', value)}
          error={form.errors['reason']}
        />
      )}
    </fieldset>
  );
}
