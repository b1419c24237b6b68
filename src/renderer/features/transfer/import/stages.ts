import type { MatrixSession } from '../../../data/store/port.ts';
import { dayOf, type Origin } from '../../../files/origin.ts';
import type { Pace } from '../../../files/pace.ts';
import { MANY_ORIGINS } from '../../../state/keep-origin.ts';
import { commitImport } from './commit.ts';
import { findDamage } from './damage.ts';
import { guessMapping } from './mapping.ts';
import { recallMapping, rememberMapping } from './memory.ts';
import type { ImportPlan } from './plan.ts';
import { planImport } from './plan-import.ts';
import { type ChosenFile, readOpened } from './read-file.ts';
import { headersOf, type ImportSource } from './source.ts';
import { headersNow, type WizardState } from './wizard-state.ts';
import { collectWords, isPlain, knownMeanings, wordKey } from './words.ts';

/** How the columns are used: as the last time for these headings, or as the headings say. */
export function mapColumns(
  session: MatrixSession,
  headers: readonly string[],
): Pick<WizardState, 'mapping' | 'remembered'> {
  const { profile } = session;
  const recalled = recallMapping(
    headers,
    profile.profileUid,
    (rule) => session.columnOf(rule) >= 0,
  );
  return {
    mapping: recalled ?? guessMapping(headers, profile.rules),
    remembered: recalled !== undefined,
  };
}

export async function readTable(
  session: MatrixSession,
  opened: ChosenFile,
  pace: Pace,
): Promise<Partial<WizardState>> {
  const read = await readOpened(opened, pace);
  return {
    opened,
    read,
    damage: await findDamage(read.table, pace),
    headerRow: 0,
    ...mapColumns(session, headersOf(read.table, 0)),
    step: 'reading',
  };
}

function sourceOf(state: WizardState): ImportSource {
  const { read, headerRow, mapping, opened } = state;
  if (read === null) throw new Error('no file was read');
  return {
    table: read.table,
    headerRow,
    headers: headersNow(state),
    mapping,
    isStrict: opened?.kind === 'text',
  };
}

/** Finds the values of the outcome columns; those mapped before keep what they map to. */
export async function findOutcomes(
  { profile }: MatrixSession,
  state: WizardState,
  pace: Pace,
): Promise<Partial<WizardState>> {
  const source = sourceOf(state);
  rememberMapping(source.headers, profile.profileUid, source.mapping);
  const words = await collectWords(source.table, source.headerRow + 1, source.mapping, pace);
  const { meanings: before, keepsWords } = state;
  const cells = words.reduce((sum, { count }) => sum + count, 0);
  const chosen = words.flatMap(({ word }) => {
    const meaning = before.get(wordKey(word));
    return meaning === undefined ? [] : [[wordKey(word), meaning] as const];
  });
  return {
    words,
    meanings: new Map([...knownMeanings(words), ...chosen]),
    keepsWords: keepsWords && cells <= MANY_ORIGINS,
    step: 'outcomes',
  };
}

type Clock = { now(): number } | undefined;

function originOf({ opened }: WizardState, clock: Clock): Origin {
  return {
    source: opened?.file.name ?? '',
    sheet: opened?.kind === 'workbook' ? (opened.book.sheets[opened.sheet]?.name ?? null) : null,
    date: dayOf(clock),
  };
}

function compare(
  session: MatrixSession,
  state: WizardState,
  clock: Clock,
  pace: Pace,
): Promise<ImportPlan> {
  const { words, meanings, keepsWords, emptyClears } = state;
  const plain = new Set(
    words
      .filter((word) => isPlain(word) && meanings.get(wordKey(word.word)) === word.reading?.state)
      .map(({ word }) => wordKey(word)),
  );
  const origin = originOf(state, clock);
  return planImport(
    sourceOf(state),
    { meanings, plain, keepsWords, emptyClears, origin },
    session,
    pace,
  );
}

export async function compareFile(
  session: MatrixSession,
  state: WizardState,
  clock: Clock,
  pace: Pace,
): Promise<Partial<WizardState>> {
  return { plan: await compare(session, state, clock, pace), step: 'check' };
}

export async function importFile(
  session: MatrixSession,
  state: WizardState,
  clock: Clock,
  pace: Pace,
): Promise<Partial<WizardState>> {
  const { plan, opened } = state;
  if (plan === null || opened === null) throw new Error('nothing was planned');
  // Somebody else's changes came in since: what was seen is not what would happen.
  if (plan.revision !== session.revision)
    return {
      plan: await compare(session, state, clock, pace),
      problem:
        'The matrix has changed since it was compared with the file. It has been compared again: look once more.',
    };
  const { words } = sourceOf(state).table;
  return {
    result: await commitImport(plan, words, opened.file.name, session, pace),
    step: 'done',
  };
}
