import type { Problem } from './draft-problems.ts';
import { t } from '../../../text/t.ts';

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
          ? t('Ready to publish')
          : t('{fields, plural, one {# field} other {# fields}} to complete', {
              fields: problems.length,
            })}
      </h2>
      {problems.length === 0 ? (
        <p className="muted small">{t('Every field is as the standard asks.')}</p>
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
      {problems.length > SHOWN && (
        <p className="muted small">
          {t('and {more, number} more', { more: problems.length - SHOWN })}
        </p>
      )}
      <p className="visually-hidden" role="status">
        {problems.length === 0
          ? t('No field to complete')
          : t('{fields, plural, one {# field} other {# fields}} to complete', {
              fields: problems.length,
            })}
      </p>
    </section>
  );
}
