import type { ProfileDocument } from '../../../src/shared/domain/profile.ts';
import { type CellState, stateOf } from '../../../src/shared/domain/outcome.ts';
import crispr from '../../../src/server/content/profiles/crispr_edit_evidence.json' with { type: 'json' };
import sample from '../../../src/server/content/sample.json' with { type: 'json' };
import { createMemorySession, type MemoryCell, type MemorySession } from '../../support/memory-session.ts';

function sampleScene(rows: number, now: () => number): MemorySession {
  const items = sample.items.slice(0, rows);
  const cells = items.flatMap((item) => item.evidence.map((cell): MemoryCell => {
    const { rule_uid, raw_outcome, ...detail } = cell as { rule_uid: string; raw_outcome: CellState } & Record<string, string>;
    return { item: item.item_uid, rule: rule_uid, raw_outcome, ...detail };
  }));
  cells[4] = { ...cells[4]!, contested: true };
  return createMemorySession(crispr as ProfileDocument, items, cells, now);
}

function largeScene(rows: number, rules: number, now: () => number): MemorySession {
  const profile: ProfileDocument = {
    ...(crispr as ProfileDocument),
    rules: Array.from({ length: rules }, (_, index) => ({ ...(crispr as ProfileDocument).rules[index % crispr.rules.length]!, ruleOrder: index + 1, ruleUid: `rule_${String(index + 1).padStart(2, '0')}` })),
  };
  const items = Array.from({ length: rows }, (_, row) => ({ item_uid: `item_${String(row + 1).padStart(5, '0')}`, item_type: 'variant', label: `Candidate ${row + 1}`, metadata: {} }));
  const session = createMemorySession(profile, items, [], now);
  session.fill((row, column) => stateOf((row * 31 + column * 17 + ((row * column) % 7)) % 4));
  return session;
}

/** Rules and items called as what every object has. */
function inheritedScene(now: () => number): MemorySession {
  const { rules, ...rest } = crispr as ProfileDocument;
  const profile: ProfileDocument = { ...rest, rules: rules.slice(0, 3).map((rule, index) => ({ ...rule, ruleOrder: index + 1, ruleUid: ['constructor', 'rule_two', 'rule_three'][index]! })) };
  return createMemorySession(profile, ['constructor', '__proto__', 'hasOwnProperty'].map((item_uid) => ({ item_uid, item_type: 'constructor', label: '', metadata: {} })), [], now);
}

export function createScene(query: URLSearchParams, now: () => number): MemorySession {
  switch (query.get('scene')) {
    case 'empty':
      return createMemorySession(crispr as ProfileDocument, [], [], now);
    case 'inherited':
      return inheritedScene(now);
    case 'large':
      return largeScene(Number(query.get('rows') ?? 10_000), Number(query.get('rules') ?? 50), now);
    default:
      return sampleScene(Number(query.get('rows') ?? sample.items.length), now);
  }
}
