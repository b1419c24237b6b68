import type { StoreApi } from 'zustand/vanilla';
import type { CellState, RawOutcome } from '../../../../shared/domain/outcome.ts';
import type { Rating, RatedCell } from '../../../../shared/contract/v1/ratings.ts';
import type { CellAgreement } from '../../../../shared/domain/round.ts';
import { formatRegister } from '../../../../sync/register.ts';
import type { Alternative, CellPatch, MatrixSession } from '../../../data/store/port.ts';
import type { RatedCells } from '../../../data/api/library.ts';
import type { ReleasedRound } from '../editor/released-rounds.ts';
import type { ReviewFocus } from './review-state.ts';

/** A rated cell that is in the matrix, by its register. */
export interface CellToDecide extends Omit<RatedCell, 'ratings'> {
  reg: string;
  /** In an order that does not depend on who was named first. */
  ratings: readonly Rating[];
}

/**
 * What is to hold: what a recorder said, what the record says, or an outcome that nobody stated.
 */
export type Choice =
  | { of: 'rating' | 'record'; entry: string }
  | { of: 'own'; outcome: RawOutcome };

/** What taking over of what all agree on would do. */
export interface TakeOver {
  cells: readonly { reg: string; item: string; rule: string; patch: CellPatch }[];
  to: Record<RawOutcome, number>;
  /** Cells whose record says the same already. */
  same: number;
  /** Cells whose record says something else, or has conflicts: they are left alone. */
  otherwise: readonly (CellToDecide & { recorded: CellState })[];
  /** Cells of items that were removed. */
  gone: number;
}

export interface AdjudicationState {
  open: boolean;
  loading: boolean;
  /** Why the recordings could not be read. */
  failure: unknown;
  rounds: readonly ReleasedRound[];
  round: string | null;
  recorders: RatedCells['recorders'];
  agreement: Exclude<CellAgreement, 'agreed'>;
  list: readonly CellToDecide[];
  /** Listed cells that the record has from this round, each with the reason given. */
  decided: ReadonlyMap<string, string | null>;
  /** Cells of removed items, which are not listed. */
  gone: number;
  at: string | null;
  /** The record's values of that cell, as they are shown. */
  heads: readonly Alternative[];
  choice: Choice | null;
  /** The record says something else since the choice was made. */
  overtaken: boolean;
  why: string;
  lastWhy: string;
  /** Whether it is shown who recorded what. */
  authors: boolean;
  takeOver: TakeOver | null;
  busy: boolean;
}

export const CLOSED: AdjudicationState = {
  open: false,
  loading: false,
  failure: undefined,
  rounds: [],
  round: null,
  recorders: [],
  agreement: 'differing',
  list: [],
  decided: new Map(),
  gone: 0,
  at: null,
  heads: [],
  choice: null,
  overtaken: false,
  why: '',
  lastWhy: '',
  authors: false,
  takeOver: null,
  busy: false,
};

/** Cells on which independent recorders differ, decided one at a time. */
export interface Adjudication {
  readonly store: StoreApi<AdjudicationState>;
  /** Reads the released rounds, and of this or the last one the cells to decide. */
  open(round?: string): Promise<void>;
  close(): void;
  look(round: string, agreement: AdjudicationState['agreement']): Promise<void>;
  go(reg: string): void;
  step(backwards: boolean): void;
  /** What the column with this number says, from 1. */
  choose(number: number): void;
  /** This outcome, as the first recorder states it who does; else with no source. */
  take(outcome: RawOutcome): void;
  setWhy(why: string): void;
  showAuthors(authors: boolean): void;
  resolve(): Promise<void>;
  /** Makes the preview of taking over, or leaves it. */
  preview(wanted: boolean): Promise<void>;
  takeOverAll(): Promise<void>;
  showInMatrix(): void;
  /** Set by the dialog while it is on screen. */
  dialog: ReviewFocus | undefined;
}

const byRecorder = (a: Rating, b: Rating): number => (a.recorder < b.recorder ? -1 : 1);

/** The cells that are in the matrix, in its order, and how many are not. */
export function listed(
  session: MatrixSession,
  cells: readonly RatedCell[],
): { list: CellToDecide[]; gone: number } {
  const { profileUid: profile, version } = session.profile;
  const placed = cells.flatMap((cell) => {
    const { item_uid: item, rule_uid: rule } = cell;
    const [row, column] = [session.rowOf(item), session.columnOf(rule)];
    if (row < 0 || column < 0) return [];
    const reg = formatRegister({ kind: 'assertion', profile, version, rule, item });
    return [{ row, column, cell: { ...cell, reg, ratings: cell.ratings.toSorted(byRecorder) } }];
  });
  placed.sort((a, b) => a.row - b.row || a.column - b.column);
  return { list: placed.map(({ cell }) => cell), gone: cells.length - placed.length };
}

export const cellAt = ({ list, at }: Pick<AdjudicationState, 'list' | 'at'>) =>
  list.find(({ reg }) => reg === at);

/** The columns that are compared: the recorders, then the record where something is recorded. */
export const columnsOf = (
  cell: CellToDecide,
  heads: readonly Alternative[],
): readonly (Choice & { of: 'rating' | 'record' })[] => [
  ...cell.ratings.map(({ entry }) => ({ of: 'rating' as const, entry })),
  ...heads.flatMap(({ entry, raw_outcome }) =>
    raw_outcome === null ? [] : [{ of: 'record' as const, entry }],
  ),
];

type Stated = Pick<CellPatch, 'raw_outcome' | 'source_value' | 'provenance'>;

/** What a choice writes. */
export function statedBy(
  choice: Choice,
  cell: CellToDecide,
  heads: readonly Alternative[],
): Stated | undefined {
  if (choice.of === 'own')
    return { raw_outcome: choice.outcome, source_value: null, provenance: null };
  const found = [...cell.ratings, ...heads].find(({ entry }) => entry === choice.entry);
  if (found === undefined) return undefined;
  const { raw_outcome, source_value, provenance } = found;
  return { raw_outcome, source_value, provenance };
}

/** What a cell cites: all that the recorders said of it. */
export const citedBy = ({ ratings }: CellToDecide): string[] => ratings.map(({ entry }) => entry);

const shared = <T>(of: readonly (T | null)[]): T | null => {
  const [first = null] = of;
  return of.every((one) => JSON.stringify(one) === JSON.stringify(first)) ? first : null;
};

/**
 * What taking over would do. Only where nothing is recorded is anything written, with the source
 * and provenance that all state alike.
 */
export function planTakeOver(session: MatrixSession, cells: readonly RatedCell[]): TakeOver {
  const { list, gone } = listed(session, cells);
  const plan: TakeOver['cells'][number][] = [];
  const otherwise: TakeOver['otherwise'][number][] = [];
  const to = { TRUE: 0, FALSE: 0, NA: 0 };
  let same = 0;
  for (const cell of list) {
    const { reg, item_uid: item, rule_uid: rule, ratings } = cell;
    const outcome = ratings[0]?.raw_outcome;
    const [row, column] = [session.rowOf(item), session.columnOf(rule)];
    const recorded = session.state(row, column);
    const isContested = session.contested(row, column);
    if (outcome === undefined) continue;
    if (recorded === outcome && !isContested) same += 1;
    else if (recorded !== null || isContested) otherwise.push({ ...cell, recorded });
    else {
      to[outcome] += 1;
      plan.push({
        reg,
        item,
        rule,
        patch: {
          raw_outcome: outcome,
          source_value: shared(ratings.map(({ source_value }) => source_value)),
          provenance: shared(ratings.map(({ provenance }) => provenance)),
          from: citedBy(cell),
        },
      });
    }
  }
  return { cells: plan, to, same, otherwise, gone };
}
