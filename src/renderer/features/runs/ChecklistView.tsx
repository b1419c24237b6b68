import { formatCount, plural } from '../../state/format.ts';
import { Notice } from '../../ui/Notice.tsx';
import type { Checklist } from './run-plan.ts';

/** What the run is going to say about how complete it is, before it is made. */
export function ChecklistView({ checklist }: { checklist: Checklist }) {
  const { items, rules, recorded, problems, bareProblems, unrecorded, waiting } = checklist;
  const numbers = [
    { name: 'Items', value: items },
    { name: 'Rules', value: rules },
    { name: 'Recorded', value: recorded },
    { name: 'Not recorded', value: unrecorded },
    { name: 'Problems found', value: problems },
    { name: 'Conflicts', value: checklist.contested.length },
  ];
  return (
    <section className="section" aria-label="Before the run">
      <dl className="checklist">
        {numbers.map((number) => (
          <div key={number.name} className="number">
            <dt>{number.name}</dt>
            <dd>
              <span className="number-value">{formatCount(number.value)}</span>
            </dd>
          </div>
        ))}
      </dl>
      {items === 0 && (
        <Notice tone="warning" title="There is nothing to run yet">
          <p>Add at least one item to the matrix.</p>
        </Notice>
      )}
      {unrecorded > 0 && (
        <Notice tone="warning" title={`${plural(unrecorded, 'cell')} not recorded`}>
          <p>
            In the run each counts as NA, so as 0, and is listed as unrecorded: nobody has looked,
            which is not the same as having found nothing.
          </p>
        </Notice>
      )}
      {bareProblems > 0 && (
        <p className="small muted">
          {problems === bareProblems
            ? 'No problem has'
            : `${formatCount(bareProblems)} of ${plural(problems, 'problem')} ${bareProblems === 1 ? 'has no' : 'have no'}`}{' '}
          notes that say what was found. The run takes them as they are.
        </p>
      )}
      {waiting > 0 && (
        <p className="small muted">
          {plural(waiting, 'change')} of this window {waiting === 1 ? 'is' : 'are'} on the way to
          the server; the run waits for {waiting === 1 ? 'it' : 'them'}.
        </p>
      )}
    </section>
  );
}
