import { useState } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { known } from '../../../shared/contract/ids.ts';
import { parseProfileAddress } from '../../features/cases/profile-address.ts';
import { ThreadList } from '../../features/discussion/ThreadList.tsx';
import { type ThreadQuery, useThreads } from '../../features/discussion/use-threads.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Page } from '../../ui/Page.tsx';
import { ListPager } from '../../ui/Pager.tsx';
import { Select } from '../../ui/Select.tsx';
import { t } from '../../text/t.ts';
import { useCaseCrumbs } from '../case-crumbs.ts';

type ThreadChoice = 'open' | 'answered' | 'closed' | 'comments' | 'all';
const FILTERS: Readonly<Record<ThreadChoice, ThreadQuery>> = {
  open: { kind: 'query', state: 'open' },
  answered: { kind: 'query', state: 'answered' },
  closed: { kind: 'query', state: 'closed' },
  comments: { kind: 'comment' },
  all: {},
};

/** What is asked and said about a case. */
export function DiscussionPage() {
  const caseUid = known.caseUid.parse(useParams().caseUid);
  const [search] = useSearchParams();
  const crumbs = useCaseCrumbs(caseUid, parseProfileAddress(search.get('profile')));
  const thread = search.get('thread') ?? undefined;
  const [shown, show] = useState<ThreadChoice>(thread === undefined ? 'open' : 'all');
  const list = useThreads(caseUid, FILTERS[shown]);
  return (
    <Page title={t('Discussion')} crumbs={crumbs}>
      <Select
        label={t('Show')}
        inline
        options={[
          { value: 'open', label: t('Open queries') },
          { value: 'answered', label: t('Answered queries') },
          { value: 'closed', label: t('Closed queries') },
          { value: 'comments', label: t('Comments') },
          { value: 'all', label: t('Everything') },
        ]}
        value={shown}
        onValue={show}
      />
      <Loaded query={list} what={t('the discussion')} lines={6}>
        {(threads) =>
          threads.length === 0 ? (
            <EmptyState title={t('Nothing of this kind')}>
              <p>
                {t(
                  'Queries and comments about a cell, an item or a rule begin in the panel beside the matrix.',
                )}
              </p>
            </EmptyState>
          ) : (
            <>
              <ThreadList threads={threads} shown={thread} />
              <ListPager list={list} what={t('threads')} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
