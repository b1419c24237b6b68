import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEditor } from '../../../src/renderer/features/matrix/editor/create-editor.ts';
import { reviewOf } from '../../../src/renderer/features/matrix/conflicts/review.ts';
import { hasOthers } from '../../../src/renderer/features/runs/run-plan.ts';
import { cell, sessionOf } from './profile.ts';

const ITEMS = 4;
const act = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('type' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('settle' as const, 'all' as const, 'close' as const, 'undo' as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('go' as const), to: fc.nat(ITEMS - 1) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('rule' as const),
      rule: fc.constantFrom('shown' as const, 'newest' as const, null),
    }),
  },
);

describe('a reason of the review', () => {
  it('is recorded for the conflict, or the rule, that it was typed for and for nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 25 }), async (acts) => {
        const session = sessionOf(
          ITEMS,
          1,
          Array.from({ length: ITEMS }, (_, row) => ({
            ...cell(row + 1, 1),
            raw_outcome: 'TRUE' as const,
            contested: true,
          })),
        );
        const editor = createEditor(session, () => undefined);
        const review = reviewOf(editor);
        review.open();
        let count = 0;
        /** What was looked at while each reason was typed. */
        const typed = new Map<string, string>();
        const subject = (): string => {
          const { at, bulk } = review.store.getState();
          return bulk === null ? String(at) : `rule ${bulk.rule}`;
        };
        for (const one of acts) {
          const { at, list, bulk, why } = review.store.getState();
          if (one.kind === 'type' && list.length > 0) {
            typed.set(`reason ${(count += 1)}`, subject());
            review.setWhy(`reason ${count}`);
          } else if (one.kind === 'go') {
            const to = list[one.to % Math.max(1, list.length)];
            if (to !== undefined) review.go(to.reg);
          } else if (one.kind === 'rule')
            review.plan(one.rule === null ? null : { rule: one.rule });
          else if (one.kind === 'settle' && bulk === null) {
            review.choose(1);
            await review.resolve();
            if (why !== '' && at !== null) expect(typed.get(why)).toBe(at);
          } else if (one.kind === 'all' && bulk !== null) {
            const about = subject();
            await review.resolveAll();
            if (why !== '') expect(typed.get(why)).toBe(about);
          } else if (one.kind === 'close') {
            review.close();
            review.open();
          } else if (one.kind === 'undo') await editor.undo();
          const now = review.store.getState();
          if (now.why !== '') expect([now.why, typed.get(now.why)]).toEqual([now.why, subject()]);
        }
        // What stands in the history of a cell was typed for it, or for a rule.
        for (const { item_uid } of session.items) {
          for (const { reason } of (await session.history({ item: item_uid, rule: 'r1' })).steps) {
            if (reason?.startsWith('reason ') === true)
              expect(
                typed.get(reason)?.startsWith('rule ') === true ||
                  typed.get(reason)?.endsWith(item_uid),
              ).toBe(true);
          }
        }
        review.close();
      }),
      { numRuns: 150 },
    );
  });

  it('of before is offered for the next conflict and taken only when asked for', async () => {
    const session = sessionOf(
      2,
      1,
      [1, 2].map((row) => ({ ...cell(row, 1), raw_outcome: 'TRUE' as const, contested: true })),
    );
    const review = reviewOf(createEditor(session, () => undefined));
    review.open();
    review.choose(2);
    review.setWhy('the scan is sharper');
    await review.resolve();
    expect(review.store.getState()).toMatchObject({ why: '', lastWhy: 'the scan is sharper' });
    review.choose(1);
    await review.resolve();
    expect(session.contestCount()).toBe(1);
  });
});

it('each of two gestures at once is asked for a reason of its own', async () => {
  const session = sessionOf(
    2,
    1,
    [1, 2].map((row) => ({ ...cell(row, 1), raw_outcome: 'TRUE' as const })),
  );
  const editor = createEditor(session, () => undefined);
  editor.prefer({ askReason: true });
  const gestures = [1, 2].map((row) =>
    editor.write('Set', [cell(row, 1)], { raw_outcome: 'FALSE' }),
  );
  const answered: number[] = [];
  for (const reason of ['first', 'second']) {
    await Promise.resolve();
    await new Promise((resolve) => setTimeout(resolve));
    const question = editor.store.getState().reason!;
    answered.push(question.id);
    editor.store.setState({ reason: null });
    question.answer(reason);
  }
  expect(await Promise.all(gestures)).toEqual([1, 1]);
  expect(new Set(answered).size).toBe(2);
  const reasons = await Promise.all(
    [1, 2].map(async (row) => (await session.history(cell(row, 1))).steps[0]?.reason),
  );
  expect(reasons).toEqual(['first', 'second']);
  editor.prefer({ askReason: false });
});

it('a run made in spite of conflicts asks again when others have come', () => {
  expect([
    hasOthers([cell(1, 1)], [cell(1, 1)]),
    hasOthers([cell(1, 1), cell(2, 1)], [cell(2, 1)]),
    hasOthers([cell(1, 1)], [cell(1, 1), cell(1, 2)]),
  ]).toEqual([false, false, true]);
});

it('every field for a reason is one that reasons.spec.ts walks, or of a dialog that is mounted for each decision', () => {
  const root = path.resolve(import.meta.dirname, '../../../src/renderer');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.tsx'),
  );
  const fields = files.filter((name) =>
    /label=\{t\('Reason'\)\}|>\s*\{t\('Reason'\)\}\s*<(?:input|\/label)|ui\/ReasonDialog\.tsx|\/WhyForm\.tsx/.test(
      readFileSync(path.join(root, name), 'utf8'),
    ),
  );
  expect(fields.map((name) => name.replaceAll('\\', '/')).sort()).toEqual([
    'app/DocumentInUse.tsx',
    'app/FieldConflicts.tsx',
    'app/housekeeping/ReasonFor.tsx',
    'app/housekeeping/RenameDialog.tsx',
    'features/matrix/panel/Contest.tsx',
    'features/matrix/panel/ReasonDialog.tsx',
    // unit/renderer-data/adjudication has the reason of each decision.
    'features/matrix/review/AdjudicationDialog.tsx',
    'features/matrix/review/ReviewDialog.tsx',
    'features/matrix/review/WhyForm.tsx',
    'features/profiles/Collisions.tsx',
    'features/rounds/ReleaseDialog.tsx',
    'features/runs/RunConflicts.tsx',
    'features/sign-off/MoveDialog.tsx',
    'features/suggestions/DecisionDialogs.tsx',
    // suggestions.spec.ts walks it.
    'features/suggestions/RuleDialog.tsx',
    'ui/ReasonDialog.tsx',
  ]);
});
