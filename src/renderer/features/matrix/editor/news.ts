import type { CellAddress, MatrixSession } from '../../../data/store/port.ts';
import { whose } from '../model/history-text.ts';
import type { CellMark, EditorStore } from './editor-state.ts';
import { t } from '../../../text/t.ts';

/** How long a cell that somebody else has changed stays marked. */
const MARKED_MS = 8_000;
/** How long somebody who has written here is named. */
const NAMED_MS = 300_000;

export const markKey = ({ item, rule }: CellAddress): string => `${item}\n${rule}`;

/** "Ada changed 3 cells." */
export const newsWords = (by: string, cells: number): string =>
  t('{by} changed {cells, plural, one {# cell} other {# cells}}', { by, cells });

/** How many of the marked cells each person has changed. */
export function countByPerson(marks: Iterable<CellMark>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { by } of marks) counts.set(by, (counts.get(by) ?? 0) + 1);
  return counts;
}

/** Marks what others change for some seconds, and names them for some minutes. */
export function followNews(session: MatrixSession, store: EditorStore): () => void {
  const timers = new Set<ReturnType<typeof setTimeout>>();
  const later = (ms: number, what: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      what();
    }, ms);
    timers.add(timer);
  };
  const lastSeen = new Map<string, object>();
  const name = (by: string): void => {
    const seen = {};
    lastSeen.set(by, seen);
    later(NAMED_MS, () => {
      if (lastSeen.get(by) !== seen) return;
      lastSeen.delete(by);
      store.setState({ others: [...lastSeen.keys()] });
    });
  };
  const stop = session.subscribeNews((news) => {
    const marks = new Map(
      news.map((cell): [string, CellMark] => [markKey(cell), { by: whose(cell.by) }]),
    );
    const counts = countByPerson(marks.values());
    for (const by of counts.keys()) name(by);
    const before = store.getState().marks;
    store.setState({ marks: new Map([...before, ...marks]), others: [...lastSeen.keys()] });
    // Of a row of changes the first is read out.
    if (before.size === 0)
      store.setState({
        announcement: {
          text: Array.from(counts, ([by, cells]) => newsWords(by, cells)).join('. '),
          passing: true,
        },
      });
    later(MARKED_MS, () =>
      store.setState((state) => ({
        marks: new Map([...state.marks].filter(([key, mark]) => marks.get(key) !== mark)),
      })),
    );
  });
  return () => {
    stop();
    for (const timer of timers) clearTimeout(timer);
  };
}
