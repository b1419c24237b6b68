import { FileText } from 'lucide-react';
import { useMemo } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { known } from '../../../../shared/contract/ids.ts';
import { STUDIO_PAGES } from '../../../../shared/contract/page-addresses.ts';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { cardHash } from '../../../../shared/domain/run-card.ts';

import { useQuery } from '../../../state/query.ts';
import { useServices } from '../../../state/services.tsx';
import { ButtonLink } from '../../../ui/Button.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Page } from '../../../ui/Page.tsx';
import { nameOf, rankRows } from '../figures/figure-items.ts';
import { itemLines } from '../../../../shared/domain/item-lines.ts';
import { useRunAuthors } from '../recorders.ts';
import { runPath } from '../RunsTable.tsx';
import { EarlierRuns } from './EarlierRuns.tsx';
import { type ItemFacts, itemFacts, itemSentence } from './item-facts.ts';
import { ItemDensity } from './ItemDensity.tsx';
import { ItemOtherwise } from './ItemOtherwise.tsx';
import { cardPath, itemPath } from './item-path.ts';
import { ItemRules } from './ItemRules.tsx';
import '../runs.css';
import { rich } from '../../../text/rich.ts';
import { t, tOf } from '../../../text/t.ts';

/** One item of a run: what the run says of it, and why. */
export function ItemPage() {
  const runUid = known.runUid.parse(useParams().runUid);
  const itemUid = useSearchParams()[0].get('uid') ?? '';
  const run = useQuery(`run/${runUid}`, (library) => library.run(runUid));
  const record = run.data;
  const facts = useMemo(
    () => (record === undefined ? undefined : itemFacts(record, itemUid)),
    [record, itemUid],
  );
  return (
    <Page
      title={facts === undefined ? t('Item of a run') : nameOf(facts.item)}
      crumbs={[
        { label: t('Runs'), to: STUDIO_PAGES.runs },
        {
          label:
            record === undefined
              ? runUid
              : t('Run of {title}', { title: record.frozen.case.title }),
          to: runPath(runUid),
        },
      ]}
      meta={
        facts !== undefined && (
          <>
            <code>{facts.item.item_uid}</code>
            <span>{facts.item.item_type}</span>
            <span>{rich('run {run}', { run: <code>{runUid}</code> })}</span>
          </>
        )
      }
      actions={
        record !== undefined &&
        facts !== undefined && <Steps run={record} row={facts.row} itemUid={itemUid} />
      }
    >
      <Loaded query={run} what={t('the run')} lines={12}>
        {(loaded) =>
          facts === undefined ? (
            <Notice tone="warning" title={t('Not in this run')}>
              <p>{t('The run has no item with the ID {item}.', { item: itemUid })}</p>
            </Notice>
          ) : (
            <Item run={loaded} facts={facts} />
          )
        }
      </Loaded>
    </Page>
  );
}

/** To the items before and after this one in the order of their means. */
function Steps({ run, row, itemUid }: { run: RunRecord; row: number; itemUid: string }) {
  const ranked = useMemo(() => rankRows(itemLines(run)), [run]);
  const place = ranked.indexOf(row);
  const uidAt = (index: number): string | undefined =>
    run.frozen.items[ranked[index] ?? -1]?.item_uid;
  const [before, after] = [uidAt(place - 1), uidAt(place + 1)];
  return (
    <>
      <span className="muted small">
        {t('{place, number} of {items, number} by mean', {
          place: place + 1,
          items: ranked.length,
        })}
      </span>
      {before !== undefined && (
        <ButtonLink to={itemPath(run.run_uid, before)}>{t('Previous')}</ButtonLink>
      )}
      {after !== undefined && (
        <ButtonLink to={itemPath(run.run_uid, after)}>{t('Next')}</ButtonLink>
      )}
      <ButtonLink
        to={cardPath(run.run_uid, itemUid)}
        icon={<FileText size={14} aria-hidden="true" />}
      >
        {t('Card')}
      </ButtonLink>
    </>
  );
}

function Item({ run, facts }: { run: RunRecord; facts: ItemFacts }) {
  const { hasher } = useServices();
  const { authors } = useRunAuthors(run);
  const { item_uid } = facts.item;
  return (
    <>
      <p className="headline">{itemSentence(facts.result, run.result.global)}</p>
      <Notice tone="warning" title={t('Interpretation boundary')}>
        <p>{tOf(run.result.interpretation_boundary)}</p>
      </Notice>
      <ItemRules facts={facts} authors={authors} />
      <ItemDensity key={item_uid} run={run} name={nameOf(facts.item)} result={facts.result} />
      <ItemOtherwise run={run} facts={facts} />
      <EarlierRuns key={`earlier ${item_uid}`} run={run} itemUid={item_uid} />
      <p className="small muted">
        {rich('Run {run}, card {card}: a printed card that shows both says what this page says.', {
          run: <code className="mono">{run.content_hash}</code>,
          card: <code className="mono">{cardHash(run, item_uid, hasher)}</code>,
        })}
      </p>
    </>
  );
}
