import { REPLACEMENT } from '../../../files/encoding.ts';
import type { Pace } from '../../../files/pace.ts';
import type { Table } from '../../../files/table.ts';
import type { Damage } from './wizard-state.ts';

const DAMAGE_SHOWN = 3;

/** Finds the cells in which a wrong encoding lost a letter. */
export async function findDamage({ words, rows, lines }: Table, pace: Pace): Promise<Damage> {
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
