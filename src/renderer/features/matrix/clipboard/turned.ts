import type { MatrixSession } from '../../../data/store/port.ts';
import type { PastedTable } from '../model/pasted-table.ts';
import { findKeys, type Keys, lacksCorner } from './keys.ts';

/** Rows as columns and columns as rows. */
function turn(table: PastedTable): PastedTable {
  const { rows, columns, fields } = table;
  const turned = new Uint32Array(rows * columns);
  const shift = lacksCorner(table) ? 1 : 0;
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      const from = row === 0 ? column - shift : column;
      turned[column * rows + row] = from < 0 ? 0 : fields[row * columns + from]!;
    }
  return { ...table, rows: columns, columns: rows, fields: turned, turned: true };
}

/** How well the names fit: both sides before one, then how many of them are known. */
function fit(keys: Keys | undefined): { sides: number; names: number } {
  const sides = [keys?.rules, keys?.items].filter((side) => side !== undefined);
  const names = sides.reduce((sum, side) => sum + side.filter((line) => line >= 0).length, 0);
  return { sides: sides.length, names };
}

/**
 * The block with items as rows. One that has rules in rows and items in columns is turned, as its
 * names say; placed as it is it would record outcomes of other items.
 */
export function asItemRows(
  table: PastedTable,
  session: Pick<MatrixSession, 'profile' | 'columnOf' | 'rowOf'>,
): PastedTable {
  const upright = fit(findKeys(table, session));
  if (upright.sides === 2) return table;
  const turned = turn(table);
  const { sides, names } = fit(findKeys(turned, session));
  return sides > upright.sides || (sides === upright.sides && names > upright.names)
    ? turned
    : table;
}
