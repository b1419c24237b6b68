import { UNRECORDED } from '../../../../shared/domain/outcome.ts';
import {
  type CellAddress,
  type CellBlock,
  type CellDetail,
  type Edit,
  LEAVE,
  type MatrixSession,
} from '../../../data/store/port.ts';
import { cellName, itemName, ruleName } from '../model/names.ts';
import { blocksOf, rectsOf, type Selection, sizeOfAll } from '../model/selection.ts';
import { cellLabel, STATE_WORDS, stateKey } from '../model/states.ts';
import type { View } from '../model/view.ts';
import type { Recording, Surroundings } from './recording.ts';
import { t } from '../../../text/t.ts';

const hasDetail = ({ source_value, notes, provenance }: CellDetail): boolean =>
  source_value !== null || notes !== null || provenance !== null;

/** Sets or clears every selected cell. */
export function createSetting(
  { session, store, announce }: Surroundings,
  { apply, replace }: Pick<Recording, 'apply' | 'replace'>,
): Pick<Recording, 'record' | 'clear'> {
  const setSelected = async (
    parts: (selection: Selection, view: View) => Pick<Edit, 'blocks' | 'cells'>,
    outcome: string,
  ): Promise<boolean> => {
    const { selection, view } = store.getState();
    const size = sizeOfAll(rectsOf(selection, view));
    if (selection === null || size === 0) return false;
    const { focus } = selection;
    const label =
      size === 1
        ? t('Set {cell} to {outcome}', { cell: cellName(session, focus), outcome })
        : t('Set {size, plural, one {# cell} other {# cells}} to {outcome}', { size, outcome });
    const edit = { label, ...parts(selection, view) };
    let changed = 0;
    if (size > 1)
      await replace(edit, ({ cells }) => {
        changed = cells;
        return {
          text:
            cells > 0
              ? t('{size, plural, one {# cell} other {# cells}}: {outcome}', { size, outcome })
              : t('No change: {size, plural, one {# cell} other {# cells}} already {outcome}', {
                  size,
                  outcome,
                }),
          isSeen: false,
        };
      });
    else {
      const done = await apply(edit);
      if (done !== undefined) announce(nameOf(session, focus));
      changed = done?.cells ?? 0;
    }
    return changed > 0;
  };
  return {
    record: (state) =>
      setSelected(
        (selection, view) => ({ blocks: blocksOf(selection, view, state) }),
        STATE_WORDS[stateKey(state)].full,
      ),
    clear: async (everything) => {
      await (everything
        ? setSelected(
            (selection, view) => withoutDetails(session, blocksOf(selection, view, null)),
            t('unrecorded, without details'),
          )
        : setSelected(
            (selection, view) => ({ blocks: blocksOf(selection, view, null) }),
            STATE_WORDS.unrecorded.full,
          ));
    },
  };
}

/** As the session has it now: a contested cell stays contested when another value is recorded. */
function nameOf(session: MatrixSession, { item, rule }: CellAddress): string {
  const [row, column] = [session.rowOf(item), session.columnOf(rule)];
  return cellLabel(
    itemName(session, item),
    ruleName(session, rule),
    session.state(row, column),
    session.contested(row, column),
  );
}

/** Clears blocks with all details. Only cells with details are named one by one. */
function withoutDetails(
  session: MatrixSession,
  blocks: CellBlock[],
): Pick<Edit, 'blocks' | 'cells'> {
  const cells = blocks.flatMap(({ items, rules }) =>
    items.flatMap((item) => {
      const row = session.rowOf(item);
      return rules
        .filter((rule) => hasDetail(session.detail(row, session.columnOf(rule))))
        .map((rule) => ({
          item,
          rule,
          patch: { raw_outcome: null, source_value: null, notes: null, provenance: null },
        }));
    }),
  );
  const named = new Set(cells.map(({ item, rule }) => `${rule} ${item}`));
  const states = ({ items, rules }: CellBlock): Uint8Array =>
    Uint8Array.from(
      items.flatMap((item) =>
        rules.map((rule) => (named.has(`${rule} ${item}`) ? LEAVE : UNRECORDED)),
      ),
    );
  return {
    blocks:
      named.size === 0 ? blocks : blocks.map((block) => ({ ...block, states: states(block) })),
    cells,
  };
}
