import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalJson } from '../../../src/shared/lib/canonical-json.ts';
import type { CellState } from '../../../src/shared/domain/outcome.ts';
import type {
  CellAddress,
  CellDetail,
  MatrixSession,
} from '../../../src/renderer/data/store/port.ts';
import type { Entry } from '../../../src/sync/change.ts';
import { editOf } from '../../../src/renderer/features/matrix/clipboard/commit.ts';
import {
  FIRST_CHOICES,
  planned,
  planPaste,
} from '../../../src/renderer/features/matrix/clipboard/plan.ts';
import { readText } from '../../../src/renderer/features/matrix/clipboard/read-text.ts';
import { createEditor } from '../../../src/renderer/features/matrix/editor/create-editor.ts';
import type { Editor } from '../../../src/renderer/features/matrix/editor/editor.ts';
import {
  fillBlock,
  fillFrom,
  fillSelection,
} from '../../../src/renderer/features/matrix/editor/fill.ts';
import { selectedCells } from '../../../src/renderer/features/matrix/model/selected-cells.ts';
import { planSource } from '../../../src/renderer/features/matrix/panel/apply-source.ts';
import { restorePatch } from '../../../src/renderer/features/matrix/model/history-text.ts';
import { rectsOf } from '../../../src/renderer/features/matrix/model/selection.ts';
import { at, Computer, rest } from '../renderer-data/support/windows.ts';
import { importInto } from '../renderer-transfer/support.ts';
import { lengthOf } from '../../support/length.ts';

/*
 * Y14: an outcome's source and provenance were stated by the author of that very outcome, or come
 * with it through an import or a restore. The oracle remembers with which outcome each source was
 * ever stated; every source that is ever shown or sent is unlike all others.
 */
const ITEMS = ['a', 'b', 'c'];
const RULES = 3;
const place = fc.record({ item: fc.constantFrom(...ITEMS), rule: fc.nat(RULES - 1) });
const block = fc.record({ from: place, to: place });
const state = fc.constantFrom<CellState>('FALSE', 'TRUE', 'NA', null);
const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('press' as const), block, state }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('panel' as const),
      cell: place,
      what: fc.constantFrom('source_value' as const, 'provenance' as const, 'notes' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('stated' as const), cell: place, state }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('fill' as const),
      block,
      way: fc.constantFrom(
        'down' as const,
        'right' as const,
        'handle' as const,
        'selection' as const,
      ),
      details: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('paste' as const, 'import' as const),
      block,
      words: fc.array(fc.constantFrom('TRUE', 'FALSE', 'NA', 'yes', ''), {
        minLength: 4,
        maxLength: 4,
      }),
      keeps: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const), block }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('source' as const), block, unrecorded: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('other' as const),
      cell: place,
      state,
      contest: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('settle' as const), pick: fc.nat(3) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('restore' as const), cell: place, pick: fc.nat(4) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('undo' as const, 'redo' as const, 'reload' as const, 'sync' as const),
    }),
  },
);
type Act = typeof act extends fc.Arbitrary<infer One> ? One : never;

interface Shown extends CellDetail {
  raw_outcome: CellState;
}
type Picture = Map<string, Shown>;
const pictureOf = (session: MatrixSession): Picture =>
  new Map(
    session.items.flatMap(({ item_uid }, row) =>
      session.rules.map((rule, column) => {
        const { source_value, notes, provenance } = session.detail(row, column);
        return [
          `${item_uid} ${rule}`,
          { raw_outcome: session.state(row, column), source_value, notes, provenance },
        ] as const;
      }),
    ),
  );

/** What was stated, with which outcomes. */
class Oracle {
  readonly #stated = new Map<string, Set<CellState>>();
  #count = 0;
  fresh(): { source_value: string; provenance: { source: string } } {
    this.#count += 1;
    return { source_value: `source ${this.#count}`, provenance: { source: `file ${this.#count}` } };
  }
  state(proof: unknown, outcome: CellState): void {
    const key = canonicalJson(proof);
    this.#stated.set(key, (this.#stated.get(key) ?? new Set()).add(outcome));
  }
  judge(
    {
      raw_outcome,
      source_value = null,
      provenance = null,
    }: { raw_outcome: CellState; source_value?: string | null; provenance?: unknown },
    where: string,
  ): void {
    for (const proof of [source_value, provenance]) {
      if (proof !== null)
        expect(
          this.#stated.get(canonicalJson(proof))?.has(raw_outcome),
          `${where}: ${canonicalJson(proof)} was never stated with ${raw_outcome}`,
        ).toBe(true);
    }
  }
}

class Window {
  readonly oracle = new Oracle();
  readonly computer = new Computer(RULES, ITEMS);
  session!: MatrixSession;
  editor!: Editor;
  #close: () => void = () => undefined;

  async open(): Promise<void> {
    this.#close();
    await rest();
    const { session, layer } = await this.computer.open();
    this.session = session;
    this.editor = createEditor(session, () => undefined);
    const stop = this.editor.connect();
    this.#close = () => {
      stop();
      layer.close();
    };
  }
  close(): Promise<void> {
    this.#close();
    return rest();
  }
  select({
    from,
    to,
  }: {
    from: { item: string; rule: number };
    to: { item: string; rule: number };
  }): void {
    this.editor.select({
      anchor: at(from.item, from.rule),
      focus: at(to.item, to.rule),
      extra: [],
    });
  }
  shown({ item, rule }: CellAddress): Shown {
    return pictureOf(this.session).get(`${item} ${rule}`)!;
  }

  /** Does one act; answers the proof that it gave, by cell, where it gave any. */
  async perform(one: Act): Promise<void> {
    const { editor, session, oracle, computer } = this;
    switch (one.kind) {
      case 'press':
        this.select(one.block);
        await editor.record(one.state);
        return undefined;
      case 'clear':
        this.select(one.block);
        return editor.clear(true);
      case 'panel': {
        const cell = at(one.cell.item, one.cell.rule);
        const proof = { ...oracle.fresh(), notes: 'n' }[one.what];
        if (one.what !== 'notes') oracle.state(proof, this.shown(cell).raw_outcome);
        await editor.write('Panel', [cell], { [one.what]: proof });
        return undefined;
      }
      case 'stated': {
        const proof = oracle.fresh();
        oracle.state(proof.source_value, one.state);
        await editor.write('Stated', [at(one.cell.item, one.cell.rule)], {
          raw_outcome: one.state,
          source_value: proof.source_value,
        });
        return undefined;
      }
      case 'fill':
        return this.#fill(one);
      case 'paste':
        return this.#paste(one);
      case 'import': {
        const [a, b, c, d] = one.words;
        const { source } = oracle.fresh().provenance;
        this.#read(one.words, (at) => ({
          source,
          locator: `line ${2 + Math.floor(at / 2)}, column ${2 + (at % 2)}`,
          method: 'import',
          date: '2026-02-03',
        }));
        await importInto(`item_uid,rule_000,rule_001\na,${a},${b}\nb,${c},${d}\n`, session, {
          meanings: { yes: 'FALSE' },
          keepsWords: one.keeps,
          name: source,
        });
        return undefined;
      }
      case 'source': {
        this.select(one.block);
        const { view, selection } = editor.store.getState();
        const { cells } = planSource(
          session,
          selectedCells({ selection, view }),
          selection!.focus,
          ['source_value', 'provenance', 'notes'],
          one.unrecorded,
        );
        for (const { patch, ...cell } of cells) {
          for (const proof of [patch.source_value, patch.provenance])
            if (proof !== undefined) oracle.state(proof, this.shown(cell).raw_outcome);
        }
        await editor.apply({ label: 'Apply the source', cells });
        return undefined;
      }
      case 'other': {
        const { source_value, provenance } = oracle.fresh();
        oracle.state(source_value, one.state);
        oracle.state(provenance, one.state);
        const { profile } = computer.upstream;
        const register = {
          kind: 'assertion' as const,
          profile: profile.profileUid,
          version: profile.version,
          item: one.cell.item,
          rule: at('', one.cell.rule).rule,
        };
        computer.upstream.write([
          {
            register,
            value: { raw_outcome: one.state, source_value, provenance },
            ...(one.contest ? { parents: [] } : {}),
          },
        ]);
        return undefined;
      }
      case 'settle': {
        const [contest] = session.contests();
        if (contest === undefined) return undefined;
        const heads = session.headsOf(contest.reg);
        await editor.resolve(
          [
            {
              reg: contest.reg,
              heads: heads.map(({ entry }) => entry),
              value: heads[one.pick % heads.length]!.value,
            },
          ],
          'why',
          'Settle',
        );
        return undefined;
      }
      case 'restore': {
        const cell = at(one.cell.item, one.cell.rule);
        const { steps } = await session.history(cell);
        const patch =
          steps.length === 0 ? undefined : restorePatch(steps[one.pick % steps.length]!);
        if (patch !== undefined) await editor.write('Restore', [cell], patch, 'Restored');
        return undefined;
      }
      case 'undo':
        return editor.undo();
      case 'redo':
        return editor.redo();
      case 'reload':
        return this.open();
      case 'sync':
        return computer.pass(2_500);
    }
  }
  /** Words of a file or a clipboard that may become the source of an outcome. */
  #read(words: readonly string[], provenanceAt: (index: number) => unknown): void {
    for (const [index, word] of words.entries()) {
      if (word === '') continue;
      for (const proof of [word, provenanceAt(index)])
        this.oracle.state(proof, word === 'yes' ? 'FALSE' : (word as CellState));
    }
  }
  async #fill({
    block: { from, to },
    way,
    details,
  }: Extract<Act, { kind: 'fill' }>): Promise<void> {
    this.select({ from, to });
    if (way === 'selection') return fillSelection(this.editor);
    if (way !== 'handle') return fillBlock(this.editor, way, details);
    const { view, selection } = this.editor.store.getState();
    const [source] = rectsOf(selection, view);
    if (source!.bottom < ITEMS.length - 1)
      await fillFrom(this.editor, {
        source: source!,
        target: { ...source!, top: source!.bottom + 1, bottom: ITEMS.length - 1 },
      });
  }
  async #paste({
    block: { from, to },
    words,
    keeps,
  }: Extract<Act, { kind: 'paste' | 'import' }>): Promise<void> {
    this.select({ from, to });
    const table = readText(`${words[0]}\t${words[1]}\n${words[2]}\t${words[3]}`);
    if (table === undefined) return;
    const selected = selectedCells(this.editor.store.getState());
    const choices = { ...FIRST_CHOICES, words: new Map([['yes', 'FALSE' as const]]) };
    const plan = planned(planPaste(table, selected, this.session, choices));
    const { source } = this.oracle.fresh().provenance;
    this.#read(words, (at) => ({
      source,
      locator: `line ${1 + Math.floor(at / 2)}, column ${1 + (at % 2)}`,
      method: 'import',
    }));
    await this.editor.apply(
      editOf(
        plan,
        table,
        this.session,
        choices,
        keeps ? { source, sheet: null, date: undefined } : undefined,
      ),
    );
  }
}

/** Acts that say nothing of a source: of another outcome none is left, of the same outcome all. */
const SILENT = new Set<Act['kind']>(['press']);
/** Gestures that need no server; each may be taken back at once. */
const OWN = new Set<Act['kind']>([
  'press',
  'clear',
  'panel',
  'stated',
  'fill',
  'paste',
  'import',
  'source',
  'settle',
]);

function judgeSilent(before: Picture, after: Picture): void {
  for (const [cell, now] of after) {
    const was = before.get(cell)!;
    expect([cell, now], cell).toEqual([
      cell,
      now.raw_outcome === was.raw_outcome
        ? was
        : { ...was, raw_outcome: now.raw_outcome, source_value: null, provenance: null },
    ]);
  }
}

it('no way of recording leaves an outcome with a proof that was not given with it, and undo brings back the whole assertion', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { minLength: 1, maxLength: 25 }),
      fc.array(fc.boolean(), { minLength: 25, maxLength: 25 }),
      async (acts, retraced) => {
        const window = new Window();
        await window.open();
        for (const [index, one] of acts.entries()) {
          window.computer.time += 5;
          // So that nothing of others arrives between a gesture and its undo.
          const isAlone = OWN.has(one.kind);
          window.computer.upstream.fault = () => (isAlone ? 'offline' : null);
          if (isAlone) await rest();
          const before = pictureOf(window.session);
          const couldRedo = window.session.canRedo;
          await window.perform(one);
          const after = pictureOf(window.session);
          for (const [cell, shown] of after) window.oracle.judge(shown, `${one.kind}, ${cell}`);
          if (SILENT.has(one.kind)) judgeSilent(before, after);
          if (
            !isAlone ||
            retraced[index] !== true ||
            canonicalJson([...after]) === canonicalJson([...before])
          )
            continue;
          await window.session.undo();
          expect(pictureOf(window.session), `${one.kind}, undone`).toEqual(before);
          await window.session.redo();
          expect(
            [pictureOf(window.session), couldRedo && window.session.canRedo],
            `${one.kind}, redone`,
          ).toEqual([after, false]);
        }
        window.computer.upstream.fault = () => null;
        await window.computer.synced(window.session);
        const log = window.computer.upstream.log;
        const entries = new Map<string, Entry>(
          log.flatMap(({ id, change }) =>
            change.entries.map((entry, at) => [`${id}#${at}`, entry] as const),
          ),
        );
        for (const [name, { reg, value, restores }] of entries) {
          if (reg.startsWith('a/')) window.oracle.judge(value as Shown, name);
          if (restores !== undefined)
            expect(
              [entries.get(restores)?.reg, entries.get(restores)?.value],
              `${name} brings back ${restores}`,
            ).toEqual([reg, value]);
        }
        await window.close();
      },
    ),
    { numRuns: lengthOf(10, 500) },
  );
}, 3_200_000);
