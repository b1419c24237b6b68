import { type CellState, codeOf, stateOf } from '../../../../shared/domain/outcome.ts';
import { type Edit, LEAVE, type MatrixSession } from '../../../data/store/port.ts';
import type { EditorState } from './editor-state.ts';
import { t } from '../../../text/t.ts';

/** Recorded outcomes that an edit would replace or clear. */
export function replacedBy(
  session: MatrixSession,
  { blocks = [], cells = [] }: Pick<Edit, 'blocks' | 'cells'>,
): number {
  let count = 0;
  const add = (row: number, column: number, next: CellState): void => {
    const now = row < 0 || column < 0 ? null : session.state(row, column);
    if (now !== null && now !== next) count += 1;
  };
  for (const { items, rules, states } of blocks) {
    const columns = rules.map((rule) => session.columnOf(rule));
    items.forEach((item, index) => {
      const row = session.rowOf(item);
      columns.forEach((column, place) => {
        const code =
          states instanceof Uint8Array
            ? (states[index * rules.length + place] ?? LEAVE)
            : codeOf(states);
        if (code !== LEAVE) add(row, column, stateOf(code));
      });
    });
  }
  for (const { item, rule, patch } of cells)
    if (patch.raw_outcome !== undefined)
      add(session.rowOf(item), session.columnOf(rule), patch.raw_outcome);
  return count;
}

/** Asks why so many recorded outcomes are changed; null where no reason is given. */
export type Ask = (changes: number) => Promise<string | null>;

/** Asks one question at a time: each change has a reason of its own. */
export function createReasonQueue(show: (question: EditorState['reason']) => void): Ask {
  const questions: (() => void)[] = [];
  let asked = 0;
  return (changes) =>
    new Promise((resolve) => {
      const answer = (reason: string | null): void => {
        resolve(reason);
        questions.shift();
        questions[0]?.();
      };
      questions.push(() => show({ id: (asked += 1), changes, answer }));
      if (questions.length === 1) questions[0]?.();
    });
}

/**
 * Wraps a session so that recorded outcomes are changed only with a reason. Undo
 * and redo need none.
 */
export function withReasons(
  session: MatrixSession,
  isAsked: () => boolean,
  ask: Ask,
): MatrixSession {
  const reasonFor = async (
    edit: Pick<Edit, 'blocks' | 'cells'>,
    why: string | undefined,
  ): Promise<string | undefined> => {
    // Whoever settles what recorders said has given the reason for it.
    if (edit.cells?.every(({ patch }) => patch.from !== undefined) === true) return why;
    const changes = replacedBy(session, edit);
    if (changes === 0) return why;
    const reason = await ask(changes);
    if (reason === null) throw new Error(t('no reason was given.'));
    return why === undefined ? reason : `${reason} (${why})`;
  };
  const write: MatrixSession['write'] = (label, cells, patch, why) => {
    if (!isAsked()) return session.write(label, cells, patch, why);
    const named = cells.map((cell) => ({
      ...cell,
      patch: typeof patch === 'function' ? patch(cell) : patch,
    }));
    return reasonFor({ cells: named }, why).then((reason) =>
      session.write(label, cells, patch, reason),
    );
  };
  const apply: MatrixSession['apply'] = (edit) => {
    if (!isAsked()) return session.apply(edit);
    return reasonFor(edit, edit.why).then((why) =>
      session.apply(why === undefined ? edit : { ...edit, why }),
    );
  };
  const asking: MatrixSession = Object.create(session, {
    write: { value: write },
    apply: { value: apply },
  });
  return asking;
}
