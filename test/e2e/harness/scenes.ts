import type { ProfileDocument } from '../../../src/shared/domain/profile.ts';
import { type CellState, stateOf } from '../../../src/shared/domain/outcome.ts';
import crispr from '../../../src/server/content/profiles/crispr_edit_evidence.json' with { type: 'json' };
import trio from '../../../src/server/content/profiles/trio_rare_disease.json' with { type: 'json' };
import sample from '../../../src/server/content/sample.json' with { type: 'json' };
import {
  createMemorySession,
  type MemoryCell,
  type MemorySession,
} from '../../support/memory-session.ts';

function sampleScene(rows: number, now: () => number): MemorySession {
  const items = sample.items.slice(0, rows);
  const cells = items.flatMap((item) =>
    item.evidence.map((cell): MemoryCell => {
      const { rule_uid, raw_outcome, ...detail } = cell as {
        rule_uid: string;
        raw_outcome: CellState;
      } & Record<string, string>;
      return { item: item.item_uid, rule: rule_uid, raw_outcome, ...detail };
    }),
  );
  cells[4] = { ...cells[4]!, contested: true };
  return createMemorySession(crispr as ProfileDocument, items, cells, now);
}

/** Twelve fields at most: numbers, dates, links and texts by turns. */
function fieldsOf(row: number, count: number): Record<string, unknown> {
  const values = [
    row / 1_000,
    `2024-${String((row % 12) + 1).padStart(2, '0')}-01`,
    `https://example.org/variants/${row}`,
    `GENE${(row * 7) % 997}`,
  ];
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`field ${at + 1}`, values[at % values.length]]),
  );
}

function largeScene(rows: number, rules: number, fields: number, now: () => number): MemorySession {
  const profile: ProfileDocument = {
    ...(crispr as ProfileDocument),
    rules: Array.from({ length: rules }, (_, index) => ({
      ...(crispr as ProfileDocument).rules[index % crispr.rules.length]!,
      ruleOrder: index + 1,
      ruleUid: `rule_${String(index + 1).padStart(2, '0')}`,
    })),
  };
  const items = Array.from({ length: rows }, (_, row) => ({
    item_uid: `item_${String(row + 1).padStart(5, '0')}`,
    item_type: 'variant',
    label: `Candidate ${row + 1}`,
    metadata: fieldsOf(row, fields),
  }));
  const session = createMemorySession(profile, items, [], now);
  session.fill((row, column) => stateOf((row * 31 + column * 17 + ((row * column) % 7)) % 4));
  return session;
}

/**
 * Every cell was recorded by two people: outcomes differ in most, sources in every seventh, notes
 * alone in every eleventh; one in thirteen has three values.
 */
function contestedScene(rows: number, rules: number, now: () => number): MemorySession {
  const profile: ProfileDocument = {
    ...(crispr as ProfileDocument),
    rules: (crispr as ProfileDocument).rules.slice(0, rules),
  };
  const items = Array.from({ length: rows }, (_, row) => ({
    item_uid: `item_${String(row + 1).padStart(5, '0')}`,
    item_type: 'clone',
    label: `Clone ${row + 1}`,
    metadata: {},
  }));
  const outcomes = ['FALSE', 'TRUE', 'NA'] as const;
  const cells = items.flatMap(({ item_uid }, row) =>
    profile.rules.map(({ ruleUid }, column): MemoryCell => {
      const at = row * rules + column;
      const mine = {
        raw_outcome: outcomes[at % 3]!,
        source_value: `gel ${at}`,
        notes: at % 5 === 0 ? 'read twice' : null,
        provenance: 'bench book 4',
      };
      const other =
        at % 7 === 6
          ? { ...mine, source_value: `scan ${at}` }
          : at % 11 === 10
            ? { ...mine, notes: 'not read' }
            : {
                raw_outcome: outcomes[(at + 1) % 3]!,
                source_value: at % 4 === 0 ? null : `scan ${at}`,
                notes: 'from the scan',
                provenance: 'scanner 2',
              };
      const third = { raw_outcome: outcomes[(at + 2) % 3]!, by: 'Cem', reason: 'third look' };
      return {
        item: item_uid,
        rule: ruleUid,
        ...mine,
        contested: [
          { ...other, by: 'Ada', reason: 'scanned again' },
          ...(at % 13 === 12 ? [third] : []),
        ],
      };
    }),
  );
  return createMemorySession(profile, items, cells, now);
}

/** Rules and items called as what every object has. */
function inheritedScene(now: () => number): MemorySession {
  const { rules, ...rest } = crispr as ProfileDocument;
  const profile: ProfileDocument = {
    ...rest,
    rules: rules.slice(0, 3).map((rule, index) => ({
      ...rule,
      ruleOrder: index + 1,
      ruleUid: ['constructor', 'rule_two', 'rule_three'][index]!,
    })),
  };
  return createMemorySession(
    profile,
    ['constructor', '__proto__', 'hasOwnProperty'].map((item_uid) => ({
      item_uid,
      item_type: 'constructor',
      label: '',
      metadata: {},
    })),
    [],
    now,
  );
}

export function createScene(query: URLSearchParams, now: () => number): MemorySession {
  switch (query.get('scene')) {
    case 'empty':
      return createMemorySession(crispr as ProfileDocument, [], [], now);
    case 'trio':
      return createMemorySession(trio as ProfileDocument, [], [], now);
    case 'inherited':
      return inheritedScene(now);
    case 'contested':
      return contestedScene(Number(query.get('rows') ?? 200), Number(query.get('rules') ?? 5), now);
    case 'large':
      return largeScene(
        Number(query.get('rows') ?? 10_000),
        Number(query.get('rules') ?? 50),
        Number(query.get('fields') ?? 0),
        now,
      );
    default:
      return sampleScene(Number(query.get('rows') ?? sample.items.length), now);
  }
}
