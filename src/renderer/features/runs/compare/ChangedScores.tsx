import { plural, formatShare } from '../../../state/format.ts';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { Pager, usePager } from '../../../ui/Pager.tsx';
import { Section } from '../../../ui/Page.tsx';
import { Table } from '../../../ui/Table.tsx';
import { ruleNames } from '../record.ts';
import { signed } from '../sentences.ts';
import type { RunDiff, ScoreReason } from './run-diff.ts';

const PAGE = 50;
/** Rules that are named in a line. */
const NAMED = 5;

/** Why a score changed, by its rules; other priors move every score and are said above. */
export function whyWords(
  { gained, lost, added, removed }: ScoreReason,
  ruleName: (uid: string) => string,
): string {
  const listed = (uids: readonly string[]): string =>
    uids.slice(0, NAMED).map(ruleName).join(', ') +
    (uids.length > NAMED ? ` and ${uids.length - NAMED} more` : '');
  const words = [
    gained.length > 0 ? `now met: ${listed(gained)}` : '',
    lost.length > 0 ? `no longer met: ${listed(lost)}` : '',
    added.rules > 0 ? `${plural(added.rules, 'new rule')}, ${added.met} met` : '',
    removed.rules > 0 ? `${plural(removed.rules, 'rule')} fewer, of which ${removed.met} met` : '',
  ].filter((part) => part !== '');
  return words.length === 0 ? 'the settings differ' : words.join('; ');
}

export function ChangedScores({ diff, run }: { diff: RunDiff; run: RunRecord }) {
  const ruleName = ruleNames(run);
  const pager = usePager(diff.scores.length, PAGE);
  if (diff.scores.length === 0) return null;
  return (
    <Section
      title="Changed scores"
      note={
        'Largest change of the mean first. Intervals of one item overlap more than its means ' +
        'differ: a change of the mean is no proof of a difference.'
      }
    >
      <Table
        caption="Changed scores"
        dense
        head={
          <tr>
            <th scope="col">Item</th>
            <th scope="col" className="n">
              Met of rules
            </th>
            <th scope="col" className="n">
              Earlier mean
            </th>
            <th scope="col" className="n">
              Later mean
            </th>
            <th scope="col" className="n">
              Change
            </th>
            <th scope="col" className="n">
              Percentile
            </th>
            <th scope="col">Why</th>
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
              {from.k} of {from.m} → {to.k} of {to.m}
            </td>
            <td className="n">{formatShare(from.theta_mean, 3)}</td>
            <td className="n">{formatShare(to.theta_mean, 3)}</td>
            <td className="n">{signed(change, 3)}</td>
            <td className="n">
              {from.percentile.toFixed(1)} → {to.percentile.toFixed(1)}
            </td>
            <td className="wide">{whyWords(why, ruleName)}</td>
          </tr>
        ))}
      </Table>
      <Pager pager={pager} what="items" />
    </Section>
  );
}
