import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';

/** Pixels; fixed, so that thousands of rows need no measuring. */
const ROW = 52;
const AROUND = 6;

interface LongListProps {
  label: string;
  /** What names each row. */
  keys: readonly string[];
  at: string | null;
  row: (index: number) => ReactNode;
  onGo: (key: string) => void;
  onStep: (backwards: boolean) => void;
  listRef: React.RefObject<HTMLDivElement | null>;
}

/** Rows as a list of options, of which only those in sight are drawn. */
export function LongList({ label, keys, at, row, onGo, onStep, listRef }: LongListProps) {
  const id = useId();
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const place = at === null ? -1 : keys.indexOf(at);
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
  }, [place, keys, listRef]);
  const first = Math.max(0, Math.floor(top / ROW) - AROUND);
  const last = Math.min(keys.length, Math.ceil((top + height) / ROW) + AROUND);
  const jump = (to: number): void => {
    const key = keys[Math.min(Math.max(to, 0), keys.length - 1)];
    if (key !== undefined) onGo(key);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor(height / ROW) - 1);
    const step: Partial<Record<string, () => void>> = {
      ArrowDown: () => onStep(false),
      ArrowUp: () => onStep(true),
      Home: () => jump(0),
      End: () => jump(keys.length - 1),
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
    const clicked =
      event.target instanceof Element
        ? event.target.closest<HTMLElement>('[data-row]')?.dataset['row']
        : undefined;
    if (clicked === undefined) return;
    listRef.current?.focus();
    jump(Number(clicked));
  };
  return (
    <div
      ref={listRef}
      className="mx-contests-list"
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={place >= first && place < last ? `${id}-${place}` : undefined}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      <div style={{ height: keys.length * ROW }}>
        {keys.slice(first, last).map((key, index) => {
          const number = first + index;
          return (
            <div
              key={key}
              id={`${id}-${number}`}
              className="mx-contests-row"
              role="option"
              aria-selected={number === place}
              aria-setsize={keys.length}
              aria-posinset={number + 1}
              tabIndex={-1}
              data-row={number}
              style={{ top: number * ROW, height: ROW }}
            >
              {row(number)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
