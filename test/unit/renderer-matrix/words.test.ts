import { describe, expect, it } from 'vitest';
import type { HistoryStep } from '../../../src/shared/contract/v1/evidence.ts';
import { parsePreferences } from '../../../src/renderer/features/matrix/model/preferences.ts';
import {
  factsOf,
  provenanceText,
  restorePatch,
} from '../../../src/renderer/features/matrix/model/history-text.ts';
import {
  isPlainSource,
  otherMembers,
  partOf,
  withParts,
} from '../../../src/renderer/features/matrix/panel/provenance.ts';
import { cellLabel } from '../../../src/renderer/features/matrix/model/states.ts';

describe('the name of a cell', () => {
  it('holds item, rule, value and meaning', () => {
    expect(cellLabel('item_001', 'parents_genotype_missing', 'FALSE', false)).toBe(
      'item_001, parents_genotype_missing: FALSE, evidence present',
    );
    expect(cellLabel('a', 'b', 'TRUE', true)).toBe('a, b: TRUE, problem found, conflict');
    expect(cellLabel('a', 'b', 'NA', false)).toBe('a, b: NA, not available');
    expect(cellLabel('a', 'b', null, false)).toBe('a, b: unrecorded');
  });
});

describe('history', () => {
  const step = (
    old: HistoryStep['old'],
    next: HistoryStep['new'],
    field: 'outcome' | 'notes' = 'outcome',
  ): HistoryStep => ({
    entry: 'e',
    at: '2026-01-01T00:00:00.000Z',
    received_at: '2026-01-01T00:00:00.000Z',
    clock_differs: false,
    sent_by: null,
    relayed: false,
    by: 'a',
    kind: 'human',
    key_id: null,
    reason: null,
    recorded_by: { kind: 'human', name: 'a' },
    restores: null,
    field,
    old,
    new: next,
    current: true,
  });

  it('tells part by part what changed', () => {
    expect(factsOf(step(null, { raw_outcome: 'TRUE', source_value: '3' }))).toEqual([
      { kind: 'outcome', from: null, to: 'TRUE' },
      { kind: 'text', what: 'Reported value', from: '', to: '3' },
    ]);
    expect(
      factsOf(
        step({ raw_outcome: 'NA' }, { raw_outcome: 'NA', provenance: { source: 's', n: 1 } }),
      ),
    ).toEqual([{ kind: 'text', what: 'Provenance', from: '', to: 'source: s; n: 1' }]);
    expect(factsOf(step('x', null, 'notes'))).toEqual([
      { kind: 'text', what: 'Notes', from: 'x', to: '' },
    ]);
    expect(factsOf(step('NA', 'FALSE'))).toEqual([{ kind: 'outcome', from: 'NA', to: 'FALSE' }]);
  });

  it('restores a whole assertion, so that nothing of a later one stays with it', () => {
    expect(restorePatch(step(null, { raw_outcome: 'TRUE', source_value: '3' }))).toEqual({
      raw_outcome: 'TRUE',
      source_value: '3',
      provenance: null,
    });
    expect(restorePatch(step('x', null, 'notes'))).toEqual({ notes: null });
    expect(restorePatch(step(null, { unknown: 1 }))).toBeUndefined();
  });
});

describe('provenance', () => {
  it('keeps members that have no field', () => {
    expect(withParts({ source: 's', doi: '10.1/x' }, { source: '', method: 'm' })).toEqual({
      doi: '10.1/x',
      method: 'm',
    });
    expect(otherMembers({ source: 's', doi: '10.1/x' })).toEqual([['doi', '10.1/x']]);
  });

  it('turns a text into its source, and nothing into nothing', () => {
    expect(withParts('Report 7', { date: '2026-01-01' })).toEqual({
      source: 'Report 7',
      date: '2026-01-01',
    });
    expect(withParts(null, { source: ' ' })).toBeNull();
    expect(partOf('Report 7', 'source')).toBe('Report 7');
    expect(isPlainSource({ source: 'a' })).toBe(true);
    expect(isPlainSource({ source: 'a', x: 1 })).toBe(false);
  });

  it('does not rewrite a structured part that was not edited', () => {
    expect(withParts({ source: { id: 1 } }, { source: '{"id":1}', method: 'm' })).toEqual({
      source: { id: 1 },
      method: 'm',
    });
  });

  it('is told as text', () => {
    expect(provenanceText({ a: 1, b: 'x' })).toBe('a: 1; b: x');
    expect(provenanceText(null)).toBe('');
  });
});

describe('preferences', () => {
  it('take what they know and forget the rest', () => {
    expect(
      parsePreferences({
        advance: 'down',
        compact: true,
        density: 'dense',
        headHeight: 9000,
        paged: true,
        askReason: true,
        panelOpen: false,
        panelWidth: 9000,
        more: 1,
      }),
    ).toEqual({
      advance: 'down',
      compact: true,
      density: 'dense',
      headHeight: 400,
      paged: true,
      askReason: true,
      panelOpen: false,
      panelWidth: 640,
    });
    for (const value of [
      undefined,
      null,
      '',
      [],
      { advance: 'up', density: 3, panelWidth: 'wide', compact: 1, headHeight: 'tall' },
    ])
      expect(parsePreferences(value)).toEqual({
        advance: 'off',
        compact: undefined,
        density: 'usual',
        headHeight: undefined,
        paged: false,
        askReason: false,
        panelOpen: true,
        panelWidth: 348,
      });
  });
});
