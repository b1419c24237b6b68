import { describe, expect, it, vi } from 'vitest';
import {
  commitFieldPaste,
  copyFields,
  planFieldPaste,
} from '../../../src/renderer/features/matrix/clipboard/fields.ts';
import { readText } from '../../../src/renderer/features/matrix/clipboard/read-text.ts';
import { createEditor } from '../../../src/renderer/features/matrix/editor/create-editor.ts';
import {
  applyFields,
  planFields,
  setField,
} from '../../../src/renderer/features/matrix/editor/fields.ts';
import { createFindIndex } from '../../../src/renderer/features/matrix/find/find-index.ts';
import {
  FIRST_CHOICES,
  planReplace,
  replaceEdit,
} from '../../../src/renderer/features/matrix/find/replace-plan.ts';
import {
  Arrangement,
  fitTo,
  PLAIN,
} from '../../../src/renderer/features/matrix/model/arrangement.ts';
import {
  changeField,
  hideField,
  isPlain,
  PLAIN_COLUMNS,
  shownFields,
  showField,
  stepField,
  widen,
} from '../../../src/renderer/features/matrix/model/column-plan.ts';
import {
  fieldCounts,
  fieldId,
  guessType,
  isOdd,
  readField,
} from '../../../src/renderer/features/matrix/model/fields.ts';
import {
  createPredicate,
  type FieldOp,
  NO_FILTER,
  withField,
} from '../../../src/renderer/features/matrix/model/filter.ts';
import { fieldRectOf, single } from '../../../src/renderer/features/matrix/model/selection.ts';
import { sortedRows } from '../../../src/renderer/features/matrix/model/sort.ts';
import { loadSuggested } from '../../../src/renderer/features/matrix/model/suggested-fields.ts';
import { asProfile } from '../../support/ids.ts';
import { createMemorySession } from '../../support/memory-session.ts';
import { cell, profileOf } from './profile.ts';

const ITEMS: Record<string, unknown>[] = [
  { gene: 'BRCA2', 'allele frequency': 0.5 },
  { gene: 'ABCA4', 'allele frequency': '0.01', seen: '2024-03-01' },
  { gene: 'CFTR', constructor: 'x' },
];
const COLUMNS = [
  { key: 'gene', type: 'text' },
  { key: 'allele frequency', type: 'number' },
  { key: 'seen', type: 'date' },
] as const;

function open() {
  const session = createMemorySession(
    profileOf(2),
    ITEMS.map((metadata, row) => ({
      item_uid: `i${row + 1}`,
      item_type: 'item',
      label: `Label ${row + 1}`,
      metadata,
    })),
  );
  const editor = createEditor(session, vi.fn());
  editor.connect();
  editor.arrange({ columns: COLUMNS.reduce(showField, PLAIN_COLUMNS) });
  const select = (row: number, key: string): void =>
    editor.select(single({ item: `i${row}`, rule: fieldId(key) }));
  return { session, editor, select, focus: () => editor.store.getState().selection?.focus };
}

describe('a value', () => {
  it.each([
    ['number', ' 0.5 ', 0.5],
    ['number', '1,5', 'problem'],
    ['number', '1234567890123456', 'problem'],
    ['date', '2024-02-30', 'problem'],
    ['date', '2024-02', '2024-02'],
    ['link', 'doi:10.1000/xyz', 'doi:10.1000/xyz'],
    ['link', 'javascript:alert(1)', 'problem'],
    ['text', ' x ', ' x '],
    ['number', '', undefined],
  ] as const)('as %s: %s', (type, text, value) => {
    const read = readField(type, text);
    expect('problem' in read ? 'problem' : read.value).toEqual(value);
  });

  it('that is none of its column is told, and types are guessed from what is there', () => {
    expect([isOdd('number', 'x'), isOdd('number', '0.1'), isOdd('text', 1)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(guessType([0.5, '0.01', undefined])).toBe('number');
    expect(guessType(['007'])).toBe('text');
    expect(guessType(['2024-03-01'])).toBe('date');
    expect(guessType(['https://example.org/1'])).toBe('link');
    expect(guessType([])).toBe('text');
    expect(fieldCounts(ITEMS.map((metadata) => ({ metadata })))[0]).toEqual(['gene', 3]);
  });
});

describe('the columns of fields', () => {
  it('belong to the arrangement, with order, type, width and frozen ones first', () => {
    let plan = widen(COLUMNS.reduce(showField, PLAIN_COLUMNS), fieldId('gene'), 200);
    plan = changeField(plan, 'seen', { frozen: true });
    expect(shownFields(plan).map(({ key }) => key)).toEqual(['seen', 'gene', 'allele frequency']);
    expect(stepField(plan, 'gene', -1)).toBeUndefined();
    plan = stepField(plan, 'gene', 1)!;
    expect(shownFields(plan).map(({ key }) => key)).toEqual(['seen', 'allele frequency', 'gene']);
    const kept = Arrangement.parse(JSON.parse(JSON.stringify({ ...PLAIN, columns: plan })));
    expect(fitTo(kept, ['r1']).columns).toEqual(plan);
    expect(COLUMNS.every(({ key }) => !isPlain(plan) && (plan = hideField(plan, key)))).toBe(true);
    expect(isPlain(plan)).toBe(true);
  });

  it('are none in views of earlier versions', () => {
    const { fields: _, ...columns } = PLAIN_COLUMNS;
    const { fields: _none, ...filter } = NO_FILTER;
    expect(Arrangement.parse({ ...PLAIN, columns, filter })).toEqual(PLAIN);
  });
});

describe('keys', () => {
  it('go from the rules into the fields and back, and round the end of a row', () => {
    const { editor, focus } = open();
    editor.select(single(cell(1, 1)));
    editor.move('left', false);
    expect(focus()).toEqual({ item: 'i1', rule: fieldId('seen') });
    editor.move('rowStart', false);
    expect(focus()).toEqual({ item: 'i1', rule: fieldId('gene') });
    editor.move('left', false);
    expect(focus()).toEqual({ item: 'i1', rule: fieldId('gene') });
    editor.move('rowEnd', false);
    expect(focus()).toEqual(cell(1, 2));
    editor.move('next', false);
    expect(focus()).toEqual({ item: 'i2', rule: fieldId('gene') });
  });

  it('never extend a block over fields and outcomes together, nor record in fields', async () => {
    const { session, editor, select } = open();
    select(1, 'gene');
    for (const motion of ['down', 'right', 'right', 'right', 'right'] as const)
      editor.move(motion, true);
    const { selection, view } = editor.store.getState();
    expect(fieldRectOf(selection, view)).toEqual({ top: 0, bottom: 1, left: 0, right: 2 });
    await editor.record('TRUE');
    await editor.clear(true);
    expect(session.totals()).toEqual([0, 0, 0, 6]);
  });

  it('stay on their field when rows are sorted or hidden', () => {
    const { editor, select, focus } = open();
    select(1, 'gene');
    editor.setSort({ by: 'field', key: 'gene', type: 'text', descending: false });
    expect(focus()).toEqual({ item: 'i1', rule: fieldId('gene') });
    editor.setFilter(withField(NO_FILTER, { key: 'gene', op: 'is', value: 'cftr' }));
    expect(focus()).toEqual({ item: 'i3', rule: fieldId('gene') });
    editor.arrange({ columns: PLAIN_COLUMNS });
    expect(focus()).toEqual(cell(3, 1));
  });
});

describe('sort, filter and find', () => {
  const { session } = open();
  const sorted = (key: string, type: 'text' | 'number' | 'date', descending = false): string[] =>
    [...sortedRows({ by: 'field', key, type, descending }, session)!].map(
      (row) => session.items[row]!.item_uid,
    );
  const passing = (key: string, op: FieldOp, value = ''): string[] => {
    const passes = createPredicate(withField(NO_FILTER, { key, op, value }), session);
    return session.items.filter((_, row) => passes(row)).map(({ item_uid }) => item_uid);
  };

  it('orders numbers by value and items without one last, whichever way', () => {
    expect(sorted('gene', 'text')).toEqual(['i2', 'i1', 'i3']);
    expect(sorted('allele frequency', 'number')).toEqual(['i2', 'i1', 'i3']);
    expect(sorted('allele frequency', 'number', true)).toEqual(['i1', 'i2', 'i3']);
    expect(sorted('constructor', 'text')).toEqual(['i3', 'i1', 'i2']);
  });

  it('compares by value, and knows own members alone', () => {
    expect(passing('gene', 'has', 'a4')).toEqual(['i2']);
    expect(passing('allele frequency', 'atMost', '0.10')).toEqual(['i2']);
    expect(passing('allele frequency', 'is', '0.50')).toEqual(['i1']);
    expect(passing('seen', 'atLeast', '2024-01')).toEqual(['i2']);
    expect(passing('constructor', 'filled')).toEqual(['i3']);
    expect(passing('seen', 'empty')).toEqual(['i1', 'i3']);
  });

  it('finds what stands in a field, by the search and by the find bar', () => {
    const passes = createPredicate({ ...NO_FILTER, text: 'cftr' }, session);
    expect(session.items.map((_, row) => passes(row))).toEqual([false, false, true]);
    const index = createFindIndex(session);
    const [hit] = index.find({ text: 'brca', matchCase: false });
    expect(hit).toEqual({ row: 0, column: -1, in: 'field', key: 'gene' });
    expect(index.textOf(hit!)).toBe('BRCA2');
    expect(index.find({ text: 'brca', matchCase: true })).toEqual([]);
  });
});

describe('writing', () => {
  it('keeps the other members, is validated by type, and is undone', async () => {
    const { session, editor } = open();
    const entry = { item: 'i1', key: 'allele frequency', type: 'number' } as const;
    expect(setField(editor, { ...entry, text: 'rare' })).toContain('Write a number');
    expect(editor.store.getState().notice?.tone).toBe('problem');
    await applyFields(editor, 'Set', planFields(session, [{ ...entry, text: '0.25' }]));
    expect(session.items[0]?.metadata).toEqual({ gene: 'BRCA2', 'allele frequency': 0.25 });
    await applyFields(editor, 'Set', planFields(session, [{ ...entry, text: '' }]));
    expect(session.items[0]?.metadata).toEqual({ gene: 'BRCA2' });
    await editor.undo();
    await editor.undo();
    expect(session.items[0]?.metadata).toEqual(ITEMS[0]);
    expect(planFields(session, [{ ...entry, item: 'i2', text: '0.01' }])).toEqual([]);
  });

  it('pastes a block as one step, and leaves out what is none of the type', async () => {
    const { session, editor } = open();
    const { view } = editor.store.getState();
    const rect = { top: 0, bottom: 0, left: 0, right: 0 };
    const table = readText("TP53\t0.1\t2024-01-02\nKRAS\tnone\t\n'=x\t0.3\t2023\nlost\t1\t2022");
    const paste = planFieldPaste(table, rect, view, session);
    expect(paste.outside).toBe(3);
    expect(paste.changes.filter(({ problem }) => problem !== undefined)).toHaveLength(1);
    await commitFieldPaste(editor, paste.changes);
    const pasted: Record<string, unknown>[] = [
      { gene: 'TP53', 'allele frequency': 0.1, seen: '2024-01-02' },
      { gene: 'KRAS', 'allele frequency': '0.01' },
      { gene: '=x', 'allele frequency': 0.3, seen: '2023', constructor: 'x' },
    ];
    expect(session.items.map(({ metadata }) => metadata)).toEqual(pasted);
    await editor.undo();
    expect(session.items.map(({ metadata }) => metadata)).toEqual(ITEMS);
  });

  it('goes by names where a table has them, and a copy comes back unchanged', () => {
    const { session, editor } = open();
    const { view } = editor.store.getState();
    const whole = { top: 0, bottom: 2, left: 0, right: 2 };
    const { text } = copyFields(whole, view, session, true);
    expect(planFieldPaste(readText(text), whole, view, session)).toEqual({
      changes: [],
      outside: 0,
    });
    const named = readText('seen\titem_uid\n2020-01-01\ti3\n2020-01-02\tnobody');
    const paste = planFieldPaste(named, { ...whole, bottom: 0, right: 0 }, view, session);
    expect(paste.outside).toBe(1);
    expect(paste.changes).toMatchObject([{ item: 'i3', key: 'seen', text: '2020-01-01' }]);
  });

  it('is found and replaced with every change listed', async () => {
    const { session, editor } = open();
    const { view } = editor.store.getState();
    const wanted = {
      ...FIRST_CHOICES,
      in: 'field',
      key: 'gene',
      text: 'A',
      replacement: 'a',
    } as const;
    const changes = planReplace({ ...wanted, matchCase: true }, view, { rects: [], view }, session);
    expect(changes.map(({ after }) => after)).toEqual(['BRCa2', 'aBCa4']);
    await session.apply({ label: 'Replace', ...replaceEdit(wanted, changes, view, session) });
    expect(session.items[1]?.metadata['gene']).toBe('aBCa4');
    await session.undo();
    expect(session.items.map(({ metadata }) => metadata)).toEqual(ITEMS);
  });
});

describe('the fields that a profile suggests', () => {
  it('are those of a shipped one until a person says otherwise', () => {
    const uid = asProfile('trio_rare_disease');
    expect(loadSuggested(uid).map(({ key }) => key)).toContain('HGVS c.');
    expect(loadSuggested(asProfile('mine'))).toEqual([]);
  });
});
