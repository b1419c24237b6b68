import { describe, expect, it, vi } from 'vitest';
import { createEditor } from '../../../src/renderer/features/matrix/editor/create-editor.ts';
import { previousAssertion } from '../../../src/renderer/features/matrix/model/history-text.ts';
import { selectedCells } from '../../../src/renderer/features/matrix/model/selected-cells.ts';
import { planSource } from '../../../src/renderer/features/matrix/panel/apply-source.ts';
import { replacedBy } from '../../../src/renderer/features/matrix/editor/reason.ts';
import { LEAVE } from '../../../src/renderer/data/store/port.ts';
import { cell, sessionOf } from './profile.ts';

function open() {
  const session = sessionOf(3, 2, [
    {
      ...cell(1, 1),
      raw_outcome: 'TRUE',
      source_value: '0/1',
      provenance: { source: 'A', page: 2 },
    },
    { ...cell(2, 1), raw_outcome: 'NA', provenance: { page: 2, source: 'A' }, notes: 'own' },
    { ...cell(2, 2), raw_outcome: 'FALSE', source_value: '1/1' },
  ]);
  const editor = createEditor(session, vi.fn());
  editor.connect();
  return { session, editor };
}

describe('what was recorded before', () => {
  it('is the assertion of the last other outcome, with its source and whose it was', async () => {
    const { session } = open();
    await session.write('x', [cell(1, 1)], { provenance: 'second reading' });
    await session.write('x', [cell(1, 1)], { raw_outcome: 'FALSE' });
    await session.write('x', [cell(1, 1)], { source_value: '0/2' });
    const { steps } = await session.history(cell(1, 1));
    expect(previousAssertion(steps)).toMatchObject({
      raw_outcome: 'TRUE',
      source_value: '0/1',
      provenance: 'second reading',
      step: { by: expect.any(String) },
    });
    expect(previousAssertion((await session.history(cell(2, 1))).steps)).toBeUndefined();
    expect(previousAssertion((await session.history(cell(3, 1))).steps)).toBeUndefined();
  });
});

describe('a reason', () => {
  it('counts recorded outcomes that an edit replaces, and nothing else', () => {
    const { session } = open();
    expect(
      replacedBy(session, {
        blocks: [{ items: ['i1', 'i2', 'i3'], rules: ['r1', 'r2'], states: 'NA' }],
      }),
    ).toBe(2);
    expect(
      replacedBy(session, {
        blocks: [
          { items: ['i1', 'i2'], rules: ['r1', 'r2'], states: Uint8Array.of(3, 0, LEAVE, 0) },
        ],
      }),
    ).toBe(1);
    expect(
      replacedBy(session, {
        cells: [
          { ...cell(1, 1), patch: { notes: 'x' } },
          { ...cell(2, 1), patch: { raw_outcome: null } },
          { ...cell(3, 1), patch: { raw_outcome: 'TRUE' } },
          { item: 'new', rule: 'r1', patch: { raw_outcome: 'TRUE' } },
        ],
      }),
    ).toBe(1);
  });

  it('is asked for once a gesture where wanted, kept in the history, and nothing changes without one', async () => {
    const { session, editor } = open();
    editor.select({ anchor: cell(1, 1), focus: cell(3, 2), extra: [] });
    const asked = (): { changes: number; answer: (reason: string | null) => void } | null =>
      editor.store.getState().reason;
    editor.prefer({ askReason: true });
    const refused = editor.record('FALSE');
    expect(asked()?.changes).toBe(2);
    asked()?.answer(null);
    await refused;
    expect(session.totals()).toEqual([1, 1, 1, 3]);
    expect(editor.store.getState().notice?.text).toBe('Not saved: no reason was given.');
    editor.store.setState({ reason: null });
    const given = editor.record('FALSE');
    asked()?.answer('read again');
    await given;
    expect(session.totals()).toEqual([6, 0, 0, 0]);
    expect((await session.history(cell(1, 1))).steps[0]?.reason).toBe('read again');
    editor.store.setState({ reason: null });
    await editor.undo();
    expect(asked()).toBeNull();
    expect(session.totals()).toEqual([1, 1, 1, 3]);
    editor.select({ anchor: cell(3, 1), focus: cell(3, 1), extra: [] });
    await editor.record('TRUE');
    expect(asked()).toBeNull();
    editor.prefer({ askReason: false });
  });
});

describe('the source of one cell for the selected ones', () => {
  it('is counted part by part: new, overwritten, already there', async () => {
    const { session, editor } = open();
    editor.select({ anchor: cell(3, 2), focus: cell(1, 1), extra: [] });
    const { selection, view } = editor.store.getState();
    const selected = selectedCells({ selection, view });
    const plan = planSource(
      session,
      selected,
      cell(1, 1),
      ['source_value', 'provenance', 'notes'],
      false,
    );
    expect(plan.parts).toEqual([
      { part: 'source_value', fresh: 1, overwritten: 1, same: 0 },
      { part: 'provenance', fresh: 1, overwritten: 0, same: 1 },
    ]);
    expect(plan.unrecorded).toBe(3);
    expect(plan.cells.map(({ item, rule, patch }) => [item, rule, Object.keys(patch)])).toEqual([
      ['i2', 'r1', ['source_value']],
      ['i2', 'r2', ['source_value', 'provenance']],
    ]);
    expect(planSource(session, selected, cell(1, 1), ['source_value'], true).cells).toHaveLength(5);
    await editor.apply({ label: 'Apply', cells: plan.cells });
    expect(session.detail(1, 0)).toEqual({
      source_value: '0/1',
      provenance: { page: 2, source: 'A' },
      notes: 'own',
    });
    expect(session.state(1, 1)).toBe('FALSE');
    await editor.undo();
    expect(session.detail(1, 1)).toEqual({ source_value: '1/1', notes: null, provenance: null });
  });
});
