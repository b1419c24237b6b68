import type { CellState } from '../../../../shared/domain/outcome.ts';
import type {
  CellAddress,
  CellPatch,
  Edit,
  MatrixSession,
  Settling,
} from '../../../data/store/port.ts';
import type { EditorStore, GridPort } from './editor-state.ts';

/** What recording needs of the editor. */
export interface Surroundings {
  session: MatrixSession;
  store: EditorStore;
  announce(text: string): void;
  goTo(cell: CellAddress): void;
  reveal(cell: CellAddress): void;
  watchFocus: GridPort['watchFocus'];
}

export interface Recording {
  /** Answers whether anything changed. */
  record(state: CellState): Promise<boolean>;
  clear(everything: boolean): Promise<void>;
  /**
   * How many cells changed; undefined where nothing was recorded. A failure is shown and never
   * thrown.
   */
  write(
    label: string,
    cells: readonly CellAddress[],
    patch: CellPatch | ((cell: CellAddress) => CellPatch),
    why?: string,
  ): Promise<number | undefined>;
  /**
   * One edit of rows, blocks and cells; undefined where nothing was recorded, which the person has
   * been shown.
   */
  apply(edit: Edit): Promise<{ items: number; cells: number } | undefined>;
  /**
   * Like `apply`, for one key or one stroke: says in sight that many recorded cells were replaced,
   * and asks first where they are very many.
   */
  replace(
    edit: Edit,
    words: (done: { cells: number; replaced: number }) => { text: string; isSeen: boolean },
  ): Promise<void>;
  /** Resolves conflicts in one undo step; answers whether any was resolved. Shown either way. */
  resolve(settlings: readonly Settling[], why: string, label: string): Promise<boolean>;
  retrace(way: 'undo' | 'redo'): Promise<void>;
}
