import type { Change, Entry } from '../../../src/sync/change.ts';
import { columnPrefix, formatRegister } from '../../../src/sync/register.ts';
import { asProfile, asStream, asUser } from '../../support/ids.ts';

export const CASE = 'case_1';
export const MAX_ENTRIES = 4;
/** No store ever knows this version. */
export const UNKNOWN_SCHEMA = 9;

const cell = (rule: number, item: string): string =>
  columnPrefix('assertion', asProfile('test_profile'), '1.0', `rule_${rule}`) + item;
/** Five cells, four of them in two rows that are deleted and brought back. */
export const ROWS = new Map([
  [formatRegister({ kind: 'item', field: 'x', item: 'i0' }), [cell(0, 'i0'), cell(1, 'i0')]],
  [formatRegister({ kind: 'item', field: 'x', item: 'i1' }), [cell(0, 'i1'), cell(1, 'i1')]],
]);
export const CELLS = [...[...ROWS.values()].flat(), cell(0, 'i2')];
/** Which document the matrix is of: the second schema version brought this register. */
export const DOCUMENT = formatRegister({
  kind: 'document',
  profile: asProfile('test_profile'),
  version: '1.0',
});
/** A register of layers: of the fourth. */
export const POLICY = formatRegister({ kind: 'policy', field: 'requires_source' });
export const DIGESTS = ['a', 'b'].map((digit) => ({ digest: `sha256:${digit.repeat(64)}` }));
export const isCell = (reg: string): boolean => reg.startsWith('a/');

/** One register to be written; `schema` is the version that its meaning needs. */
export interface Planned {
  reg: string;
  op: 'set' | 'resolve';
  value: unknown;
  schema: number;
}
export interface Plan {
  entries: Planned[];
  schema: number;
}

/** A number taken apart, digit by digit of changing bases. */
export function dice(seed: number): (sides: number) => number {
  let left = seed;
  return (sides) => {
    const digit = left % sides;
    left = Math.floor(left / sides);
    return digit;
  };
}

export function envelope(fields: {
  hlc: string;
  wall: number;
  store: string;
  schema: number;
  nonce: number;
  why: string | null;
  entries: readonly Entry[];
}): Change {
  const { hlc, wall, store, schema, nonce, why } = fields;
  return {
    v: 1,
    case: asStream(CASE),
    hlc,
    wall: new Date(Math.max(0, wall)).toISOString(),
    by: { user: asUser('u'), kind: 'human', agent: null, key: null },
    at: { replica: store, app: '1', schema },
    txn: `t${nonce}`,
    why,
    nonce: nonce.toString(16).padStart(32, '0'),
    entries: [...fields.entries],
  };
}

export const OUTCOMES = ['TRUE', 'FALSE', 'NA'] as const;
