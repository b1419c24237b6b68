import { known } from '../../../shared/contract/ids.ts';
import { Download, GitCompare, Printer } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useParams } from 'react-router';
import { pageAddress, STUDIO_PAGES } from '../../../shared/contract/page-addresses.ts';
import type { RunRecord } from '../../../shared/domain/run.ts';
import { createPace } from '../../files/pace.ts';
import { writeXlsx } from '../../files/xlsx-write.ts';
import { formatDateTime } from '../../state/format.ts';
import { useQuery } from '../../state/query.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Page } from '../../ui/Page.tsx';
import { saveBlob, saveFile } from '../../ui/save-file.ts';
import { Figures } from './figures/Figures.tsx';
import { Headline } from './Headline.tsx';
import { Heatmap } from './Heatmap.tsx';
import { IndependentRecording } from './IndependentRecording.tsx';
import { ItemsTable } from './ItemsTable.tsx';
import { Method } from './Method.tsx';
import { Proof } from './Proof.tsx';
import { RecordedBy } from './RecordedBy.tsx';
import { useRunAuthors } from './recorders.ts';
import { itemLines } from '../../../shared/domain/item-lines.ts';
import { runFileName, sumRules } from './record.ts';
import { buildResultCsv } from '../../../shared/domain/result-csv.ts';
import { runJson } from '../../../shared/domain/run-json.ts';
import { resultSheets } from './result-sheets.ts';
import { RuleBars, ruleOutcomes } from './RuleBars.tsx';
import { runPath } from './RunsTable.tsx';
import { sentByWords } from '../../state/sent-by.ts';
import { Sensitivity } from './sensitivity/Sensitivity.tsx';
import { Unrecorded } from './Unrecorded.tsx';
import './runs.css';
import { t } from '../../text/t.ts';

/** `signatures`: what stands below the figures about who signed the run. */
export function RunPage({ signatures }: { signatures: (run: RunRecord) => ReactNode }) {
  const runUid = known.runUid.parse(useParams().runUid);
  const run = useQuery(`run/${runUid}`, (library) => library.run(runUid));
  const record = run.data;
  const crumbs = [
    { label: t('Runs'), to: STUDIO_PAGES.runs },
    ...(record === undefined
      ? []
      : [
          {
            label: record.frozen.case.title,
            to: `${pageAddress('case', { caseUid: record.case_uid })}?profile=${record.profile_uid}@${record.profile_version}`,
          },
        ]),
  ];
  return (
    <Page
      title={
        record === undefined ? t('Run') : t('Run of {title}', { title: record.frozen.case.title })
      }
      crumbs={crumbs}
      actions={record === undefined ? undefined : <Downloads run={record} />}
      meta={record === undefined ? undefined : <Meta run={record} />}
    >
      <Loaded query={run} what={t('the run')} lines={12}>
        {(loaded) => <Report run={loaded} signatures={signatures(loaded)} />}
      </Loaded>
    </Page>
  );
}

function Meta({ run }: { run: RunRecord }) {
  const sent = sentByWords(run);
  return (
    <>
      <span className="num">{t('Frozen {when}', { when: formatDateTime(run.created_at) })}</span>
      <span>{t('by {name}', { name: run.created_by })}</span>
      {sent !== undefined && <span>{sent}</span>}
      <code>{run.run_uid}</code>
    </>
  );
}

function Downloads({ run }: { run: RunRecord }) {
  const { loading, authors } = useRunAuthors(run);
  const [writing, setWriting] = useState(false);
  const saveWorkbook = async (): Promise<void> => {
    setWriting(true);
    saveBlob(
      runFileName(run.run_uid, 'xlsx'),
      await writeXlsx(resultSheets(run, authors), createPace()),
    );
    setWriting(false);
  };
  const icon = <Download size={14} aria-hidden="true" />;
  return (
    <>
      <ButtonLink
        to={`${runPath(run.run_uid)}/compare`}
        icon={<GitCompare size={14} aria-hidden="true" />}
      >
        {t('Compare')}
      </ButtonLink>
      <ButtonLink
        to={`${runPath(run.run_uid)}/report`}
        icon={<Printer size={14} aria-hidden="true" />}
      >
        {t('Report')}
      </ButtonLink>
      <Button icon={icon} busy={writing || loading} onClick={() => void saveWorkbook()}>
        {t('Download XLSX')}
      </Button>
      <Button
        icon={icon}
        busy={loading}
        onClick={() =>
          saveFile(runFileName(run.run_uid, 'csv'), 'text/csv', buildResultCsv(run, authors))
        }
      >
        {t('Download CSV')}
      </Button>
      <Button
        icon={icon}
        busy={loading}
        onClick={() =>
          saveFile(
            runFileName(run.run_uid, 'evidence-run.json'),
            'application/json',
            runJson(run, authors),
          )
        }
      >
        {t('Download JSON')}
      </Button>
    </>
  );
}

function Report({ run, signatures }: { run: RunRecord; signatures: ReactNode }) {
  const lines = useMemo(() => itemLines(run), [run]);
  const totals = useMemo(() => sumRules(run.result.rules), [run]);
  const rules = useMemo(() => ruleOutcomes(run), [run]);
  const recorders = useRunAuthors(run);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  return (
    <>
      <Headline run={run} totals={totals} />
      <ItemsTable run={run} lines={lines} onChosen={setChosen} />
      <Figures run={run} lines={lines} rules={rules} chosen={chosen} />
      <RuleBars run={run} rules={rules} totals={totals} />
      <Sensitivity run={run} />
      <IndependentRecording run={run} />
      <RecordedBy query={recorders} />
      <Heatmap run={run} totals={totals} authors={recorders.authors} />
      <Unrecorded run={run} totals={totals} />
      <Method run={run} />
      {signatures}
      <Proof run={run} />
    </>
  );
}
