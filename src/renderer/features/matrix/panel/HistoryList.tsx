import { cellName } from '../model/names.ts';
import { RotateCcw } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { HistoryStep } from '../../../../shared/contract/v1/evidence.ts';
import type { CellAddress } from '../../../data/store/port.ts';
import { formatDateTime } from '../../../state/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { Mark } from '../../../ui/OutcomeMark.tsx';
import { STATE_WORDS, stateKey } from '../model/states.ts';
import { useEditor, useIsOnline, useMayWrite } from '../editor/use-editor.ts';
import {
  AUTHOR_WORDS,
  type Fact,
  factsOf,
  restorePatch,
  whose,
  FACT_WORDS,
} from '../model/history-text.ts';
import { t, tAs } from '../../../text/t.ts';

/** Milliseconds that a cell must keep the focus before its history is asked for. */
const QUIET = 180;
const FIRST = 12;

export type Loaded = { steps: HistoryStep[]; complete: boolean } | { error: string };

/**
 * The cell's history, with the cell that it is of: the one shown may be another by now. Asked for
 * again with another version of the cell, and when the server is back.
 */
export function useHistory(
  cell: CellAddress,
  version: string,
): { cell: string; loaded: Loaded } | undefined {
  const { session } = useEditor();
  const isOnline = useIsOnline();
  const [answer, setAnswer] = useState<{ cell: string; loaded: Loaded }>();
  const { item, rule } = cell;
  useEffect(() => {
    let isLate = false;
    const take = (loaded: Loaded): void => {
      if (!isLate) setAnswer({ cell: `${item} ${rule}`, loaded });
    };
    const timer = setTimeout(() => {
      session
        .history({ item, rule })
        .then(take, (cause: unknown) =>
          take({ error: cause instanceof Error ? cause.message : String(cause) }),
        );
    }, QUIET);
    return () => {
      isLate = true;
      clearTimeout(timer);
    };
  }, [session, item, rule, version, isOnline]);
  return answer;
}

export function HistoryList({
  cell,
  loaded,
  contested,
}: {
  cell: CellAddress;
  loaded: Loaded | undefined;
  contested: boolean;
}) {
  const [all, setAll] = useState(false);
  if (loaded === undefined) return <p className="mx-quiet">{t('Loading…')}</p>;
  if ('error' in loaded)
    return (
      <p className="mx-quiet">
        {t('The history could not be read: {error}', { error: loaded.error })}
      </p>
    );
  const shown = all ? loaded.steps : loaded.steps.slice(0, FIRST);
  return (
    <>
      {!loaded.complete && (
        <p className="mx-quiet">
          {t("The server could not be asked: only this window's pending changes are listed.")}
        </p>
      )}
      {loaded.steps.length === 0 && loaded.complete && (
        <p className="mx-quiet">{t('Nothing has been recorded here yet.')}</p>
      )}
      <ol className="mx-history">
        {shown.map((step) => (
          <Step key={step.entry} step={step} cell={cell} contested={contested} />
        ))}
      </ol>
      {loaded.steps.length > shown.length && (
        <Button size="sm" onClick={() => setAll(true)}>
          {t('Show all {count, number} changes', { count: loaded.steps.length })}
        </Button>
      )}
    </>
  );
}

/** Who brought it, where that is not its author. */
function sentBy({ relayed, sent_by }: HistoryStep): string {
  if (!relayed || sent_by === null) return '';
  const sender = sent_by.name ?? sent_by.user_id;
  const words =
    sent_by.key_name === null
      ? t('sent by {sender}', { sender })
      : t('sent by {sender} with the key {key}', { sender, key: sent_by.key_name });
  return `, ${words}`;
}

function Step({
  step,
  cell,
  contested,
}: {
  step: HistoryStep;
  cell: CellAddress;
  contested: boolean;
}) {
  const editor = useEditor();
  const mayWrite = useMayWrite();
  const when = formatDateTime(step.at);
  const patch = restorePatch(step);
  const isShown = step.current && !(contested && step.field === 'outcome');
  return (
    <li className="mx-step">
      <p className="mx-step-head">
        <span className="mx-step-by">
          {step.by}
          {AUTHOR_WORDS[step.kind]}
          {step.restores !== null &&
            `, ${t('brought back what {author} recorded', { author: whose(step.recorded_by) })}`}
          {sentBy(step)}
        </span>
        <time dateTime={step.at}>{when}</time>
      </p>
      {step.clock_differs && (
        <p className="mx-step-reason">
          {t('Received {when}', { when: formatDateTime(step.received_at) })}
        </p>
      )}
      {factsOf(step).map((fact) => (
        <FactLine key={fact.kind === 'text' ? fact.what : 'outcome'} fact={fact} />
      ))}
      {step.reason !== null && <p className="mx-step-reason">{step.reason}</p>}
      {step.current && contested && step.field === 'outcome' && (
        <p className="mx-step-reason">{t('One of the conflicting values')}</p>
      )}
      {!isShown && mayWrite && patch !== undefined && (
        <Button
          size="sm"
          variant="ghost"
          className="mx-restore"
          icon={<RotateCcw size={12} aria-hidden="true" />}
          aria-label={t('Restore this value of {when}', { when })}
          onClick={() =>
            void editor.write(
              t('Restore {cell} to its value of {when}', {
                cell: cellName(editor.session, cell),
                when,
              }),
              [cell],
              patch,
              `Restored from ${when}`,
            )
          }
        >
          {t('Restore this')}
        </Button>
      )}
    </li>
  );
}

function FactLine({ fact }: { fact: Fact }) {
  if (fact.kind === 'outcome') {
    const [from, to] = [stateKey(fact.from), stateKey(fact.to)];
    return (
      <p className="mx-fact">
        <Mark state={from} />
        <span className="visually-hidden">{STATE_WORDS[from].full}</span>
        <span aria-hidden="true">→</span>
        <span className="visually-hidden">{tAs('change', 'to')}</span>
        <Mark state={to} />
        <span>{STATE_WORDS[to].full}</span>
      </p>
    );
  }
  return (
    <p className="mx-fact mx-fact-text">
      <span className="mx-fact-what">{FACT_WORDS[fact.what]}</span>
      {fact.from !== '' && <del>{fact.from}</del>}
      {fact.to === '' ? <span className="mx-quiet">{t('cleared')}</span> : <ins>{fact.to}</ins>}
    </p>
  );
}
