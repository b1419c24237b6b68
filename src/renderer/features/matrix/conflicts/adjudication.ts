import { createStore } from 'zustand/vanilla';
import type { Editor } from '../editor/editor.ts';
import { notify } from '../editor/editor-state.ts';
import { NO_FILTER } from '../model/filter.ts';
import { cellName } from '../model/names.ts';
import { single } from '../model/selection.ts';
import {
  type Adjudication,
  type AdjudicationState,
  cellAt,
  type CellToDecide,
  citedBy,
  CLOSED,
  columnsOf,
  planTakeOver,
  statedBy,
} from './adjudication-state.ts';
import {
  type AdjudicationParts,
  createReading,
  decidedOf,
  lookAt,
  lookAtOpen,
  shownEntry,
} from './adjudication-reading.ts';
import { namesOf } from './decide.ts';
import { Reasons } from './reasons.ts';
import { t } from '../../../text/t.ts';

/** Stored as the reason of what is taken over. */
const ALL_AGREE = 'All recorders agree.';

/** Nothing else can be started until it is stored; it is then known where it comes from. */
async function written(
  { editor, store, citing }: AdjudicationParts,
  cells: readonly { reg: string; from: readonly string[] }[],
  reason: string,
  write: () => Promise<boolean>,
): Promise<boolean> {
  store.setState({ busy: true });
  const done = await write();
  if (done)
    for (const { reg, from } of cells) citing.set(shownEntry(editor, reg), { from, reason });
  store.setState({ busy: false });
  return done;
}

/** Records what was chosen; a conflict that the cell has in the record is resolved by it. */
async function resolve(parts: AdjudicationParts): Promise<void> {
  const { editor, store, reasons, dialog } = parts;
  const { busy, choice, heads } = store.getState();
  const cell = cellAt(store.getState());
  const why = store.getState().why.trim();
  const stated = cell && choice && statedBy(choice, cell, heads);
  if (busy || cell === undefined || !stated) return;
  if (why === '') return dialog()?.focusWhy();
  const toList = dialog()?.listFocus();
  const { reg, item_uid: item, rule_uid: rule } = cell;
  const from = citedBy(cell);
  const label = t('Decide {name}', { name: cellName(editor.session, { item, rule }) });
  const { source_value = null, provenance = null, raw_outcome } = stated;
  const value = {
    raw_outcome,
    ...(source_value !== null && { source_value }),
    ...(provenance !== null && { provenance }),
  };
  const done = await written(parts, [{ reg, from }], why, async () =>
    heads.length > 1
      ? editor.resolve([{ reg, heads: namesOf(heads), value, from }], why, label)
      : (await editor.apply({
          label,
          why,
          cells: [{ item, rule, patch: { ...stated, from } }],
        })) !== undefined,
  );
  if (!done) return;
  reasons.recorded(reg, why);
  store.setState(({ list }) => ({ decided: decidedOf(parts, list) }));
  // Who has gone to another cell meanwhile stays there.
  if (store.getState().at !== reg) return;
  lookAtOpen(parts);
  toList?.();
}

async function takeOverAll(parts: AdjudicationParts): Promise<void> {
  const { editor, store } = parts;
  const { takeOver, busy } = store.getState();
  const { session } = editor;
  // Only what was previewed, and of that what nobody has recorded since.
  const cells = (takeOver?.cells ?? []).filter(
    ({ item, rule }) =>
      session.rowOf(item) >= 0 &&
      session.state(session.rowOf(item), session.columnOf(rule)) === null,
  );
  if (busy || cells.length === 0) return;
  const toList = parts.dialog()?.listFocus();
  const label = t('Take over {cells, plural, one {# cell} other {# cells}} that all agree on', {
    cells: cells.length,
  });
  const done = await written(
    parts,
    cells.map(({ reg, patch: { from = [] } }) => ({ reg, from })),
    ALL_AGREE,
    async () =>
      (await editor.apply({
        label,
        why: ALL_AGREE,
        cells: cells.map(({ item, rule, patch }) => ({ item, rule, patch })),
      })) !== undefined,
  );
  if (!done) return;
  notify(
    editor.store,
    t('{cells, plural, one {# cell} other {# cells}} taken over', { cells: cells.length }),
  );
  store.setState({ takeOver: null });
  toList?.();
}

function createTakingOver(parts: AdjudicationParts): Pick<Adjudication, 'preview' | 'takeOverAll'> {
  const { editor, store } = parts;
  let previews = 0;
  return {
    preview: async (wanted) => {
      const { round } = store.getState();
      const [mine, turn] = [(previews += 1), parts.turn.begun];
      const isWanted = (): boolean => mine === previews && turn === parts.turn.begun;
      if (!wanted || round === null) return store.setState({ takeOver: null, loading: false });
      store.setState({ loading: true });
      try {
        const agreed = await editor.rounds?.cells(round, 'agreed');
        const takeOver = planTakeOver(editor.session, agreed?.cells ?? []);
        if (isWanted()) store.setState({ takeOver, loading: false });
      } catch (failure) {
        if (isWanted()) store.setState({ loading: false, failure });
      }
      return undefined;
    },
    takeOverAll: () => takeOverAll(parts),
  };
}

function showCell(editor: Editor, { item_uid: item, rule_uid: rule }: CellToDecide): void {
  if (editor.store.getState().view.rowOf(item) < 0) editor.setFilter(NO_FILTER);
  if (editor.store.getState().view.rowOf(item) >= 0) editor.select(single({ item, rule }));
}

function createChoosing({
  editor,
  store,
  reasons,
}: AdjudicationParts): Pick<Adjudication, 'choose' | 'take' | 'setWhy' | 'showAuthors'> {
  const mayChoose = (): boolean => editor.session.saveStatus.access.may === 'write';
  const choose = (choice: AdjudicationState['choice'] | undefined): void => {
    if (choice !== undefined && mayChoose() && store.getState().takeOver === null)
      store.setState({ choice, overtaken: false });
  };
  return {
    choose: (number) => {
      const cell = cellAt(store.getState());
      if (cell !== undefined) choose(columnsOf(cell, store.getState().heads)[number - 1]);
    },
    take: (outcome) => {
      const cell = cellAt(store.getState());
      const said = cell?.ratings.find(({ raw_outcome }) => raw_outcome === outcome);
      if (cell === undefined) return;
      choose(said === undefined ? { of: 'own', outcome } : { of: 'rating', entry: said.entry });
    },
    setWhy: (why) => {
      const cell = cellAt(store.getState());
      if (cell !== undefined) reasons.type(cell.reg, citedBy(cell), why);
      store.setState({ why });
    },
    showAuthors: (authors) => store.setState({ authors }),
  };
}

function createAdjudication(editor: Editor): Adjudication {
  const store = createStore<AdjudicationState>(() => CLOSED);
  const turn = { begun: 0, begin: () => (turn.begun += 1) };
  const parts: AdjudicationParts = {
    editor,
    store,
    reasons: new Reasons(),
    citing: new Map(),
    turn,
    dialog: () => adjudication.dialog,
  };
  const { look, refresh } = createReading(parts);
  let stop: (() => void) | undefined;
  const adjudication: Adjudication = {
    store,
    dialog: undefined,
    look,
    open: async (round = editor.rounds?.asked) => {
      store.setState({ ...CLOSED, open: true, loading: true });
      stop ??= editor.session.subscribe(refresh);
      const mine = turn.begin();
      const isWanted = (): boolean => mine === turn.begun;
      try {
        const rounds = (await editor.rounds?.list()) ?? [];
        if (!isWanted()) return;
        store.setState({ rounds });
        const chosen = rounds.find(({ id }) => id === round) ?? rounds.at(-1);
        if (chosen === undefined) store.setState({ loading: false });
        else await look(chosen.id, 'differing');
      } catch (failure) {
        if (isWanted()) store.setState({ loading: false, failure });
      }
    },
    close: () => {
      turn.begin();
      stop?.();
      stop = undefined;
      store.setState(CLOSED);
    },
    go: (reg) => lookAt(parts, reg),
    step: (backwards) => {
      const { list, at } = store.getState();
      const next = list.findIndex(({ reg }) => reg === at) + (backwards ? -1 : 1);
      const to = list[Math.min(Math.max(next, 0), list.length - 1)];
      if (to !== undefined && to.reg !== at) lookAt(parts, to.reg);
    },
    ...createChoosing(parts),
    resolve: () => resolve(parts),
    ...createTakingOver(parts),
    showInMatrix: () => {
      const cell = cellAt(store.getState());
      adjudication.close();
      if (cell !== undefined) showCell(editor, cell);
    },
  };
  return adjudication;
}

const adjudications = new WeakMap<Editor, Adjudication>();

export function adjudicationOf(editor: Editor): Adjudication {
  let adjudication = adjudications.get(editor);
  if (adjudication === undefined)
    adjudications.set(editor, (adjudication = createAdjudication(editor)));
  return adjudication;
}
