import { createStore, type StoreApi } from 'zustand/vanilla';
import type { MatrixSession } from '../../../data/store/port.ts';
import type { Delimiter } from '../../../files/delimited.ts';
import type { Encoding } from '../../../files/encoding.ts';
import { createPace, isCancelled, type Pace } from '../../../files/pace.ts';
import { keepsOrigin, rememberKeepsOrigin } from '../../../state/keep-origin.ts';
import { guessMapping, type FileLayout, type ColumnRole } from './mapping.ts';
import { openFile, type ChosenFile } from './read-file.ts';
import { headersOf } from './source.ts';
import { compareFile, findOutcomes, importFile, mapColumns, readTable } from './stages.ts';
import {
  headersNow,
  obstacles,
  START,
  type WizardStep,
  STEPS,
  undecided,
  type WizardState,
} from './wizard-state.ts';
import { type FoundWord, type Meaning, wordKey } from './words.ts';

export interface Wizard {
  readonly session: MatrixSession;
  readonly store: StoreApi<WizardState>;
  choose(file: File): Promise<void>;
  /** Says why what was given is no file to read. */
  refuse(problem: string): void;
  /** Reads the file again in another way. */
  readAs(change: { encoding?: Encoding; delimiter?: Delimiter; sheet?: number }): Promise<void>;
  setHeaderRow(row: number): void;
  setForm(form: FileLayout): void;
  setRole(column: number, role: ColumnRole): void;
  setMeaning(word: FoundWord, meaning: Meaning): void;
  /** Maps every value that is not mapped yet to this one. */
  setRest(meaning: Meaning): void;
  setChoice(choice: Partial<Pick<WizardState, 'keepsWords' | 'emptyClears'>>): void;
  next(): Promise<void>;
  back(): void;
  stop(): void;
}

type WizardStore = StoreApi<WizardState>;

/** Runs long stages, one at a time; where one fails, the step stays and the problem is shown. */
function createWork({ setState: set }: WizardStore) {
  let under: AbortController | undefined;
  const run = async (
    label: string,
    stage: (pace: Pace) => Promise<Partial<WizardState>>,
  ): Promise<void> => {
    under?.abort();
    const own = new AbortController();
    under = own;
    set({ busy: { label, done: undefined }, problem: null });
    const pace = createPace(own.signal, (done) => {
      if (under === own) set({ busy: { label, done } });
    });
    try {
      const result = await stage(pace);
      if (under === own) set({ ...result, busy: null });
    } catch (error) {
      if (under === own) set({ busy: null, problem: problemOf(error) });
    }
  };
  return { run, stop: () => under?.abort() };
}

function problemOf(error: unknown): string | null {
  if (isCancelled(error)) return null;
  return error instanceof Error ? error.message : String(error);
}

const withChange = (
  opened: ChosenFile,
  { encoding, delimiter, sheet }: Parameters<Wizard['readAs']>[0],
): ChosenFile =>
  opened.kind === 'text'
    ? {
        ...opened,
        encoding: encoding ?? opened.encoding,
        delimiter: delimiter ?? opened.delimiter,
      }
    : { ...opened, sheet: sheet ?? opened.sheet };

/** What a person chooses of columns and values, without reading the file again. */
function createChoices(
  session: MatrixSession,
  { getState: get, setState: set }: WizardStore,
): Pick<Wizard, 'setHeaderRow' | 'setForm' | 'setRole' | 'setMeaning' | 'setRest' | 'setChoice'> {
  const { profile } = session;
  return {
    setHeaderRow: (headerRow) => {
      const { read } = get();
      if (read !== null)
        set({ headerRow, ...mapColumns(session, headersOf(read.table, headerRow)) });
    },
    setForm: (form) =>
      set({ mapping: guessMapping(headersNow(get()), profile.rules, form), remembered: false }),
    setRole: (column, role) =>
      set(({ mapping }) => ({
        mapping: {
          ...mapping,
          roles: mapping.roles.map((old, at) => (at === column ? role : old)),
        },
        remembered: false,
      })),
    setMeaning: ({ word }, meaning) =>
      set(({ meanings }) => ({ meanings: new Map([...meanings, [wordKey(word), meaning]]) })),
    setRest: (meaning) =>
      set(({ meanings }) => ({
        meanings: new Map([
          ...meanings,
          ...undecided(get()).map(({ word }) => [wordKey(word), meaning] as const),
        ]),
      })),
    setChoice: (choice) => {
      if (choice.keepsWords !== undefined) rememberKeepsOrigin(choice.keepsWords);
      set(choice);
    },
  };
}

/** The steps of an import and what was chosen in each. Nothing is changed before the last. */
export function createWizard(session: MatrixSession, clock?: { now(): number }): Wizard {
  const store = createStore<WizardState>(() => ({ ...START, keepsWords: keepsOrigin() }));
  const { getState: get, setState: set } = store;
  const work = createWork(store);
  const forward: Record<WizardStep, () => Promise<void> | void> = {
    file: () => set({ step: 'reading' }),
    reading: () => set({ step: 'columns' }),
    columns: () =>
      work.run('Looking at the outcomes…', (pace) => findOutcomes(session, get(), pace)),
    outcomes: () =>
      work.run('Comparing with the matrix…', (pace) => compareFile(session, get(), clock, pace)),
    check: () => work.run('Importing…', (pace) => importFile(session, get(), clock, pace)),
    done: () => undefined,
  };
  return {
    session,
    store,
    ...createChoices(session, store),
    choose: (file) =>
      work.run(`Reading ${file.name}…`, async (pace) => ({
        ...START,
        keepsWords: keepsOrigin(),
        ...(await readTable(session, await openFile(file, pace), pace)),
      })),
    refuse: (problem) => set({ problem }),
    readAs: async (change) => {
      const { opened } = get();
      if (opened === null) return;
      const again = withChange(opened, change);
      await work.run(`Reading ${opened.file.name}…`, (pace) => readTable(session, again, pace));
    },
    next: async () => {
      if (get().busy === null && obstacles(get()).length === 0) await forward[get().step]();
    },
    back: () => {
      const { step, busy } = get();
      if (busy === null && step !== 'file' && step !== 'done')
        set({ step: STEPS[STEPS.indexOf(step) - 1] ?? 'file', problem: null });
    },
    stop: work.stop,
  };
}
