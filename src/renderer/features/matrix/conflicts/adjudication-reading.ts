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
import type { Reasons } from './reasons.ts';
import { t } from '../../../text/t.ts';

/** What the parts of an adjudication share. */
export interface AdjudicationParts {
  editor: Editor;
  store: Adjudication['store'];
  reasons: Reasons;
  /** The entries by which this window has decided, by register. */
  here: Map<string, string>;
  dialog(): Adjudication['dialog'];
}

/** What the record displays, as an entry's name; empty where there is nothing. */
export const shownEntry = ({ session }: Editor, reg: string): string =>
  session.headsOf(reg)[0]?.entry ?? '';

export const decidedOf = (
  { editor, here }: AdjudicationParts,
  list: readonly CellToDecide[],
): Set<string> =>
  new Set(
    list.flatMap(({ reg, settled }) => {
      const entry = shownEntry(editor, reg);
      return entry !== '' && (entry === settled?.entry || entry === here.get(reg)) ? [reg] : [];
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
  lookAt(parts, next?.reg ?? at ?? list[0]?.reg ?? null);
}

/** What is read of rounds, and read again where the record shows what this window does not know. */
export function createReading(parts: AdjudicationParts) {
  const { editor, store } = parts;
  const known = new Map<string, string>();
  let asked = 0;
  const read = async (
    round: string,
    agreement: AdjudicationState['agreement'],
  ): Promise<boolean> => {
    const mine = (asked += 1);
    try {
      const found = await editor.rounds?.cells(round, agreement);
      for (const [reg, entry] of await editor.session.citing()) parts.here.set(reg, entry);
      if (mine !== asked || found === undefined || !store.getState().open) return false;
      const { list, gone } = listed(editor.session, found.cells);
      known.clear();
      for (const { reg } of list) known.set(reg, shownEntry(editor, reg));
      const { recorders } = found;
      const decided = decidedOf(parts, list);
      store.setState({ list, gone, recorders, decided, loading: false, failure: undefined });
      return true;
    } catch (failure) {
      if (mine === asked) store.setState({ loading: false, failure });
      return false;
    }
  };
  let isAgain = false;
  const again = async (): Promise<void> => {
    const { round, agreement, loading } = store.getState();
    if (isAgain || loading || round === null) return;
    isAgain = true;
    await read(round, agreement);
    isAgain = false;
  };
  return {
    look: async (round: string, agreement: AdjudicationState['agreement']): Promise<void> => {
      store.setState({ round, agreement, list: [], at: null, takeOver: null, loading: true });
      if (await read(round, agreement)) lookAtOpen(parts);
    },
    /** The session has changed. */
    refresh: (): void => {
      const { list, at, heads, choice, busy } = store.getState();
      store.setState({ decided: decidedOf(parts, list) });
      const now = at === null ? [] : editor.session.headsOf(at);
      if (!sameHeads(now, heads)) {
        store.setState({ heads: now, choice: null, overtaken: choice !== null });
        if (choice !== null) editor.announce(t('Another value was recorded: look again'));
      }
      // What this window is writing has no name yet.
      if (busy) return;
      const isNews = list.some(({ reg }) => {
        const entry = shownEntry(editor, reg);
        return entry !== known.get(reg) && entry !== parts.here.get(reg);
      });
      if (isNews && editor.session.saveStatus.connection === 'online') void again();
    },
  };
}
