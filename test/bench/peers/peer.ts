export const RULES = 50;
export const STATES = ['FALSE', 'TRUE', 'NA'] as const;
export type Row = Record<string, string>;

/** The same cells as the case of the benchmark has. */
export function makeRows(items: number): Row[] {
  return Array.from({ length: items }, (_, row) => {
    const cells: Row = { item: `item_${String(row).padStart(6, '0')}` };
    for (let rule = 0; rule < RULES; rule += 1) cells[ruleOf(rule)] = STATES[(row + rule) % 3]!;
    return cells;
  });
}
export const ruleOf = (rule: number): string => `rule_number_${rule + 1}`;

/**
 * Another grid holding the same cells in memory, driven by its own interface. Each act resolves
 * when the grid has taken it.
 */
export interface Peer {
  /** Text of a cell on screen, by display row and rule; null while it is not drawn. */
  shown(row: number, rule: number): string | null;
  scroller(): Element;
  focus(row: number, rule: number): Promise<void>;
  /** The same value in the first `rows` rows of every rule. */
  set(rows: number, value: string): Promise<void>;
  /** A block from the focused cell on; absent where the free edition has no such thing. */
  paste?(text: string): Promise<void>;
  sort(rule: number): Promise<void>;
  unsort(): Promise<void>;
  filter(rule: number, value: string): Promise<void>;
}
