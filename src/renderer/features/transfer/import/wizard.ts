import { createStore, type StoreApi } from 'zustand/vanilla';
import type { MatrixSession } from '../../../data/store/port.ts';
import type { Delimiter } from '../../../files/delimited.ts';
import { type Encoding, REPLACEMENT } from '../../../files/encoding.ts';
import { dayOf, type Origin } from '../../../files/origin.ts';
import { createPace, isCancelled, type Pace } from '../../../files/pace.ts';
import type { Table } from '../../../files/table.ts';
import { keepsOrigin, MANY_ORIGINS, rememberKeepsOrigin } from '../../../state/keep-origin.ts';
import { commitImport } from './commit.ts';
import { guessMapping, type Form, type Mapping, mappingProblems, type Role } from './mapping.ts';
import { recallMapping, rememberMapping } from './memory.ts';
import type { Plan } from './plan.ts';
import { planImport } from './plan-import.ts';
import { openFile, type Opened, type ReadFile, readOpened } from './read-file.ts';
import { headersOf, type Source } from './source.ts';
import {
  collectWords,
  type FoundWord,
  isPlain,
  knownMeanings,
  type Meaning,
  wordKey,
} from './words.ts';

export const STEPS = ['file', 'reading', 'columns', 'outcomes', 'check', 'done'] as const;
export type Step = (typeof STEPS)[number];

/** Fields with a character that a wrong encoding left behind, by their place in the file. */
export interface Damage {
  count: number;
  first: { line: number; column: number }[];
}

export interface WizardState {
  step: Step;
  busy: { label: string; done: number | undefined } | null;
  problem: string | null;
  opened: Opened | null;
  read: ReadFile | null;
  damage: Damage;
  /** Index of the heading row among the table's rows. */
  headerRow: number;
  mapping: Mapping;
  /** The columns are used as the last time. */
  remembered: boolean;
  words: readonly FoundWord[];
  meanings: ReadonlyMap<string, Meaning>;
  keepsWords: boolean;
  emptyClears: boolean;
  plan: Plan | null;
  result: { items: number; cells: number } | null;
}

export interface Wizard {
  readonly session: MatrixSession;
  readonly store: StoreApi<WizardState>;
  choose(file: File): Promise<void>;
  /** Tells why what was given is no file to read. */
  refuse(problem: string): void;
  /** Reads the file again in another way. */
  readAs(change: { encoding?: Encoding; delimiter?: Delimiter; sheet?: number }): Promise<void>;
  setHeaderRow(row: number): void;
  setForm(form: Form): void;
  setRole(column: number, role: Role): void;
  setMeaning(word: FoundWord, meaning: Meaning): void;
  /** Gives every word without a meaning this one. */
  setRest(meaning: Meaning): void;
  setChoice(choice: Partial<Pick<WizardState, 'keepsWords' | 'emptyClears'>>): void;
  next(): Promise<void>;
  back(): void;
  stop(): void;
}

const START: WizardState = {
  step: 'file',
  busy: null,
  problem: null,
  opened: null,
  read: null,
  damage: { count: 0, first: [] },
  headerRow: 0,
  mapping: { form: 'wide', roles: [] },
  remembered: false,
  words: [],
  meanings: new Map(),
  keepsWords: true,
  emptyClears: false,
  plan: null,
  result: null,
};
const DAMAGE_SHOWN = 3;

export const headersNow = ({ read, headerRow }: WizardState): string[] =>
  read === null ? [] : headersOf(read.table, headerRow);
export const undecided = ({ words, meanings }: WizardState): readonly FoundWord[] =>
  words.filter(({ word }) => !meanings.has(wordKey(word)));

/** Why the next step cannot be taken; empty where it can. */
export function obstacles(state: WizardState): string[] {
  const { step, read, headerRow, mapping, plan } = state;
  if (step === 'reading' && read !== null && read.table.rows.length <= headerRow + 1)
    return ['There is no row below the headings.'];
  if (step === 'columns') return mappingProblems(mapping, headersNow(state));
  if (step === 'outcomes' && undecided(state).length > 0)
    return [
      `${undecided(state).length === 1 ? 'One value is' : `${undecided(state).length} values are`} not mapped yet.`,
    ];
  if (step === 'check' && plan?.problem !== undefined) return [plan.problem];
  return [];
}

async function findDamage({ words, rows, lines }: Table, pace: Pace): Promise<Damage> {
  const damage: Damage = { count: 0, first: [] };
  const damaged = words.map(({ text }) => text.includes(REPLACEMENT));
  if (!damaged.includes(true)) return damage;
  for (const [row, fields] of rows.entries()) {
    for (const [column, word] of fields.entries()) {
      if (damaged[word] !== true) continue;
      damage.count += 1;
      if (damage.first.length < DAMAGE_SHOWN) damage.first.push({ line: lines[row]!, column });
    }
    if (row % 500 === 0) await pace(row / rows.length);
  }
  return damage;
}

/** The steps of an import and what was chosen in each. Nothing is changed before the last. */
export function createWizard(session: MatrixSession, clock?: { now(): number }): Wizard {
  const store = createStore<WizardState>(() => ({ ...START, keepsWords: keepsOrigin() }));
  const get = store.getState;
  const set = store.setState;
  const { profile } = session;
  let under: AbortController | undefined;

  /** Runs a long stage; a failure is told and the step stays. */
  const work = async (
    label: string,
    stage: (pace: Pace) => Promise<Partial<WizardState>>,
  ): Promise<void> => {
    under?.abort();
    const own = new AbortController();
    under = own;
    set({ busy: { label, done: undefined }, problem: null });
    try {
      const result = await stage(
        createPace(own.signal, (done) => {
          if (under === own) set({ busy: { label, done } });
        }),
      );
      if (under === own) set({ ...result, busy: null });
    } catch (error) {
      if (under === own)
        set({
          busy: null,
          problem: isCancelled(error)
            ? null
            : error instanceof Error
              ? error.message
              : String(error),
        });
    }
  };
  const mapColumns = (headers: readonly string[]): Pick<WizardState, 'mapping' | 'remembered'> => {
    const recalled = recallMapping(
      headers,
      profile.profileUid,
      (rule) => session.columnOf(rule) >= 0,
    );
    return {
      mapping: recalled ?? guessMapping(headers, profile.rules),
      remembered: recalled !== undefined,
    };
  };
  const readIn = async (opened: Opened, pace: Pace): Promise<Partial<WizardState>> => {
    const read = await readOpened(opened, pace);
    return {
      opened,
      read,
      damage: await findDamage(read.table, pace),
      headerRow: 0,
      ...mapColumns(headersOf(read.table, 0)),
      step: 'reading',
    };
  };
  const sourceNow = (): Source => {
    const { read, headerRow, mapping, opened } = get();
    if (read === null) throw new Error('no file was read');
    return {
      table: read.table,
      headerRow,
      headers: headersNow(get()),
      mapping,
      isStrict: opened?.kind === 'text',
    };
  };

  const compare = (pace: Pace): Promise<Plan> => {
    const { words, meanings, keepsWords, emptyClears, opened } = get();
    const origin: Origin = {
      source: opened?.file.name ?? '',
      sheet: opened?.kind === 'workbook' ? (opened.book.sheets[opened.sheet]?.name ?? null) : null,
      date: dayOf(clock),
    };
    const plain = new Set(
      words
        .filter((word) => isPlain(word) && meanings.get(wordKey(word.word)) === word.reading?.state)
        .map(({ word }) => wordKey(word)),
    );
    return planImport(
      sourceNow(),
      { meanings, plain, keepsWords, emptyClears, origin },
      session,
      pace,
    );
  };

  const forward: Record<Step, () => Promise<void> | void> = {
    file: () => set({ step: 'reading' }),
    reading: () => set({ step: 'columns' }),
    columns: () =>
      work('Looking at the outcomes…', async (pace) => {
        const source = sourceNow();
        rememberMapping(source.headers, profile.profileUid, source.mapping);
        const words = await collectWords(source.table, source.headerRow + 1, source.mapping, pace);
        const { meanings: before, keepsWords } = get();
        const cells = words.reduce((sum, { count }) => sum + count, 0);
        const known = knownMeanings(words);
        const kept = words.flatMap(({ word }) =>
          before.has(wordKey(word)) ? [[wordKey(word), before.get(wordKey(word))!] as const] : [],
        );
        return {
          words,
          meanings: new Map([...known, ...kept]),
          keepsWords: keepsWords && cells <= MANY_ORIGINS,
          step: 'outcomes',
        };
      }),
    outcomes: () =>
      work('Comparing with the matrix…', async (pace) => ({
        plan: await compare(pace),
        step: 'check',
      })),
    check: () =>
      work('Importing…', async (pace) => {
        const { plan, opened } = get();
        if (plan === null || opened === null) throw new Error('nothing was planned');
        // Somebody else's changes came in since: what was seen is no longer what would happen.
        if (plan.revision !== session.revision)
          return {
            plan: await compare(pace),
            problem:
              'The matrix has changed since it was compared with the file. It has been compared again: look once more.',
          };
        return {
          result: await commitImport(
            plan,
            sourceNow().table.words,
            opened.file.name,
            session,
            pace,
          ),
          step: 'done',
        };
      }),
    done: () => undefined,
  };

  return {
    session,
    store,
    choose: (file) =>
      work(`Reading ${file.name}…`, async (pace) => ({
        ...START,
        keepsWords: keepsOrigin(),
        ...(await readIn(await openFile(file, pace), pace)),
      })),
    refuse: (problem) => set({ problem }),
    readAs: async ({ encoding, delimiter, sheet }) => {
      const { opened } = get();
      if (opened === null) return;
      const again: Opened =
        opened.kind === 'text'
          ? {
              ...opened,
              encoding: encoding ?? opened.encoding,
              delimiter: delimiter ?? opened.delimiter,
            }
          : { ...opened, sheet: sheet ?? opened.sheet };
      await work(`Reading ${opened.file.name}…`, (pace) => readIn(again, pace));
    },
    setHeaderRow: (headerRow) => {
      const { read } = get();
      if (read !== null) set({ headerRow, ...mapColumns(headersOf(read.table, headerRow)) });
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
    next: async () => {
      if (get().busy === null && obstacles(get()).length === 0) await forward[get().step]();
    },
    back: () => {
      const { step, busy } = get();
      if (busy === null && step !== 'file' && step !== 'done')
        set({ step: STEPS[STEPS.indexOf(step) - 1] ?? 'file', problem: null });
    },
    stop: () => under?.abort(),
  };
}
