import type { Editor } from '../editor/editor.ts';
import {
  type Adjudication,
  type AdjudicationState,
  cellAt,
  type CellToDecide,
  citedBy,
  listed,
} from './adjudication-state.ts';
import { sameHeads } from './decide.ts';
import type { Citing } from '../../../data/store/port.ts';
import type { Reasons } from './reasons.ts';
import { t } from '../../../text/t.ts';

/** What the parts of an adjudication share. */
export interface AdjudicationParts {
  editor: Editor;
  store: Adjudication['store'];
  reasons: Reasons;
  /** Entries that are known to come from recordings: the server's, and what is not sent yet. */
  citing: Map<string, Citing>;
  /** Begins whenever another recording or other cells are asked for, or nothing any more. */
  turn: { readonly begun: number; begin(): number };
  dialog(): Adjudication['dialog'];
}

/** What the record displays, as an entry's name; empty where there is nothing. */
export const shownEntry = ({ session }: Editor, reg: string): string =>
  session.headsOf(reg)[0]?.entry ?? '';

/** What the record says from these very recordings; an undo or redo may have brought it back. */
export const decidedOf = (
  { editor, citing }: AdjudicationParts,
  list: readonly CellToDecide[],
): Map<string, string | null> =>
  new Map(
    list.flatMap((cell) => {
      const known = citing.get(editor.session.firstSaid(shownEntry(editor, cell.reg)));
      const cited = citedBy(cell);
      return known?.from.every((entry) => cited.includes(entry)) === true
        ? [[cell.reg, known.reason] as const]
        : [];
    }),
  );

export function lookAt({ editor, store, reasons }: AdjudicationParts, at: string | null): void {
  const heads = at === null ? [] : editor.session.headsOf(at);
  const cell = cellAt({ list: store.getState().list, at });
  store.setState({
    at,
    heads,
    choice: null,
    overtaken: false,
    why: cell === undefined ? '' : reasons.of(cell.reg, citedBy(cell)),
    lastWhy: reasons.last,
  });
}

/** The next cell below that is not decided, or the first one; stays where all are. */
export function lookAtOpen(parts: AdjudicationParts): void {
  const { list, at, decided } = parts.store.getState();
  const place = list.findIndex(({ reg }) => reg === at);
  const next = [...list.slice(place + 1), ...list.slice(0, place + 1)].find(
    ({ reg }) => !decided.has(reg),
  );
  lookAt(parts, next?.reg ?? list[place]?.reg ?? list[0]?.reg ?? null);
}

type Shown = ReadonlyMap<string, string>;
const shownOf = ({ editor, store }: AdjudicationParts): Map<string, string> =>
  new Map(store.getState().list.map(({ reg }) => [reg, shownEntry(editor, reg)]));

/** What is not sent yet is not in the server's answers. */
async function noteUnsent({ editor, citing }: AdjudicationParts): Promise<void> {
  for (const [entry, one] of await editor.session.citing()) citing.set(entry, one);
}

/** Reads what recorders said; answers whether that is shown, and not what was asked for later. */
function createRead(parts: AdjudicationParts) {
  const { editor, store, citing } = parts;
  const { session } = editor;
  let asked = 0;
  return async (round: string, agreement: AdjudicationState['agreement']): Promise<boolean> => {
    const [mine, turn] = [(asked += 1), parts.turn.begun];
    const isWanted = (): boolean => mine === asked && turn === parts.turn.begun;
    try {
      const found = await editor.rounds?.cells(round, agreement);
      await noteUnsent(parts);
      if (!isWanted() || found === undefined) return false;
      const { list, gone } = listed(session, found.cells);
      for (const cell of list)
        if (cell.settled !== null)
          citing.set(session.firstSaid(cell.settled.entry), {
            from: citedBy(cell),
            reason: cell.settled.reason,
          });
      const { recorders } = found;
      const decided = decidedOf(parts, list);
      store.setState({ list, gone, recorders, decided, loading: false, failure: undefined });
      return true;
    } catch (failure) {
      if (isWanted()) store.setState({ loading: false, failure });
      return false;
    }
  };
}

/** What is read of rounds, and read again where the record shows what this window does not know. */
export function createReading(parts: AdjudicationParts) {
  const { editor, store, citing } = parts;
  const { session } = editor;
  const read = createRead(parts);
  let known: Shown = new Map();
  const isNews = (): boolean =>
    [...shownOf(parts)].some(
      ([reg, entry]) => entry !== known.get(reg) && !citing.has(session.firstSaid(entry)),
    );
  /** Without a connection, another window of this computer may have decided. */
  const look = async (): Promise<boolean> => {
    const { round, agreement, list } = store.getState();
    if (round === null) return false;
    if (session.saveStatus.connection === 'online') return read(round, agreement);
    await noteUnsent(parts);
    store.setState({ decided: decidedOf(parts, list) });
    return true;
  };
  let isAgain = false;
  const again = async (): Promise<void> => {
    if (isAgain) return;
    isAgain = true;
    // What comes meanwhile may not be in the answer: it is asked for once more.
    while (!store.getState().loading && isNews()) {
      const shown = shownOf(parts);
      if (!(await look())) break;
      known = new Map([...shownOf(parts), ...shown]);
      if (cellAt(store.getState()) === undefined) lookAtOpen(parts);
    }
    isAgain = false;
  };
  return {
    look: async (round: string, agreement: AdjudicationState['agreement']): Promise<void> => {
      parts.turn.begin();
      store.setState({ round, agreement, list: [], at: null, takeOver: null, loading: true });
      if (!(await read(round, agreement))) return;
      known = shownOf(parts);
      lookAtOpen(parts);
    },
    /** The session has changed. */
    refresh: (): void => {
      const { list, at, heads, choice, busy } = store.getState();
      store.setState({ decided: decidedOf(parts, list) });
      const now = at === null ? [] : session.headsOf(at);
      if (!sameHeads(now, heads)) {
        store.setState({ heads: now, choice: null, overtaken: choice !== null });
        if (choice !== null) editor.announce(t('Another value was recorded: look again'));
      }
      // What this window is writing is not known yet as coming from recordings.
      if (!busy) void again();
    },
  };
}
