import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { finishRound, type Round } from '../../../shared/contract/v1/rounds.ts';
import type { RawOutcome } from '../../../shared/domain/outcome.ts';
import type { ProfileRule } from '../../../shared/domain/profile.ts';
import type { CellAddress } from '../../data/store/port.ts';
import { describeFailure } from '../../state/failure.ts';
import { useServices } from '../../state/services.tsx';
import { Button } from '../../ui/Button.tsx';
import { Confirm } from '../../ui/Dialog.tsx';
import { FailureNotice, Loaded } from '../../ui/Loaded.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { OUTCOME_TEXT, OutcomeMark } from '../../ui/OutcomeMark.tsx';
import { ListPager } from '../../ui/Pager.tsx';
import { Table } from '../../ui/Table.tsx';
import { useToast } from '../../ui/Toast.tsx';
import { t } from '../../text/t.ts';
import type { Sheet } from './sheet.ts';
import { CellDetails } from './CellDetails.tsx';
import { roundsOf, type SheetItem, useItems, useSheet } from './use-rounds.ts';
import './rounds.css';

interface RoundSheetProps {
  round: Round;
  /** Who records: the person at this window. */
  recorder: string;
  rules: readonly ProfileRule[];
}

/** What the person at this window records in a round; nothing of anybody else is asked for. */
export function RoundSheet({ round, recorder, rules }: RoundSheetProps) {
  const items = useItems(round);
  const sheet = useSheet(round.case_uid, round.round_id, recorder);
  const shownRules = rules.filter(
    ({ ruleUid }) => round.rules === 'all' || round.rules.includes(ruleUid),
  );
  return (
    <Loaded query={sheet} what={t('your recording')} lines={8}>
      {(own) => (
        <Loaded query={items} what={t('items')} lines={8}>
          {(entries) => (
            <>
              <SheetProgress round={round} sheet={own} />
              <SheetTable
                sheet={own}
                items={entries.filter(
                  ({ item_uid }) => round.items === 'all' || round.items.includes(item_uid),
                )}
                rules={shownRules}
              />
              <ListPager list={items} what={t('items')} />
            </>
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

const useSheetState = (sheet: Sheet) => useSyncExternalStore(sheet.subscribe, () => sheet.state);

/** How much is recorded and saved, and the way to be done. */
function SheetProgress({ round, sheet }: { round: Round; sheet: Sheet }) {
  const { call, queries } = useServices();
  const { cells, unsaved, failure } = useSheetState(sheet);
  const announce = useToast();
  const [asking, ask] = useState(false);
  const [busy, setBusy] = useState(false);
  const finish = async (): Promise<void> => {
    setBusy(true);
    try {
      await call(finishRound, { params: { caseUid: round.case_uid, roundId: round.round_id } });
      queries.invalidate(roundsOf(round.case_uid));
    } catch (error) {
      const { title, message } = describeFailure(error);
      announce({ title, description: message, tone: 'danger' });
    } finally {
      setBusy(false);
      ask(false);
    }
  };
  const recorded = [...cells.values()].filter(({ raw_outcome }) => raw_outcome !== null).length;
  useEffect(() => {
    const again = (): void => void sheet.save();
    const warn = (event: BeforeUnloadEvent): void => {
      if (sheet.state.unsaved > 0) event.preventDefault();
    };
    window.addEventListener('online', again);
    window.addEventListener('beforeunload', warn);
    again();
    return () => {
      window.removeEventListener('online', again);
      // What is left unsaved waits in this window.
      if (sheet.state.unsaved === 0) window.removeEventListener('beforeunload', warn);
    };
  }, [sheet]);
  return (
    <>
      <Notice title={t('You record on your own')}>
        <p>
          {t(
            'Nobody sees what you record here before the recording is released, and you see nothing of the others. It is saved on the server cell by cell; without the server it waits in this window alone.',
          )}
        </p>
      </Notice>
      <div className="round-progress">
        <p role="status">
          {t('{recorded, plural, one {# cell} other {# cells}} recorded.', { recorded })}{' '}
          {unsaved > 0 ? t('Saving…') : t('All changes saved')}
        </p>
        <Button variant="primary" disabled={unsaved > 0} onClick={() => ask(true)}>
          {t('Done…')}
        </Button>
      </div>
      {failure !== undefined && unsaved > 0 && (
        <FailureNotice failure={describeFailure(failure)} onRetry={() => void sheet.save()} />
      )}
      {asking && (
        <Confirm
          onClose={() => ask(false)}
          title={t('Be done with this recording?')}
          action={t('Done')}
          busy={busy}
          onConfirm={() => void finish()}
        >
          {t(
            'You have recorded {recorded, plural, one {# cell} other {# cells}}. What you record later is kept, and never counted.',
            { recorded },
          )}
        </Confirm>
      )}
    </>
  );
}

const KEYS: Readonly<Record<string, RawOutcome | null>> = {
  f: 'FALSE',
  t: 'TRUE',
  n: 'NA',
  delete: null,
  backspace: null,
};
const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

interface SheetTableProps {
  sheet: Sheet;
  items: readonly SheetItem[];
  rules: readonly ProfileRule[];
}

/**
 * Items in rows, rules in columns; one cell at a time can be reached by Tab, the others by arrows.
 * It goes by its item and rule: other items may come before it at any time.
 */
function SheetTable({ sheet, items, rules }: SheetTableProps) {
  useSheetState(sheet);
  const table = useRef<HTMLDivElement>(null);
  const [at, go] = useState<CellAddress>();
  const row = Math.max(
    0,
    items.findIndex(({ item_uid }) => item_uid === at?.item),
  );
  const column = Math.max(
    0,
    rules.findIndex(({ ruleUid }) => ruleUid === at?.rule),
  );
  const [item, rule] = [items[row], rules[column]];
  const onKeyDown = (event: React.KeyboardEvent, place: CellAddress): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEPS[event.key];
    const outcome = KEYS[event.key.toLowerCase()];
    if (step !== undefined)
      table.current
        ?.querySelector<HTMLElement>(`[data-cell="${row + step[0]} ${column + step[1]}"]`)
        ?.focus();
    else if (outcome !== undefined)
      sheet.record({ item_uid: place.item, rule_uid: place.rule, raw_outcome: outcome });
    else return;
    event.preventDefault();
  };
  return (
    <>
      <p className="small muted">
        {t(
          'F: FALSE, evidence present. T: TRUE, problem found. N: NA, not available. Delete: not recorded. Arrows lead from cell to cell.',
        )}
      </p>
      <div ref={table}>
        <Table
          caption={t('Your recording')}
          dense
          head={
            <tr>
              <th scope="col">{t('Item')}</th>
              {rules.map(({ ruleUid, name }) => (
                <th key={ruleUid} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          }
        >
          {items.map((entry, y) => (
            <tr key={entry.item_uid}>
              <th scope="row">{entry.label === '' ? entry.item_uid : entry.label}</th>
              {rules.map(({ ruleUid, name }, x) => {
                const place = { item: entry.item_uid, rule: ruleUid };
                const state = sheet.cell(entry.item_uid, ruleUid).raw_outcome ?? 'unrecorded';
                const isAt = y === row && x === column;
                const { name: word, meaning } = OUTCOME_TEXT[state];
                return (
                  <td key={ruleUid}>
                    <button
                      type="button"
                      className="round-cell"
                      data-cell={`${y} ${x}`}
                      tabIndex={isAt ? 0 : -1}
                      aria-label={`${entry.item_uid}, ${name}: ${state === 'unrecorded' ? word : `${word}, ${meaning}`}`}
                      onFocus={() => go(place)}
                      onKeyDown={(event) => onKeyDown(event, place)}
                    >
                      <OutcomeMark kind={state} />
                    </button>
                  </td>
                );
              })}
            </tr>
          ))}
        </Table>
      </div>
      {item !== undefined && rule !== undefined && (
        <div onFocus={() => go({ item: item.item_uid, rule: rule.ruleUid })}>
          <CellDetails
            key={`${item.item_uid} ${rule.ruleUid}`}
            item={item}
            rule={rule}
            cell={sheet.cell(item.item_uid, rule.ruleUid)}
            onRecord={(change) =>
              sheet.record({ item_uid: item.item_uid, rule_uid: rule.ruleUid, ...change })
            }
          />
        </div>
      )}
    </>
  );
}
