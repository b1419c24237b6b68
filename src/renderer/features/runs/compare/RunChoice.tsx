import { useState } from 'react';
import { known } from '../../../../shared/contract/ids.ts';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import type { CaseEntry, RunListEntry } from '../../../data/api/library.ts';
import type { ListPage } from '../../../data/api/list-page.ts';
import { formatDateTime } from '../../../state/format.ts';
import { useQuery } from '../../../state/query.ts';
import { useDebounced } from '../../../state/use-debounced.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { SearchSelect } from '../../../ui/SearchSelect.tsx';
import { Select } from '../../../ui/Select.tsx';
import { useRunsOfCase } from '../use-runs.ts';
import { rich } from '../../../text/rich.ts';
import { t } from '../../../text/t.ts';

/** In place of a run, and the name of none: the matrix as it is now. */
export const NOW = '_now';
const CASES = 20;
const CLOSED = { data: { entries: [], next: null }, stale: false, at: 0 };

const runName = (run: Pick<RunListEntry, 'created_at' | 'run_uid'>): string =>
  `${formatDateTime(run.created_at)}, ${run.run_uid}`;

/** Of which case the other run is: of any. */
function CaseChoice({
  own,
  value,
  onValue,
}: {
  own: string;
  value: string | null;
  onValue: (caseUid: string | null) => void;
}) {
  const [search, setSearch] = useState('');
  const [isOpen, setOpen] = useState(false);
  const wanted = search.trim();
  const asked = useDebounced(wanted);
  const query = useQuery<ListPage<CaseEntry>>(
    `cases/compare/${isOpen ? `open/${asked}` : ''}`,
    async (library) =>
      isOpen
        ? library.cases(
            { sort: 'changed', order: 'desc', ...(asked === '' ? {} : { search: asked }) },
            { limit: CASES },
          )
        : CLOSED,
  );
  const isSettled = isOpen && asked === wanted;
  return (
    <SearchSelect
      label={t('Case')}
      all={t('The same case')}
      value={value === null ? null : { value, label: value }}
      onValue={onValue}
      found={
        isSettled
          ? query.data?.entries
              .filter(({ case_uid }) => case_uid !== own)
              .map(({ case_uid, title }) => ({ value: case_uid, label: title, detail: case_uid }))
          : undefined
      }
      hasMore={isSettled && (query.data?.next ?? null) !== null}
      failure={query.failure?.title}
      search={search}
      onSearch={setSearch}
      onOpen={setOpen}
    />
  );
}

interface RunChoiceProps {
  later: RunRecord;
  earlier: string | null;
  /** The case of the other run, where it is another one. */
  of: string | null;
  onCase: (caseUid: string | null) => void;
  onChoose: (uid: string) => void;
}

/** Which run, of which case, this one is compared with. */
export function RunChoice({ later, earlier, of, onCase, onChoose }: RunChoiceProps) {
  const other = known.caseUid.safeParse(of).data;
  const runs = useRunsOfCase(other ?? later.case_uid);
  return (
    <Loaded query={runs} what={t('the runs of the case')}>
      {(entries) => {
        const others = entries.filter((entry) => entry.run_uid !== later.run_uid);
        return (
          <div className="toolbar" role="group" aria-label={t('Runs to compare')}>
            <CaseChoice own={later.case_uid} value={other ?? null} onValue={onCase} />
            <Select
              inline
              label={t('Compare with')}
              value={earlier}
              onValue={onChoose}
              placeholder={
                others.length === 0 && other !== undefined ? t('No runs') : t('Choose a run')
              }
              options={[
                ...(other === undefined
                  ? [{ value: NOW, label: t('The matrix as it is now') }]
                  : []),
                ...others.map((entry) => ({ value: entry.run_uid, label: runName(entry) })),
              ]}
            />
            <span>{rich('this run: {run}', { run: <strong>{runName(later)}</strong> })}</span>
          </div>
        );
      }}
    </Loaded>
  );
}
