import {
  type KeyboardEvent,
  type MouseEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type { Contest, MatrixSession } from '../../../data/store/port.ts';

import { Mark } from '../../../ui/OutcomeMark.tsx';
import { stateKey } from '../model/states.ts';
import type { Decision } from '../conflicts/decide.ts';
import { valueText, whatDiffers, whereOf } from '../conflicts/words.ts';
import { t, tAs } from '../../../text/t.ts';

/** Pixels; fixed, so that thousands of rows need no measuring. */
const ROW = 52;
const AROUND = 6;

interface ReviewRowsProps {
  session: MatrixSession;
  list: readonly Contest[];
  at: string | null;
  /** What a rule decides, by register; absent while registers are resolved one by one. */
  plan: ReadonlyMap<string, Decision> | undefined;
  onGo: (reg: string) => void;
  onStep: (backwards: boolean) => void;
  listRef: React.RefObject<HTMLDivElement | null>;
}

/** All registers as a list of options, of which only those in sight are drawn. */
export function ReviewRows({ session, list, at, plan, onGo, onStep, listRef }: ReviewRowsProps) {
  const id = useId();
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const place = list.findIndex(({ reg }) => reg === at);
  const before = useRef(place);
  useEffect(() => {
    const element = listRef.current;
    if (element === null) return undefined;
    const watch = new ResizeObserver(() => setHeight(element.clientHeight));
    watch.observe(element);
    return () => watch.disconnect();
  }, [listRef]);
  // When rows above come or go, the selected one keeps its place on screen; if it is out of sight,
  // it is scrolled into view.
  useLayoutEffect(() => {
    const element = listRef.current;
    if (element === null || place < 0) return;
    const [from, to] = [element.scrollTop, element.scrollTop + element.clientHeight];
    const moved = before.current < 0 ? 0 : (place - before.current) * ROW;
    const wasSeen = before.current * ROW >= from && (before.current + 1) * ROW <= to;
    before.current = place;
    if (place * ROW >= from && (place + 1) * ROW <= to) return;
    if (wasSeen && Math.abs(moved) > ROW) element.scrollTop = from + moved;
    else if (place * ROW < from) element.scrollTop = place * ROW;
    else element.scrollTop = (place + 1) * ROW - element.clientHeight;
  }, [place, list, listRef]);
  const first = Math.max(0, Math.floor(top / ROW) - AROUND);
  const last = Math.min(list.length, Math.ceil((top + height) / ROW) + AROUND);
  const jump = (to: number): void => {
    const contest = list[Math.min(Math.max(to, 0), list.length - 1)];
    if (contest !== undefined) onGo(contest.reg);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor(height / ROW) - 1);
    const step: Partial<Record<string, () => void>> = {
      ArrowDown: () => onStep(false),
      ArrowUp: () => onStep(true),
      Home: () => jump(0),
      End: () => jump(list.length - 1),
      PageDown: () => jump(place + page),
      PageUp: () => jump(place - page),
    };
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : step[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  // The focus stays with the list, whose options come and go as it is scrolled.
  const onClick = (event: MouseEvent): void => {
    const row =
      event.target instanceof Element
        ? event.target.closest<HTMLElement>('[data-row]')?.dataset['row']
        : undefined;
    if (row === undefined) return;
    listRef.current?.focus();
    jump(Number(row));
  };
  return (
    <div
      ref={listRef}
      className="mx-contests-list"
      role="listbox"
      tabIndex={0}
      aria-label={t('Conflicts')}
      aria-activedescendant={place >= first && place < last ? `${id}-${place}` : undefined}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      <div style={{ height: list.length * ROW }}>
        {list.slice(first, last).map((contest, index) => {
          const row = first + index;
          return (
            <div
              key={contest.reg}
              id={`${id}-${row}`}
              className="mx-contests-row"
              role="option"
              aria-selected={row === place}
              aria-setsize={list.length}
              aria-posinset={row + 1}
              tabIndex={-1}
              data-row={row}
              style={{ top: row * ROW, height: ROW }}
            >
              <Row
                session={session}
                contest={contest}
                decision={plan?.get(contest.reg)}
                isPlan={plan !== undefined}
              />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Row({
  session,
  contest,
  decision,
  isPlan,
}: {
  session: MatrixSession;
  contest: Contest;
  decision: Decision | undefined;
  isPlan: boolean;
}) {
  const { item, label, rule } = whereOf(session, contest);
  const heads = decision?.heads ?? session.headsOf(contest.reg);
  const isOutcome = contest.field === 'outcome';
  const taken = decision?.taken ?? null;
  return (
    <>
      <span className="mx-contests-where">
        <strong>{label === '' ? item : label}</strong>
        {label !== '' && <span className="muted"> {item}</span>}
      </span>
      <span className="mx-contests-what">{rule ?? t('Item')}</span>
      <span className="mx-contests-says">
        {isOutcome
          ? heads.map((head) => (
              <span key={head.entry} className="mx-contests-mark">
                <Mark state={stateKey(head.raw_outcome)} />
                <span className="visually-hidden">{valueText(head)},</span>
              </span>
            ))
          : contest.kind !== 'removed' && (
              <span>{t('{count, number} values', { count: heads.length })}</span>
            )}
        {isPlan && (
          <span className="mx-contests-taken">
            <span aria-hidden="true">→</span>
            {taken === null ? (
              <span>{tAs('undecided', 'left')}</span>
            ) : isOutcome ? (
              <>
                <span className="visually-hidden">
                  {t('becomes {value}', { value: valueText(taken) })}
                </span>
                <Mark state={stateKey(taken.raw_outcome)} />
              </>
            ) : (
              <span>{valueText(taken)}</span>
            )}
          </span>
        )}
        <span className="mx-contests-kind">{whatDiffers(contest)}</span>
      </span>
    </>
  );
}
