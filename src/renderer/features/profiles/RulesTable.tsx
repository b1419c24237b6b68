import type { ProfileDocument } from '../../../shared/domain/profile.ts';
import { OutcomeMark } from '../../ui/OutcomeMark.tsx';
import './profiles.css';
import { t } from '../../text/t.ts';

type Rule = ProfileDocument['rules'][number];

/**
 * The rules in their order, each with the three meanings side by side; under each other where the
 * window is narrow.
 */
export function RulesTable({ rules }: { rules: readonly Rule[] }) {
  const ordered = rules.toSorted((a, b) => a.ruleOrder - b.ruleOrder);
  return (
    <div className="table-frame">
      <table className="table rules-table">
        <caption className="visually-hidden">{t('Rules with the meaning of each outcome')}</caption>
        <thead>
          <tr>
            <th scope="col" className="n">
              #
            </th>
            <th scope="col">{t('Rule (a failure check)')}</th>
            <th scope="col">
              <OutcomeMark kind="FALSE" label />
            </th>
            <th scope="col">
              <OutcomeMark kind="TRUE" label />
            </th>
            <th scope="col">
              <OutcomeMark kind="NA" label />
            </th>
          </tr>
        </thead>
        <tbody>
          {ordered.map((rule) => (
            <tr key={rule.ruleUid}>
              <td className="n">{rule.ruleOrder}</td>
              <th scope="row">
                {rule.name}
                <code className="rule-uid">{rule.ruleUid}</code>
                <span className="row-note">{rule.description}</span>
              </th>
              <Meaning kind="FALSE" text={rule.evidenceMeaning} />
              <Meaning kind="TRUE" text={rule.problemMeaning} />
              <Meaning kind="NA" text={rule.notAvailableMeaning} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Meaning({ kind, text }: { kind: 'FALSE' | 'TRUE' | 'NA'; text: string }) {
  return (
    <td className="meaning" data-outcome={kind}>
      <span className="meaning-mark" aria-hidden="true">
        <OutcomeMark kind={kind} label />
      </span>
      {text}
    </td>
  );
}
