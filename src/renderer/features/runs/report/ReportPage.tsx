import { known } from '../../../../shared/contract/ids.ts';
import { Download, FileText, Printer, SquarePen } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useParams, useSearchParams } from 'react-router';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { getDesktop } from '../../../state/desktop.ts';

import { useQuery } from '../../../state/query.ts';
import { useSignatures } from '../../../state/use-signatures.ts';
import { Button, ButtonLink } from '../../../ui/Button.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { saveBlob, saveFile } from '../../../ui/save-file.ts';
import { Select } from '../../../ui/Select.tsx';
import { runFileName } from '../record.ts';
import { itemPath } from '../item/item-path.ts';
import { type AuthorsQuery, useRunAuthors } from '../recorders.ts';
import { DetailsDialog } from './DetailsDialog.tsx';
import { ItemCard } from './ItemCard.tsx';
import { Report } from './Report.tsx';
import { ITEM_LIMITS, pageRule, planReport, readChoice, type Paper } from './report-plan.ts';
import { reportCss, reportHtml } from './report-file.ts';
import { useReport } from './use-report.ts';
import { buildResultCsv } from '../../../../shared/domain/result-csv.ts';
import { runPath } from '../RunsTable.tsx';
import './report.css';
import './report-tables.css';
import { t } from '../../../text/t.ts';

const PAPER_OPTIONS: readonly { value: Paper; label: string }[] = [
  { value: 'a4', label: 'A4' },
  { value: 'letter', label: t('US Letter') },
];
const LIMIT_OPTIONS = ITEM_LIMITS.map((limit) => ({
  value: String(limit),
  label: t('First {limit, number}', { limit }),
}));

/** A run as it is printed; the choices are in the address. */
export function ReportPage() {
  const runUid = known.runUid.parse(useParams().runUid);
  const run = useQuery(`run/${runUid}`, (library) => library.run(runUid));
  return (
    <div className="report-page">
      <title>
        {run.data === undefined
          ? t('Report · Evidence Studio')
          : t('Report of {title}, {run}', { title: run.data.frozen.case.title, run: runUid })}
      </title>
      <Loaded query={run} what={t('the run')} lines={12}>
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

/** Hands the shown report over as one file. */
function saveHtml(article: HTMLElement, run: RunRecord, part: string): void {
  const html = reportHtml(
    new XMLSerializer().serializeToString(article),
    reportCss([...document.styleSheets, ...document.adoptedStyleSheets]),
    {
      title: t('Report of {title}, {run}', {
        title: run.frozen.case.title,
        run: run.run_uid,
      }),
      run,
    },
  );
  saveBlob(
    runFileName(run.run_uid, 'html', part),
    new Blob([html], { type: 'text/html;charset=utf-8' }),
  );
}

/** Hands the shown report over as a document of a word processor; what makes it is loaded now. */
async function saveDocx(
  article: HTMLElement,
  run: RunRecord,
  paper: Paper,
  part: string,
): Promise<void> {
  const { reportDocx } = await import('./report-docx.ts');
  const title = t('Report of {title}, {run}', { title: run.frozen.case.title, run: run.run_uid });
  saveBlob(
    runFileName(run.run_uid, 'docx', part),
    await reportDocx(article, run, { title, paper }),
  );
}

interface ToolsProps {
  run: RunRecord;
  recorders: AuthorsQuery;
  /** Whether what it is made of is still being loaded. */
  loading: boolean;
  /** The item of a card. */
  item: string | null;
  onDetails: () => void;
  onHtml: () => void;
  onDocx: () => void;
  onProblem: (problem: string | undefined) => void;
}

/** What may be chosen and done with the report; not printed. */
function Tools({
  run,
  recorders,
  loading,
  item,
  onDetails,
  onHtml,
  onDocx,
  onProblem,
}: ToolsProps) {
  const [search, setSearch] = useSearchParams();
  const choice = readChoice(search);
  const choose = (name: 'paper' | 'items', value: string): void => {
    const next = new URLSearchParams(search);
    next.set(name, value);
    setSearch(next, { replace: true });
  };
  const desktop = getDesktop();
  const savePdf = (): void => {
    onProblem(undefined);
    desktop
      ?.savePdf()
      .catch(() =>
        onProblem(t('The PDF could not be written. Choose another place, or print to a file.')),
      );
  };
  const isCard = item !== null;
  return (
    <div className="report-tools" role="group" aria-label={t('Report')}>
      <ButtonLink to={isCard ? itemPath(run.run_uid, item) : runPath(run.run_uid)}>
        {isCard ? t('Back to the item') : t('Back to the run')}
      </ButtonLink>
      <Select
        inline
        label={t('Paper')}
        value={choice.paper}
        onValue={(value) => choose('paper', value)}
        options={PAPER_OPTIONS}
      />
      {!isCard && run.frozen.items.length > ITEM_LIMITS[0] && (
        <Select
          inline
          label={t('Items')}
          value={String(choice.items)}
          onValue={(value) => choose('items', value)}
          options={LIMIT_OPTIONS}
        />
      )}
      <Button icon={<SquarePen size={14} aria-hidden="true" />} onClick={onDetails}>
        {t('Details…')}
      </Button>
      {!isCard && (
        <Button
          icon={<Download size={14} aria-hidden="true" />}
          busy={loading}
          onClick={() =>
            saveFile(
              runFileName(run.run_uid, 'csv'),
              'text/csv',
              buildResultCsv(run, recorders.authors),
            )
          }
        >
          {t('All items as CSV')}
        </Button>
      )}
      <Button icon={<Download size={14} aria-hidden="true" />} busy={loading} onClick={onHtml}>
        {t('Save HTML')}
      </Button>
      <Button icon={<Download size={14} aria-hidden="true" />} busy={loading} onClick={onDocx}>
        {t('Save DOCX')}
      </Button>
      {desktop !== undefined && (
        <Button icon={<FileText size={14} aria-hidden="true" />} busy={loading} onClick={savePdf}>
          {t('Save as PDF…')}
        </Button>
      )}
      <Button
        variant="primary"
        icon={<Printer size={14} aria-hidden="true" />}
        busy={loading}
        onClick={() => window.print()}
      >
        {t('Print…')}
      </Button>
    </div>
  );
}

/** A report, or the card of one item; both are printed and saved alike. */
function Printable({ run }: { run: RunRecord }) {
  const [search] = useSearchParams();
  const choice = readChoice(search);
  const item = search.get('item');
  const recorders = useRunAuthors(run);
  const signatures = useSignatures(run.run_uid);
  const report = useReport(run);
  const [problem, setProblem] = useState<string>();
  const [isEdited, setEdited] = useState(false);
  const frame = useRef<HTMLDivElement>(null);
  usePageRule(pageRule(run, choice.paper));
  const part = item === null ? 'report' : 'card';
  const shown = (): HTMLElement | undefined => {
    const article = frame.current?.querySelector('article');
    return article instanceof HTMLElement ? article : undefined;
  };
  return (
    <>
      <Tools
        run={run}
        recorders={recorders}
        loading={
          recorders.loading || (signatures.data === undefined && signatures.failure === undefined)
        }
        item={item}
        onDetails={() => setEdited(true)}
        onHtml={() => {
          const article = shown();
          if (article !== undefined) saveHtml(article, run, part);
        }}
        onDocx={() => {
          const article = shown();
          setProblem(undefined);
          if (article !== undefined)
            void saveDocx(article, run, choice.paper, part).catch(() =>
              setProblem(
                t('The document could not be made. Print the report, or save it as HTML.'),
              ),
            );
        }}
        onProblem={setProblem}
      />
      {problem !== undefined && (
        <Notice tone="danger" live title={t('Not saved')}>
          <p>{problem}</p>
        </Notice>
      )}
      {isEdited && (
        <DetailsDialog
          lab={report.lab}
          details={report.details}
          onClose={() => setEdited(false)}
          onSave={(lab, details) =>
            setProblem(
              report.save(lab, details)
                ? undefined
                : t('This browser keeps no settings: the details hold until the page is left.'),
            )
          }
        />
      )}
      <div ref={frame}>
        {item === null ? (
          <Report
            run={run}
            plan={planReport(run, choice.items)}
            recorders={recorders}
            signatures={signatures}
            lab={report.lab}
            details={report.details}
          />
        ) : (
          <ItemCard
            run={run}
            itemUid={item}
            authors={recorders.authors}
            lab={report.lab}
            details={report.details}
          />
        )}
      </div>
    </>
  );
}
