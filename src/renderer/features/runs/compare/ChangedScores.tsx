import { formatShare } from '../../../state/format.ts';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { Pager, usePager } from '../../../ui/Pager.tsx';
import { Section } from '../../../ui/Page.tsx';
import { Table } from '../../../ui/Table.tsx';
import { ruleNames } from '../record.ts';
import { signed } from '../sentences.ts';
import type { RunDiff, ScoreReason } from '../../../../shared/domain/run-diff.ts';
import { t, tAs } from '../../../text/t.ts';

const PAGE = 50;
/** Rules that are named in a line. */
const NAMED = 5;

/** Why a score changed, by its rules; other priors move every score and are said above. */
export function whyWords(
  { gained, lost, added, removed }: ScoreReason,
  ruleName: (uid: string) => string,
): string {
  const listed = (uids: readonly string[]): string => {
    const rules = uids.slice(0, NAMED).map(ruleName).join(', ');
    const more = uids.length - NAMED;
    return more > 0 ? t('{rules} and {more} more', { rules, more }) : rules;
  };
  const words = [
    gained.length > 0 ? t('now met: {rules}', { rules: listed(gained) }) : '',
    lost.length > 0 ? t('no longer met: {rules}', { rules: listed(lost) }) : '',
    added.rules > 0
      ? t('{rules, plural, one {# new rule} other {# new rules}}, {met} met', added)
      : '',
    removed.rules > 0
      ? t('{rules, plural, one {# rule} other {# rules}} fewer, of which {met} met', removed)
      : '',
  ].filter((part) => part !== '');
  return words.length === 0 ? t('the settings differ') : words.join('; ');
}

export function ChangedScores({ diff, run }: { diff: RunDiff; run: RunRecord }) {
  const ruleName = ruleNames(run);
  const pager = usePager(diff.scores.length, PAGE);
  if (diff.scores.length === 0) return null;
  return (
    <Section
      title={t('Changed scores')}
      note={t(
        'Largest change of the mean first. Intervals of one item overlap more than its means differ: a change of the mean is no proof of a difference.',
      )}
    >
      <Table
        caption={t('Changed scores')}
        dense
        head={
          <tr>
            <th scope="col">{t('Item')}</th>
            <th scope="col" className="n">
              {t('Met of rules')}
            </th>
            <th scope="col" className="n">
              {t('Earlier mean')}
            </th>
            <th scope="col" className="n">
              {t('Later mean')}
            </th>
            <th scope="col" className="n">
              {tAs('difference', 'Change')}
            </th>
            <th scope="col" className="n">
              {t('Percentile')}
            </th>
            <th scope="col">{t('Why')}</th>
          </tr>
        }
      >
        {diff.scores.slice(pager.first, pager.end).map(({ item, label, from, to, change, why }) => (
          <tr key={item}>
            <th scope="row">
              {label !== '' && label !== item && <>{label} </>}
              <code>{item}</code>
            </th>
            <td className="n">
              {t('{k} of {m} → {kNow} of {mNow}', {
                k: from.k,
                m: from.m,
                kNow: to.k,
                mNow: to.m,
              })}
            </td>
            <td className="n">{formatShare(from.theta_mean, 3)}</td>
            <td className="n">{formatShare(to.theta_mean, 3)}</td>
            <td className="n">{signed(change, 3)}</td>
            <td className="n">
              {formatShare(from.percentile, 1)} → {formatShare(to.percentile, 1)}
            </td>
            <td className="wide">{whyWords(why, ruleName)}</td>
          </tr>
        ))}
      </Table>
      <Pager pager={pager} what={t('items')} />
    </Section>
  );
}
