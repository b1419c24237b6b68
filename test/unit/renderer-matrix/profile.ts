import type { ProfileDocument } from '../../../src/shared/domain/profile.ts';
import {
  createMemorySession,
  type MemoryCell,
  type MemorySession,
} from '../../support/memory-session.ts';
import { asProfile } from '../../support/ids.ts';

export function profileOf(rules: number): ProfileDocument {
  return {
    name: 'Test',
    profileUid: asProfile('test'),
    version: '1.0',
    visibility: 'private',
    domain: 'general',
    standard: 'SGA-QEM-1.0',
    standardVersion: '1.0',
    description: 'd',
    scope: 's',
    maintainer: 'm',
    rules: Array.from({ length: rules }, (_, index) => ({
      ruleOrder: index + 1,
      ruleUid: `r${index + 1}`,
      name: `Rule ${index + 1}`,
      description: 'd',
      evidenceMeaning: 'e',
      problemMeaning: 'p',
      notAvailableMeaning: 'n',
    })),
  };
}

/** Items i1, i2, ... by rules r1, r2, ... */
export function sessionOf(
  rows: number,
  rules: number,
  cells: readonly MemoryCell[] = [],
): MemorySession {
  return createMemorySession(
    profileOf(rules),
    Array.from({ length: rows }, (_, row) => ({
      item_uid: `i${row + 1}`,
      item_type: 'item',
      label: `Label ${row + 1}`,
      metadata: {},
    })),
    cells,
  );
}

export const cell = (row: number, column: number): { item: string; rule: string } => ({
  item: `i${row}`,
  rule: `r${column}`,
});
