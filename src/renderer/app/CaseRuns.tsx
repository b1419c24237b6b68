import type { CaseUid } from '../../shared/contract/ids.ts';
import { useState } from 'react';
import { STUDIO_PAGES } from '../../shared/contract/page-addresses.ts';
import { createRun } from '../../shared/contract/v1/runs.ts';
import { RunsTable } from '../features/runs/RunsTable.tsx';
import { useLatestRuns } from '../features/runs/use-runs.ts';
import { useMay } from '../state/use-may.ts';
import { Button, ButtonLink } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { Loaded } from '../ui/Loaded.tsx';
import { t } from '../text/t.ts';

const SHOWN = 20;

/** The runs made of this case, one step away from its matrix. */
export function CaseRuns({ caseUid }: { caseUid: CaseUid }) {
  const runs = useLatestRuns({ case_uid: caseUid }, SHOWN);
  const mayRun = useMay(createRun);
  const [open, setOpen] = useState(false);
  const count =
    runs.data === undefined ? '' : ` (${runs.data.runs.length}${runs.data.hasMore ? '+' : ''})`;
  return (
    <>
      <Button size="sm" onClick={() => setOpen(true)}>
        {`${t('Runs')}${count}`}
      </Button>
      {open && (
        <Dialog
          onClose={() => setOpen(false)}
          wide
          title={t('Runs of this case')}
          footer={
            <ButtonLink to={`${STUDIO_PAGES.runs}?case=${encodeURIComponent(caseUid)}`}>
              {t('All runs of this case')}
            </ButtonLink>
          }
        >
          <Loaded query={runs} what={t('runs')}>
            {({ runs: entries }) =>
              entries.length === 0 ? (
                <p className="muted">
                  {t('No run yet.')}
                  {mayRun && ` ${t('Run, above the matrix, freezes its present state.')}`}
                </p>
              ) : (
                <RunsTable runs={entries} compact />
              )
            }
          </Loaded>
        </Dialog>
      )}
    </>
  );
}
