import { OutcomeMark } from '../../../ui/OutcomeMark.tsx';
import { TextArea, TextField } from '../../../ui/Field.tsx';
import { setRule, type DraftChange, type RuleTextField } from './change-draft.ts';
import type { DraftRule } from './draft.ts';
import { t } from '../../../text/t.ts';

interface RuleFieldsProps {
  rule: DraftRule;
  change: (change: DraftChange) => void;
  errorOf: (field: string) => string | undefined;
}

const MEANINGS = [
  {
    kind: 'FALSE',
    field: 'evidenceMeaning',
    label: t('FALSE means'),
    hint: t('The good answer: the evidence is there. Counts 1.'),
  },
  {
    kind: 'TRUE',
    field: 'problemMeaning',
    label: t('TRUE means'),
    hint: t('The check has failed: a problem was found. Counts 0.'),
  },
  {
    kind: 'NA',
    field: 'notAvailableMeaning',
    label: t('NA means'),
    hint: t('It could not be assessed, and why. Counts 0, shown apart from TRUE.'),
  },
] as const;

export function RuleFields({ rule, change, errorOf }: RuleFieldsProps) {
  const field = (name: RuleTextField) => ({
    name: `${rule.key}/${name}`,
    value: rule[name],
    onValue: (value: string) => change(setRule(rule.key, name, value)),
    error: errorOf(`${rule.key}/${name}`),
  });
  return (
    <div className="form pe-rule-fields">
      <div className="form-row">
        <TextField
          {...field('name')}
          label={t('Name of the rule')}
          data-control="name"
          required
          autoComplete="off"
          hint={t('The problem it looks for, in a few words.')}
        />
        <TextField
          {...field('ruleUid')}
          label={t('Rule ID')}
          mono
          required
          autoComplete="off"
          hint={
            rule.uidGiven
              ? t('Names the rule for good: another ID is another rule.')
              : t('Suggested by the name until you write your own.')
          }
        />
      </div>
      <TextArea {...field('description')} label={t('What to check')} required rows={2} />
      <div className="pe-meanings">
        {MEANINGS.map(({ kind, field: name, label, hint }) => (
          <div key={kind} className="pe-meaning">
            <OutcomeMark kind={kind} />
            <TextArea {...field(name)} label={label} hint={hint} required />
          </div>
        ))}
      </div>
    </div>
  );
}
