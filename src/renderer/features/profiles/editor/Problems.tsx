import { plural } from '../../../state/format.ts';
import type { Problem } from './draft-problems.ts';

const SHOWN = 12;

/** What keeps the draft from being published, each with the way to its field. */
export function Problems({
  problems,
  onGo,
}: {
  problems: readonly Problem[];
  onGo: (problem: Problem) => void;
}) {
  return (
    <section className="panel pe-problems" aria-labelledby="problems">
      <h2 id="problems" tabIndex={-1} className="pe-side-title">
        {problems.length === 0
          ? 'Ready to publish'
          : `${plural(problems.length, 'field')} to complete`}
      </h2>
      {problems.length === 0 ? (
        <p className="muted small">Every field is as the standard asks.</p>
      ) : (
        <ul className="pe-problem-list">
          {problems.slice(0, SHOWN).map((problem) => (
            <li key={problem.field + problem.message}>
              <button type="button" className="link-button" onClick={() => onGo(problem)}>
                {problem.place}
              </button>{' '}
              <span className="small">{problem.message}</span>
            </li>
          ))}
        </ul>
      )}
      {problems.length > SHOWN && <p className="muted small">and {problems.length - SHOWN} more</p>}
      <p className="visually-hidden" role="status">
        {problems.length === 0
          ? 'No field to complete'
          : `${plural(problems.length, 'field')} to complete`}
      </p>
    </section>
  );
}
