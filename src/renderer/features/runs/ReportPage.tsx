import { known } from '../../../shared/contract/ids.ts';
import { Download, FileText, Printer } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useParams, useSearchParams } from 'react-router';
import type { RunRecord } from '../../../shared/domain/run.ts';
import { getDesktop } from '../../state/desktop.ts';
import { formatCount } from '../../state/format.ts';
import { useQuery } from '../../state/query.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Select } from '../../ui/Select.tsx';
import { runFileName } from './record.ts';
import { useRunAuthors } from './recorders.ts';
import { Report } from './Report.tsx';
import { ITEM_LIMITS, pageRule, planReport, readChoice, type Paper } from './report-plan.ts';
import { buildResultCsv } from './result-csv.ts';
import { runPath } from './RunsTable.tsx';
import './report.css';

const PAPER_OPTIONS: readonly { value: Paper; label: string }[] = [
  { value: 'a4', label: 'A4' },
  { value: 'letter', label: 'US Letter' },
];
const LIMIT_OPTIONS = ITEM_LIMITS.map((limit) => ({
  value: String(limit),
  label: `First ${formatCount(limit)}`,
}));

/** A run as it is printed; the choices are in the address. */
export function ReportPage() {
  const runUid = known.runUid.parse(useParams().runUid);
  const run = useQuery(`run/${runUid}`, (library) => library.run(runUid));
  return (
    <div className="report-page">
      <title>
        {run.data === undefined
          ? 'Report · Evidence Studio'
          : `Report of ${run.data.frozen.case.title}, ${runUid}`}
      </title>
      <Loaded query={run} what="the run" lines={12}>
        {(record) => <Printable run={record} />}
      </Loaded>
    </div>
  );
}

/**
 * Size of the page and the text of its margins are of this run: a sheet of its own while the
 * report is open.
 */
function usePageRule(css: string): void {
  useEffect(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
    };
  }, [css]);
}

function Printable({ run }: { run: RunRecord }) {
  const [search, setSearch] = useSearchParams();
  const choice = readChoice(search);
  const recorders = useRunAuthors(run);
  const [problem, setProblem] = useState<string>();
  usePageRule(pageRule(run, choice.paper));
  const choose = (name: 'paper' | 'items', value: string): void => {
    const next = new URLSearchParams(search);
    next.set(name, value);
    setSearch(next, { replace: true });
  };
  const desktop = getDesktop();
  const savePdf = (): void => {
    setProblem(undefined);
    desktop
      ?.savePdf()
      .catch(() =>
        setProblem('The PDF could not be written. Choose another place, or print to a file.'),
      );
  };
  return (
    <>
      <div className="report-tools" role="group" aria-label="Report">
        <ButtonLink to={runPath(run.run_uid)}>Back to the run</ButtonLink>
        <Select
          inline
          label="Paper"
          value={choice.paper}
          onValue={(value) => choose('paper', value)}
          options={PAPER_OPTIONS}
        />
        {run.frozen.items.length > ITEM_LIMITS[0] && (
          <Select
            inline
            label="Items"
            value={String(choice.items)}
            onValue={(value) => choose('items', value)}
            options={LIMIT_OPTIONS}
          />
        )}
        <Button
          icon={<Download size={14} aria-hidden="true" />}
          busy={recorders.loading}
          onClick={() =>
            saveFile(
              runFileName(run.run_uid, 'csv'),
              'text/csv',
              buildResultCsv(run, recorders.authors),
            )
          }
        >
          All items as CSV
        </Button>
        {desktop !== undefined && (
          <Button
            icon={<FileText size={14} aria-hidden="true" />}
            busy={recorders.loading}
            onClick={savePdf}
          >
            Save as PDF…
          </Button>
        )}
        <Button
          variant="primary"
          icon={<Printer size={14} aria-hidden="true" />}
          busy={recorders.loading}
          onClick={() => window.print()}
        >
          Print…
        </Button>
      </div>
      {problem !== undefined && (
        <Notice tone="danger" live title="Not saved">
          <p>{problem}</p>
        </Notice>
      )}
      <Report run={run} plan={planReport(run, choice.items)} recorders={recorders} />
    </>
  );
}
