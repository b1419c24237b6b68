import { createStore, type StoreApi } from 'zustand/vanilla';
import type { MatrixSession } from '../../../data/store/port.ts';
import type { Delimiter } from '../../../files/delimited.ts';
import type { Encoding } from '../../../files/encoding.ts';
import { createPace, isCancelled, type Pace } from '../../../files/pace.ts';
import type { Table } from '../../../files/table.ts';
import type { VcfChoice } from '../../../files/vcf.ts';
import { keepsOrigin, rememberKeepsOrigin } from '../../../state/keep-origin.ts';
import type { ColumnRole, FileLayout } from './mapping.ts';
import { openFiles, type ChosenFile } from './read-file.ts';
import { OtherProfile } from './read-qem.ts';
import {
  type Clock,
  compareFile,
  findValues,
  guessFrom,
  importFile,
  mapColumns,
  readTable,
} from './stages.ts';
import {
  type ChosenMeanings,
  type ColumnValues,
  type FoundValue,
  type Meaning,
  type Polarity,
  wordKey,
} from './values.ts';
import { obstacles, START, undecided, type WizardState } from './wizard-state.ts';
import { t } from '../../../text/t.ts';

export interface Wizard {
  readonly session: MatrixSession;
  readonly store: StoreApi<WizardState>;
  choose(files: readonly File[]): Promise<void>;
  /** Says why what was given is no file to read. */
  refuse(problem: string): void;
  /** Reads the file again in another way. */
  readAs(change: {
    encoding?: Encoding;
    delimiter?: Delimiter;
    sheet?: number;
    vcf?: Partial<VcfChoice>;
  }): Promise<void>;
  setHeaderRow(row: number): Promise<void>;
  setForm(form: FileLayout): Promise<void>;
  /** Guesses the columns again in place of those of the last time. */
  guessAgain(): Promise<void>;
  setRole(column: number, role: ColumnRole): Promise<void>;
  setMeaning(column: number, value: FoundValue, meaning: Meaning): Promise<void>;
  /** Maps every value that is not mapped yet, and is no half of a pair, to this one. */
  setRest(meaning: Meaning): Promise<void>;
  /** Says of some columns what yes, 1, + or TRUE means in them. */
  setPolarity(columns: readonly number[], polarity: Polarity): Promise<void>;
  /** Takes an item of the case for each of these IDs of the file; null: the ID itself. */
  setAliases(changes: readonly (readonly [uid: string, item: string | null])[]): Promise<void>;
  setChoice(
    choice: Partial<Pick<WizardState, 'keepsWords' | 'emptyClears' | 'meet'>>,
  ): Promise<void>;
  /** Back to choosing a file. */
  again(): void;
  import(): Promise<void>;
  stop(): void;
}

type WizardStore = StoreApi<WizardState>;

/** Runs long work, one at a time: what is begun ends what was. */
function createWork(
  show: (done: number | undefined | null) => void,
  fail: (problem: string | null) => void,
) {
  let under: AbortController | undefined;
  const run = async (work: (pace: Pace) => Promise<void>): Promise<boolean> => {
    under?.abort();
    const own = new AbortController();
    under = own;
    show(undefined);
    try {
      await work(
        createPace(own.signal, (done) => {
          if (under === own) show(done);
        }),
      );
      if (under === own) show(null);
      return under === own;
    } catch (error) {
      if (under === own) {
        show(null);
        fail(isCancelled(error) ? null : error instanceof Error ? error.message : String(error));
      }
      return false;
    }
  };
  return { run, stop: () => under?.abort() };
}

const withChange = (
  opened: ChosenFile,
  { encoding, delimiter, sheet, vcf }: Parameters<Wizard['readAs']>[0],
): ChosenFile => {
  switch (opened.kind) {
    case 'text':
      return {
        ...opened,
        encoding: encoding ?? opened.encoding,
        delimiter: delimiter ?? opened.delimiter,
      };
    case 'workbook':
      return { ...opened, sheet: sheet ?? opened.sheet };
    case 'vcf':
      return { ...opened, choice: { ...opened.choice, ...vcf } };
    default:
      return opened;
  }
};

/**
 * The two kinds of work: what everything waits for, and comparing, which each choice begins again.
 */
function createStages(session: MatrixSession, store: WizardStore, clock: Clock) {
  const { getState: get, setState: set } = store;
  const fail = (problem: string | null): void => set({ problem });
  let label = '';
  const work = createWork((done) => set({ busy: done === null ? null : { label, done } }), fail);
  const comparing = createWork((done) => set({ comparing: done === null ? null : { done } }), fail);
  /** Compares again; `values`: the columns have changed, and with them which values there are. */
  const compare = async (from: 'first' | 'values' | 'plan'): Promise<void> => {
    set({ plan: null });
    await comparing.run(async (pace) => {
      if (from !== 'plan') set(await findValues(get(), from === 'first', pace));
      set({ plan: await compareFile(session, get(), clock, pace) });
    });
  };
  const run = (
    name: string,
    stage: (pace: Pace) => Promise<Partial<WizardState>>,
  ): Promise<boolean> => {
    comparing.stop();
    label = name;
    set({ problem: null, wanted: null });
    return work.run(async (pace) => set(await stage(pace)));
  };
  return {
    run,
    compare,
    stop: () => {
      work.stop();
      comparing.stop();
    },
  };
}

type Stages = ReturnType<typeof createStages>;

function withoutHalves(
  chosen: ChosenMeanings,
  all: readonly ColumnValues[],
  columns: readonly number[],
): ChosenMeanings {
  const left = new Map(chosen);
  for (const { column, values } of all) {
    const own = chosen.get(column);
    if (own === undefined || !columns.includes(column)) continue;
    const halves = new Set(
      values.filter(({ half }) => half !== undefined).map(({ word }) => wordKey(word)),
    );
    left.set(column, new Map([...own].filter(([value]) => !halves.has(value))));
  }
  return left;
}

/** What a person chooses of columns, without reading the file again. */
function createColumnChoices(
  session: MatrixSession,
  { getState: get, setState: set }: WizardStore,
  { run, compare }: Stages,
): Pick<Wizard, 'setHeaderRow' | 'setForm' | 'guessAgain' | 'setRole'> {
  const remap = async (
    change: Partial<WizardState>,
    map: (table: Table, pace: Pace) => ReturnType<typeof guessFrom>,
  ): Promise<void> => {
    const { read } = get();
    if (read === null) return;
    set(change);
    if (await run(t('Looking at the columns…'), (pace) => map(read.table, pace)))
      await compare('values');
  };
  return {
    setHeaderRow: (headerRow) =>
      remap({ headerRow }, (table, pace) => mapColumns(session, table, get(), pace)),
    setForm: (form) => remap({}, (table, pace) => guessFrom(session, table, get(), pace, form)),
    guessAgain: () => remap({}, (table, pace) => guessFrom(session, table, get(), pace)),
    setRole: (column, role) => {
      set(({ mapping, reasons }) => ({
        mapping: {
          ...mapping,
          roles: mapping.roles.map((old, at) => (at === column ? role : old)),
        },
        reasons: reasons.map((old, at) => (at === column ? t('Chosen by you') : old)),
      }));
      return compare('values');
    },
  };
}

/** What a person chooses of values, of items and of what is there. */
function createValueChoices(
  { getState: get, setState: set }: WizardStore,
  { compare }: Stages,
): Pick<Wizard, 'setMeaning' | 'setRest' | 'setPolarity' | 'setAliases' | 'setChoice'> {
  const choose = (column: number, entries: readonly (readonly [string, Meaning])[]): void =>
    set(({ chosen }) => ({
      chosen: new Map([...chosen, [column, new Map([...(chosen.get(column) ?? []), ...entries])]]),
    }));
  return {
    setMeaning: (column, { word }, meaning) => {
      choose(column, [[wordKey(word), meaning]]);
      return compare('plan');
    },
    setRest: (meaning) => {
      for (const { column, value } of undecided(get()))
        if (value.half === undefined) choose(column, [[wordKey(value.word), meaning]]);
      return compare('plan');
    },
    setPolarity: (columns, polarity) => {
      set(({ polarities, chosen, columns: all }) => ({
        // The switch speaks for both halves: what was chosen for one of them before is over.
        chosen: withoutHalves(chosen, all, columns),
        polarities: new Map([
          ...polarities,
          ...columns.map((column) => [column, polarity] as const),
        ]),
      }));
      return compare('plan');
    },
    setAliases: (changes) => {
      set(({ aliases }) => {
        const changed = new Map(aliases);
        for (const [uid, item] of changes)
          if (item === null) changed.delete(uid);
          else changed.set(uid, item);
        return { aliases: changed };
      });
      return compare('plan');
    },
    setChoice: (choice) => {
      if (choice.keepsWords !== undefined) rememberKeepsOrigin(choice.keepsWords);
      set(choice);
      return compare('plan');
    },
  };
}

/**
 * An import, from the file to the matrix: what it is read as, what its columns and values map to,
 * and what would change. Nothing is changed before `import`.
 */
export function createWizard(session: MatrixSession, clock?: { now(): number }): Wizard {
  const store = createStore<WizardState>(() => ({ ...START, keepsWords: keepsOrigin() }));
  const { getState: get, setState: set } = store;
  const stages = createStages(session, store, clock);
  const { run, compare } = stages;
  return {
    session,
    store,
    ...createColumnChoices(session, store, stages),
    ...createValueChoices(store, stages),
    choose: async (files) => {
      const label =
        files.length === 1
          ? t('Reading {name}…', { name: files[0]!.name })
          : t('Reading {files, number} files…', { files: files.length });
      const isRead = await run(label, async (pace) => {
        try {
          const read = await readTable(session, await openFiles(files, pace), pace);
          return { ...START, keepsWords: keepsOrigin(), ...read };
        } catch (error) {
          if (error instanceof OtherProfile)
            set({ wanted: { profileUid: error.profileUid, files } });
          throw error;
        }
      });
      if (isRead) await compare('first');
    },
    refuse: (problem) => set({ problem }),
    readAs: async (change) => {
      const { opened } = get();
      if (opened === null) return;
      const again = withChange(opened, change);
      const isRead = await run(t('Reading {name}…', { name: opened.file.name }), (pace) =>
        readTable(session, again, pace),
      );
      if (isRead) await compare('first');
    },
    import: async () => {
      const state = get();
      if (state.busy !== null || state.plan === null || obstacles(state).length > 0) return;
      await run(t('Importing…'), (pace) => importFile(session, get(), clock, pace));
    },
    again: () => {
      stages.stop();
      set({ ...START, keepsWords: keepsOrigin() });
    },
    stop: stages.stop,
  };
}
