import type { CellAddress, MatrixSession } from '../../data/port.ts';
import type { Form } from '../../state/form.ts';
import { plural } from '../../state/format.ts';
import { CheckField, TextArea } from '../../ui/Field.tsx';
import { Notice } from '../../ui/Notice.tsx';

const LISTED = 50;

interface ContestedFieldsProps {
  form: Form<{ accept: boolean; reason: string } & Record<'prior_alpha' | 'prior_beta' | 'ci_level', string>>;
  session: MatrixSession;
  contested: readonly CellAddress[];
}

/** Cells that two people wrote without seeing each other: to be resolved first, or frozen as shown for a stated reason. */
export function ContestedFields({ form, session, contested }: ContestedFieldsProps) {
  const ruleNames = new Map(session.profile.rules.map((rule) => [rule.ruleUid, rule.name]));
  return (
    <fieldset className="form-group">
      <legend className="visually-hidden">Contested cells</legend>
      <Notice tone="warning" title={contested.length === 0 ? 'The server holds contested cells' : `${plural(contested.length, 'contested cell')}`}>
        <p>Two people recorded {contested.length === 1 ? 'it' : 'them'} without seeing each other&apos;s entry. A run that freezes what is shown carries the list and your reason in its hash.</p>
        <ul className="plain-list">
          {contested.slice(0, LISTED).map((cell) => <li key={`${cell.item}\n${cell.rule}`}><code>{cell.item}</code>, {ruleNames.get(cell.rule) ?? cell.rule}</li>)}
        </ul>
        {contested.length > LISTED && <p>and {contested.length - LISTED} more.</p>}
      </Notice>
      <CheckField label="Freeze the values shown although they are contested" checked={form.values.accept} onChecked={(accept) => form.set('accept', accept)} />
      {form.errors['accept'] !== undefined && <p className="field-error" role="alert">{form.errors['accept']}</p>}
      {form.values.accept && <TextArea name="reason" label="Reason" value={form.values.reason} onValue={(value) => form.set('reason', value)} error={form.errors['reason']} />}
    </fieldset>
  );
}
