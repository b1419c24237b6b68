import { Check, Pencil, SkipForward, Undo2, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import {
  decideSuggestions,
  type DecisionInput,
  type DecisionRule,
  type SuggestionEntry,
} from '../../../shared/contract/v1/suggestions.ts';
import type { ItemEvidence } from '../../../shared/contract/v1/cells.ts';
import type { ProfileRule } from '../../../shared/domain/profile.ts';
import { describeFailure } from '../../state/failure.ts';
import { useMay } from '../../state/use-may.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { useToast } from '../../ui/Toast.tsx';
import { t } from '../../text/t.ts';
import { type SourceOption, withSources } from './choices.ts';
import { AcceptDialog, RefuseDialog } from './DecisionDialogs.tsx';
import { FilterBar } from './FilterBar.tsx';
import { RuleDialog } from './RuleDialog.tsx';
import { SuggestionCard } from './SuggestionCard.tsx';
import { useDecisionKeys } from './use-decision-keys.ts';
import { type Decisions, useDecisions } from './use-decisions.ts';
import {
  type ListFilter,
  type Matrix,
  useItem,
  useNewsWhileEmpty,
  useSuggestions,
} from './use-suggestions.ts';
import { outcomeWords } from './words.ts';
import './suggestions.css';

type Asked = 'nothing' | 'refusal' | 'edit' | 'rule';

interface QueueProps {
  matrix: Matrix;
  rules: readonly ProfileRule[];
}

/** What waits for a decision, one after the other, with a key for each decision. */
export function SuggestionQueue({ matrix, rules }: QueueProps) {
  const mayDecide = useMay(decideSuggestions);
  const decisions = useDecisions(matrix);
  const queue = useQueue(matrix);
  const { filter } = queue;
  const [asked, setAsked] = useState<Asked>('nothing');
  // What a dialog is about stays, also where the list has others before it by then, and so does
  // the revision of the cell that was shown when it was opened.
  const [held, hold] = useState<{ entry: SuggestionEntry; revision: number | undefined }>();
  const current = held?.entry ?? queue.current;
  const isOpen = filter.state === 'open' || filter.state === 'stale';
  const item = useItem(matrix, current?.item_uid);
  const revision = held?.revision ?? revisionIn(item.data, current?.rule_uid);
  const isReady =
    current !== undefined && revision !== undefined && isOpen && mayDecide && !decisions.busy;
  const ask = (what: Asked): void => {
    setAsked(what);
    hold(
      current !== undefined && (what === 'refusal' || what === 'edit')
        ? { entry: current, revision }
        : undefined,
    );
  };
  const decide = useDecide(decisions, current, revision, {
    item: item.data?.item.label || current?.item_uid || '',
    rule: rules.find(({ ruleUid }) => ruleUid === current?.rule_uid)?.name ?? '',
  });
  const undo = (): void => {
    if (decisions.canUndo && !decisions.busy) void decisions.undo().then(queue.toFirst);
  };
  useDecisionKeys((key) => {
    if (key === 'undo') undo();
    else if (key === 's') queue.skip();
    else if (!isReady) return;
    else if (key === 'a') void decide.accept();
    else ask(key === 'x' ? 'refusal' : 'edit');
  });
  const close = (): void => ask('nothing');
  return (
    <>
      <FilterBar
        filter={filter}
        rules={rules}
        sources={queue.sources}
        onFilter={queue.setFilter}
        onRule={mayDecide ? () => ask('rule') : undefined}
      />
      <div className="suggestion-news">
        <p role="status">{decisions.news}</p>
        {decisions.canUndo && (
          <Button
            size="sm"
            busy={decisions.busy}
            icon={<Undo2 size={14} aria-hidden="true" />}
            aria-keyshortcuts="Control+Z"
            onClick={undo}
          >
            {t('Undo')}
          </Button>
        )}
      </div>
      <Loaded query={queue.list} what={t('suggestions')} lines={8}>
        {() =>
          current === undefined ? (
            <NothingWaits queue={queue} />
          ) : (
            <SuggestionCard
              entry={current}
              item={item}
              rule={rules.find(({ ruleUid }) => ruleUid === current.rule_uid)}
            >
              <Actions
                canDecide={isOpen && mayDecide}
                busy={decisions.busy || revision === undefined}
                place={queue.place}
                onAccept={() => void decide.accept()}
                onAsk={ask}
                onSkip={queue.skip}
              />
            </SuggestionCard>
          )
        }
      </Loaded>
      {asked === 'refusal' && current !== undefined && (
        <RefuseDialog entry={current} onDecide={decide.one} onClose={close} />
      )}
      {asked === 'edit' && current !== undefined && (
        <AcceptDialog entry={current} onDecide={decide.one} onClose={close} />
      )}
      {asked === 'rule' && (
        <RuleDialog
          matrix={matrix}
          rules={rules}
          sources={queue.sources}
          onDecide={decide.byRule}
          onClose={close}
        />
      )}
    </>
  );
}

/**
 * The list on screen without what was skipped here, and its first entry. One that is
 * shown stays as long as it waits, also where others come before it: a key is meant for what its
 * person has read.
 */
function useQueue(matrix: Matrix) {
  const [filter, setFilter] = useState<ListFilter>({ state: 'open' });
  const list = useSuggestions(matrix, filter);
  const [passed, setPassed] = useState<ReadonlySet<string>>(new Set());
  const [sources, setSources] = useState<readonly SourceOption[]>([]);
  const known = withSources(sources, list.data ?? []);
  if (known !== sources) setSources(known);
  const waiting = (list.data ?? []).filter(({ suggestion_id: id }) => !passed.has(id));
  const [shown, show] = useState<string>();
  const current = waiting.find(({ suggestion_id: id }) => id === shown) ?? waiting[0];
  if (current !== undefined && current.suggestion_id !== shown) show(current.suggestion_id);
  const isAtEnd = list.data !== undefined && current === undefined && list.hasNext;
  const { next, reload } = list;
  useEffect(() => {
    if (isAtEnd) next();
  }, [isAtEnd, next]);
  useNewsWhileEmpty(matrix.caseUid, list.data !== undefined && current === undefined, reload);
  return {
    list,
    filter,
    sources: known,
    current,
    passed,
    place: { left: waiting.length, hasMore: list.hasNext },
    setFilter: (next: ListFilter): void => {
      setPassed(new Set());
      setFilter(next);
    },
    skip: (): void => {
      if (current !== undefined) setPassed((now) => new Set(now).add(current.suggestion_id));
    },
    toFirst: (): void => show(undefined),
    again: (): void => {
      setPassed(new Set());
      list.reload();
    },
  };
}
type Queue = ReturnType<typeof useQueue>;

/** Of a cell as it is shown beside the suggestion; undefined where it is not shown yet. */
const revisionIn = (
  item: ItemEvidence | undefined,
  ruleUid: string | undefined,
): number | undefined =>
  item && (item.evidence.find(({ rule_uid }) => rule_uid === ruleUid)?.revision ?? 0);

/** `revision`: of the cell as the person sees it; if others have written in it since, it is left. */
function useDecide(
  { decide }: Decisions,
  current: SuggestionEntry | undefined,
  revision: number | undefined,
  cell: { item: string; rule: string },
) {
  const announce = useToast();
  const one = async (decision: DecisionInput): Promise<void> => {
    if (current === undefined || revision === undefined) return;
    await decide({ decisions: [{ ...decision, if_revision: revision }] }, () =>
      decision.verdict === 'refuse'
        ? t('Refused: {item}, {rule}.', cell)
        : t('Accepted: {outcome} for {item}, {rule}.', {
            ...cell,
            outcome: current.raw_outcome === null ? '' : outcomeWords(current.raw_outcome),
          }),
    );
  };
  return {
    one,
    accept: async (): Promise<void> => {
      if (current === undefined) return;
      try {
        await one({ suggestion_id: current.suggestion_id, verdict: 'accept' });
      } catch (error) {
        const { title, message } = describeFailure(error);
        announce({ title, description: message, tone: 'danger' });
      }
    },
    byRule: (rule: DecisionRule) =>
      decide({ rule }, ({ decided, left }) =>
        rule.verdict === 'accept'
          ? t('{decided, number} accepted, {left, number} left.', { decided, left })
          : t('{decided, number} refused, {left, number} left.', { decided, left }),
      ),
  };
}

function NothingWaits({ queue: { passed, again, filter, list } }: { queue: Queue }) {
  if (list.hasNext) return null;
  return (
    <EmptyState
      title={
        passed.size > 0
          ? t('End of the list')
          : filter.state === 'open'
            ? t('No suggestion waits for a decision')
            : t('No such suggestion')
      }
      actions={
        <Button onClick={again}>
          {passed.size > 0 ? t('Begin again with those skipped') : t('Look again')}
        </Button>
      }
    >
      {passed.size === 0 && filter.state === 'open' && (
        <p>
          {t(
            'Agents suggest outcomes through the API; nothing of it counts before a person accepts it.',
          )}
        </p>
      )}
    </EmptyState>
  );
}

interface ActionsProps {
  canDecide: boolean;
  busy: boolean;
  place: Queue['place'];
  onAccept: () => void;
  onAsk: (asked: Asked) => void;
  onSkip: () => void;
}

function Actions({ canDecide, busy, place, onAccept, onAsk, onSkip }: ActionsProps) {
  return (
    <div className="actions suggestion-actions" role="group" aria-label={t('Decision')}>
      {canDecide && (
        <>
          <Button
            variant="primary"
            aria-keyshortcuts="A"
            aria-disabled={busy}
            icon={<Check size={15} aria-hidden="true" />}
            onClick={() => {
              if (!busy) onAccept();
            }}
          >
            {t('Accept')} <kbd aria-hidden="true">A</kbd>
          </Button>
          <Button
            aria-keyshortcuts="X"
            icon={<X size={15} aria-hidden="true" />}
            onClick={() => onAsk('refusal')}
          >
            {t('Refuse…')} <kbd aria-hidden="true">X</kbd>
          </Button>
          <Button
            aria-keyshortcuts="E"
            icon={<Pencil size={15} aria-hidden="true" />}
            onClick={() => onAsk('edit')}
          >
            {t('Edit and accept…')} <kbd aria-hidden="true">E</kbd>
          </Button>
        </>
      )}
      <Button
        aria-keyshortcuts="S"
        icon={<SkipForward size={15} aria-hidden="true" />}
        onClick={onSkip}
      >
        {t('Skip')} <kbd aria-hidden="true">S</kbd>
      </Button>
      <span className="muted small num">
        {place.hasMore
          ? t('more than {left, number} left', { left: place.left })
          : t('{left, number} left', { left: place.left })}
      </span>
    </div>
  );
}
