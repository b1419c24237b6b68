import type { CellState } from '../../../../shared/domain/outcome.ts';
import type { CellAddress, MatrixSession } from '../../../data/store/port.ts';
import type { Arrangement } from '../model/arrangement.ts';
import type { Filter } from '../model/filter.ts';
import type { Motion } from '../model/motion.ts';
import type { Preferences } from '../model/preferences.ts';
import type { Selection } from '../model/selection.ts';
import type { Sort } from '../model/sort.ts';
import type { EditorState, EditorStore, GridPort } from './editor-state.ts';
import type { Recording } from './recording.ts';
import type { ReleasedRounds } from './released-rounds.ts';

/** What the editor asks of the place that it stands in: files are read and written outside it. */
export type FileRequest =
  | { do: 'import'; files?: readonly File[] }
  | { do: 'history' }
  | { do: 'export'; shown: { items: readonly string[]; rules: readonly string[] } | undefined };

/** Parts of the panel that commands lead to. */
export type PanelField = 'source' | 'notes' | 'history';

export interface Editor {
  readonly session: MatrixSession;
  readonly store: EditorStore;
  /** Gives the day of what is read from the clipboard. */
  readonly clock: { now(): number } | undefined;
  /** Follows the session; returns how to stop. */
  connect(): () => void;
  attach(grid: GridPort): () => void;
  /** `reveal` scrolls to the focus, or to the cell given. */
  select(
    selection: Selection | null,
    how?: { reveal?: boolean | CellAddress; focus?: boolean },
  ): void;
  /** False where the motion leads out of the matrix. */
  move(motion: Motion, extend: boolean): boolean;
  moveToUnrecorded(backwards: boolean): void;
  moveToContested(backwards: boolean): void;
  selectAll(): void;
  collapse(): void;
  /**
   * Sets every selected cell, then advances if the user wants that. Answers whether any changed.
   */
  record(state: CellState): Promise<boolean>;
  /** Outcome to unrecorded; `everything` clears reported value, notes and provenance too. */
  clear(everything: boolean): Promise<void>;
  write: Recording['write'];
  apply: Recording['apply'];
  replace: Recording['replace'];
  resolve: Recording['resolve'];
  undo(): Promise<void>;
  redo(): Promise<void>;
  /**
   * Shows other items, in another order, or other columns. Rows stand still as long as only columns
   * change.
   */
  arrange(change: Partial<Arrangement>): void;
  setFilter(filter: Filter): void;
  setSort(sort: Sort): void;
  /** Filters and sorts again what has been worked on since. */
  applyAgain(): void;
  prefer(change: Partial<Preferences>): void;
  /** Narrow columns or wide ones; `byUser` remembers it. */
  setCompact(compact: boolean, byUser: boolean): void;
  openPanel(field?: PanelField): void;
  focusGrid(): void;
  watchFocus: GridPort['watchFocus'];
  /** Opens the menu of what has the focus in the grid; false where that has none. */
  openMenu(): boolean;
  goToPage(page: number): void;
  columnWidth(rule: string): number | undefined;
  /** Begins to type the field that has the focus; false where that is none. */
  editField(): boolean;
  nextArea(backwards: boolean): void;
  show(dialog: EditorState['dialog']): void;
  announce(text: string): void;
  dismissNotice(): void;
  run(): void;
  /** Leads to a part of the panel, for the focused cell. Set by the panel. */
  onOpenField: ((field: PanelField) => void) | undefined;
  /** The part that a panel leads to as it comes. */
  wantedField: PanelField | undefined;
  /** Moves the focus between filter, matrix and panel. Set by the component that holds them. */
  onNextArea: ((backwards: boolean) => void) | undefined;
  /** Reads or writes a file. Set by the component, where there is a place for it. */
  onFiles: ((request: FileRequest) => void) | undefined;
  /** Reads independent recordings. Set by the component, where there is a place for it. */
  rounds: ReleasedRounds | undefined;
}
