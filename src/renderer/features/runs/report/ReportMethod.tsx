import type { RunRecord } from '../../../../shared/domain/run.ts';
import { runFileName, sumRules } from '../record.ts';
import { settingsSentence, unrecordedSentence } from '../sentences.ts';
import { t } from '../../../text/t.ts';

/** How the result was computed. */
export function Method({ run }: { run: RunRecord }) {
  const { profile } = run.frozen;
  const totals = sumRules(run.result.rules);
  return (
    <section>
      <h2>{t('Method')}</h2>
      <p>
        {t('{method}, engine {name} {version}.', {
          method: run.method,
          name: run.engine.name,
          version: run.engine.version,
        })}{' '}
        {settingsSentence(run.settings)}{' '}
        {t(
          "For item i, k of its m rules are met: FALSE, evidence present. TRUE, NA and cells that are not recorded count 0. The posterior is Beta(a + k, b + m − k): its mean is the item's sufficiency, and the interval runs between its exact quantiles. The percentile is the item's mean rank, ties averaged. The range of items is made of type-7 quantiles of the item means.",
        )}
      </p>
      <p>
        {t(
          'Profile: {name} {version} ({id}), {standard}, maintained by {maintainer}. Scope: {scope}',
          {
            name: profile.name,
            version: profile.version,
            id: profile.profileUid,
            standard: profile.standard,
            maintainer: profile.maintainer,
            scope: profile.scope,
          },
        )}
      </p>
      <p>{unrecordedSentence(totals[3], run.result.global.n_items * run.result.global.m_rules)}</p>
    </section>
  );
}

/** By what the run is checked. */
export function Integrity({ run }: { run: RunRecord }) {
  return (
    <section className="report-together">
      <h2>{t('Integrity')}</h2>
      <p>
        {t(
          'The content hash covers the case, the profile, every item and outcome with its notes and provenance, the settings, the method and the result.',
        )}
      </p>
      <p className="report-hash">{run.content_hash}</p>
      <p>
        {t('Whoever holds the JSON file of the run can check it without this studio:')}{' '}
        <code>{`evidence-studio verify ${runFileName(run.run_uid, 'evidence-run.json')}`}</code>
      </p>
    </section>
  );
}
