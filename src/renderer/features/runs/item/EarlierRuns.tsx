import { useState } from 'react';
import { Link } from 'react-router';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import type { RunListEntry } from '../../../data/api/library.ts';
import { formatDateTime, formatShare } from '../../../state/format.ts';
import { useQuery } from '../../../state/query.ts';
import { Button } from '../../../ui/Button.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Section } from '../../../ui/Page.tsx';
import { Table } from '../../../ui/Table.tsx';
import { signed } from '../sentences.ts';
import { useRunsOfCase } from '../use-runs.ts';
import { itemPath } from './item-path.ts';
import { t } from '../../../text/t.ts';

/** Each is loaded whole: a few of an ordinary run, one of a very large one at a time. */
const AT_ONCE = 5;
const LARGE_CELLS = 100_000;

/** What the earlier runs of the case said of this item, the newest first. */
export function EarlierRuns({ run, itemUid }: { run: RunRecord; itemUid: string }) {
  const runs = useRunsOfCase(run.case_uid);
  return (
    <Section title={t('Earlier runs of this item')}>
      <Loaded query={runs} what={t('the runs of the case')}>
        {(entries) => (
          <Listed
            run={run}
            itemUid={itemUid}
            earlier={entries.filter(
              (entry) => entry.run_uid !== run.run_uid && entry.created_at <= run.created_at,
            )}
          />
        )}
      </Loaded>
    </Section>
  );
}

function Listed({
  run,
  itemUid,
  earlier,
}: {
  run: RunRecord;
  itemUid: string;
  earlier: readonly RunListEntry[];
}) {
  const { n_items, m_rules } = run.result.global;
  const step = n_items * m_rules > LARGE_CELLS ? 1 : AT_ONCE;
  const [shown, setShown] = useState(step);
  if (earlier.length === 0)
    return <p className="muted">{t('There is no earlier run of this case.')}</p>;
  return (
    <>
      <Table
        caption={t('Earlier runs of this item')}
        dense
        head={
          <tr>
            <th scope="col">{t('Frozen')}</th>
            <th scope="col">{t('Run')}</th>
            <th scope="col">{t('Profile')}</th>
            <th scope="col" className="n">
              {t('Met')}
            </th>
            <th scope="col" className="n">
              {t('Mean')}
            </th>
            <th scope="col" className="n">
              {t('Interval')}
            </th>
            <th scope="col" className="n">
              {t('Percentile')}
            </th>
            <th scope="col" className="n">
              {t('Since then')}
            </th>
          </tr>
        }
      >
        {earlier.slice(0, shown).map((entry) => (
          <EarlierRun key={entry.run_uid} run={run} entry={entry} itemUid={itemUid} />
        ))}
      </Table>
      {earlier.length > shown && (
        <Button size="sm" onClick={() => setShown(shown + step)}>
          {t('Show earlier ones')}
        </Button>
      )}
    </>
  );
}

function EarlierRun({
  run,
  entry,
  itemUid,
}: {
  run: RunRecord;
  entry: RunListEntry;
  itemUid: string;
}) {
  const loaded = useQuery(`run/${entry.run_uid}`, (library) => library.run(entry.run_uid));
  const found = loaded.data?.result.items.find((item) => item.item_uid === itemUid);
  const now = run.result.items.find((item) => item.item_uid === itemUid);
  return (
    <tr>
      <th scope="row">{formatDateTime(entry.created_at)}</th>
      <td>
        <Link to={itemPath(entry.run_uid, itemUid)}>{entry.run_uid}</Link>
      </td>
      <td>
        {entry.profile_uid} {entry.profile_version}
      </td>
      {found === undefined || now === undefined ? (
        <td colSpan={5}>
          <span className="muted">
            {loaded.data === undefined
              ? loaded.failure === undefined
                ? t('Loading…')
                : t('Could not be loaded.')
              : t('The item is not in this run.')}
          </span>
        </td>
      ) : (
        <>
          <td className="n">{t('{k} of {m}', { k: found.k, m: found.m })}</td>
          <td className="n">{formatShare(found.theta_mean, 3)}</td>
          <td className="n">
            {formatShare(found.theta_lower, 3)}–{formatShare(found.theta_upper, 3)}
          </td>
          <td className="n">{formatShare(found.percentile, 1)}</td>
          <td className="n">{signed(now.theta_mean - found.theta_mean, 3)}</td>
        </>
      )}
    </tr>
  );
}
