import type { MatrixSession } from '../../../data/store/port.ts';
import { dayOf, type Origin, provenanceOf } from '../../../files/origin.ts';
import type { Pace } from '../../../files/pace.ts';
import type { Table } from '../../../files/table.ts';
import { FIXED_COLUMNS } from '../../../files/vcf.ts';
import { MANY_ORIGINS } from '../../../state/keep-origin.ts';
import { factsOf } from './column-facts.ts';
import { commitImport } from './commit.ts';
import { findDamage } from './damage.ts';
import { guessColumns, type KnownColumns } from './guess.ts';
import type { FileLayout } from './mapping.ts';
import { recallShape, rememberShape } from './memory.ts';
import type { ImportChoice, ImportPlan, Locate } from './plan.ts';
import { planImport } from './plan-import.ts';
import { type ChosenFile, readOpened } from './read-file.ts';
import { headersOf, type ImportSource } from './source.ts';
import { collectValues, mapValues } from './values.ts';
import { headersNow, obstacles, type WizardState } from './wizard-state.ts';
import { t } from '../../../text/t.ts';

export type Clock = { now(): number } | undefined;

/** Fields of a VCF file that were asked for are fields of the items, whatever they are called. */
function knownOf(opened: ChosenFile | null, headers: readonly string[]): KnownColumns {
  if (opened?.kind !== 'vcf') return new Map();
  const described = new Map(opened.header.infos.map(({ id, description }) => [id, description]));
  return new Map(
    headers.flatMap((heading, column) =>
      column < FIXED_COLUMNS || heading === ''
        ? []
        : [
            [
              column,
              {
                role: `metadata:${heading}` as const,
                reason: [t('A chosen field of the records'), described.get(heading) ?? '']
                  .filter((part) => part !== '')
                  .join(': '),
              },
            ] as const,
          ],
    ),
  );
}

/** How the columns are probably meant, from their headings and values. */
export async function guessFrom(
  session: MatrixSession,
  table: Table,
  { headerRow, opened }: Pick<WizardState, 'headerRow' | 'opened'>,
  pace: Pace,
  form?: FileLayout,
): Promise<Pick<WizardState, 'mapping' | 'reasons' | 'remembered' | 'chosen' | 'polarities'>> {
  const headers = headersOf(table, headerRow);
  const facts = await factsOf(table, headerRow, (uid) => session.rowOf(uid) >= 0, pace);
  const { rules } = session.profile;
  const guess = await guessColumns(headers, facts, rules, pace, form, knownOf(opened, headers));
  return {
    mapping: { form: guess.form, roles: guess.roles },
    reasons: guess.reasons,
    remembered: false,
    chosen: new Map(),
    polarities: new Map(),
  };
}

/** As the last time for these headings, else as they are probably meant. */
export async function mapColumns(
  session: MatrixSession,
  table: Table,
  at: Pick<WizardState, 'headerRow' | 'opened'>,
  pace: Pace,
): ReturnType<typeof guessFrom> {
  const headers = headersOf(table, at.headerRow);
  const recalled = recallShape(
    headers,
    session.profile.profileUid,
    (rule) => session.columnOf(rule) >= 0,
  );
  if (recalled === undefined) return guessFrom(session, table, at, pace);
  const { mapping, chosen, polarities } = recalled;
  const reasons = headers.map(() => t('Used as last time for these headings'));
  return { mapping, reasons, remembered: true, chosen, polarities };
}

export async function readTable(
  session: MatrixSession,
  opened: ChosenFile,
  pace: Pace,
): Promise<Partial<WizardState>> {
  const read = await readOpened(opened, session, pace);
  const headerRow = 0;
  return {
    ...{ opened, read, headerRow },
    damage: await findDamage(read.table, pace),
    ...(await mapColumns(session, read.table, { headerRow, opened }, pace)),
    ...{ columns: [], plan: null, aliases: new Map<string, string>() },
    step: 'review',
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
    isStrict: opened?.kind === 'text' || opened?.kind === 'several',
  };
}

/** Finds the values of the outcome columns. */
export async function findValues(
  state: WizardState,
  isFirst: boolean,
  pace: Pace,
): Promise<Partial<WizardState>> {
  const { table, headerRow, mapping } = sourceOf(state);
  const columns = await collectValues(table, headerRow + 1, mapping, pace);
  const cells = columns.reduce((sum, { filled }) => sum + filled, 0);
  return { columns, ...(isFirst && cells > MANY_ORIGINS && { keepsWords: false }) };
}

/** Where each row and column of the table was read. */
function locator({ opened, read }: WizardState, clock: Clock): Locate {
  const origin: Origin = {
    source: opened?.file.name ?? '',
    sheet: opened?.kind === 'workbook' ? (opened.book.sheets[opened.sheet]?.name ?? null) : null,
    date: dayOf(clock),
  };
  const { lines = [], places, files, unit } = read?.table ?? {};
  return (row, column) =>
    provenanceOf(
      files === undefined ? origin : { ...origin, source: files.names[files.of[row] ?? 0] ?? '' },
      lines[row] ?? 0,
      column,
      { unit, place: places?.[column] },
    );
}

const choiceOf = (state: WizardState, clock: Clock): ImportChoice => ({
  meanings: mapValues(state.columns, state.chosen, state.polarities),
  keepsWords: state.keepsWords,
  emptyClears: state.emptyClears,
  meet: state.meet,
  aliases: state.aliases,
  locate: locator(state, clock),
});

/** What the import would do; nothing where it cannot be said yet. */
export async function compareFile(
  session: MatrixSession,
  state: WizardState,
  clock: Clock,
  pace: Pace,
): Promise<ImportPlan | null> {
  // Columns that are not chosen rightly leave nothing to compare; values that are not mapped do.
  const unmapped: WizardState = { ...state, columns: [], plan: null };
  if (obstacles(unmapped).length > 0) return null;
  return planImport(sourceOf(state), choiceOf(state, clock), session, pace);
}

export async function importFile(
  session: MatrixSession,
  state: WizardState,
  clock: Clock,
  pace: Pace,
): Promise<Partial<WizardState>> {
  const { plan, opened, mapping, chosen, polarities } = state;
  if (plan === null || opened === null) throw new Error('nothing was planned');
  // Somebody else's changes came in since: what was seen is not what would happen.
  if (plan.revision !== session.revision)
    return {
      plan: await compareFile(session, state, clock, pace),
      problem: t(
        'The matrix has changed since it was compared with the file. It has been compared again: look once more.',
      ),
    };
  const { table, headers } = sourceOf(state);
  rememberShape(headers, session.profile.profileUid, { mapping, chosen, polarities });
  const result = await commitImport(plan, table.words, opened.file.name, session, pace);
  if (result.left === 0) return { result, step: 'done' };
  return {
    plan: await compareFile(session, state, clock, pace),
    problem: t(
      'The matrix has changed meanwhile. {cells, number} cells are imported, the rest is compared again: look once more, and import it.',
      { cells: result.cells },
    ),
  };
}
