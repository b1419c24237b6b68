import { z } from 'zod';
import { LongText, text } from '../../../shared/contract/common.ts';
import { RawOutcome } from '../../../shared/domain/outcome.ts';
import { ItemUid, RuleUid } from '../../../shared/domain/uid.ts';
import { ItemInput, recordEvidence } from '../../../shared/contract/v1/evidence.ts';
import {
  listSuggestions,
  suggestOutcomes,
  SuggestionState,
} from '../../../shared/contract/v1/suggestions.ts';
import { fitPage, pageOf, readPlace, shortOrNull, ToolCursor } from '../answers.ts';
import { tool } from '../tool.ts';
import { matrixInput, matrixOf, matrixOutput } from './matrix.ts';

/** Few enough that an answer names each. */
const MOST_CELLS = 60;

const cell = { item_uid: ItemUid, rule_uid: RuleUid };
const if_revision = z
  .int()
  .min(0)
  .max(9_007_199_254_740_991)
  .optional()
  .describe('As next_open_items gave it: nothing is stored for a cell that has changed since.');
const Outcome = RawOutcome.describe(
  'TRUE: problem found. FALSE: evidence present. NA: not available. Exactly these strings.',
);
const source_value = LongText.optional().describe(
  'The value that the outcome rests on, as it stands in the source.',
);

const CellAnswer = z.strictObject({
  item_uid: z.string(),
  rule_uid: z.string(),
  status: z.enum(['written', 'suggested', 'unchanged', 'skipped']),
});
const counted = {
  ...matrixOutput,
  written: z.int(),
  unchanged: z.int(),
  skipped: z.int().describe('Cells that have changed since you read them: read them again.'),
  cells: z.array(CellAnswer),
  next: z.string(),
};

const tell = ({
  item_uid,
  rule_uid,
  status,
}: z.output<typeof CellAnswer>): z.output<typeof CellAnswer> => ({
  item_uid,
  rule_uid,
  status,
});

const countedOf = (
  receipt: z.output<typeof suggestOutcomes.response>,
  next: string,
): z.output<z.ZodObject<typeof counted>> => ({
  case_uid: receipt.case_uid,
  profile_uid: receipt.profile_uid,
  written: receipt.written,
  unchanged: receipt.unchanged,
  skipped: receipt.skipped,
  cells: receipt.suggestions.map(tell),
  next,
});

export const suggestionTools = [
  tool({
    name: 'suggest_outcomes',
    title: 'Suggest outcomes',
    description:
      'Suggests outcomes for cells, each with what it rests on. This is the way to hand in judgements: nothing of it counts until a person accepts it in the studio. It replaces what you suggested for the same cell before.',
    input: z.strictObject({
      ...matrixInput,
      suggestions: z
        .array(
          z.strictObject({
            ...cell,
            raw_outcome: Outcome,
            source_value,
            quote: LongText.optional().describe('The very words of the source.'),
            locator: text(1_000)
              .optional()
              .describe('Which source, in which version, and where in it.'),
            confidence: z.number().min(0).max(1).optional(),
            if_revision,
          }),
        )
        .min(1)
        .max(MOST_CELLS),
      model: z
        .strictObject({ name: text(200, 1), version: text(200, 1) })
        .optional()
        .describe('Which model judged.'),
      reason: text(2_000, 1).optional(),
    }),
    output: z.strictObject(counted),
    effect: 'adds',
    async run(studio, { suggestions, model, reason, ...input }) {
      const matrix = await matrixOf(studio, input);
      const receipt = await studio.call(suggestOutcomes, {
        params: { caseUid: input.case_uid },
        body: {
          ...matrix,
          suggestions: suggestions.map((entry) => ({ ...entry, ...(model && { model }) })),
          on_conflict: 'skip',
          ...(reason !== undefined && { reason }),
        },
      });
      return countedOf(
        receipt,
        'A person decides in the studio. list_suggestions tells what was decided, and why.',
      );
    },
  }),

  tool({
    name: 'withdraw_suggestions',
    title: 'Withdraw own suggestions',
    description: 'Takes back what you suggested for these cells, as long as nobody has decided.',
    input: z.strictObject({
      ...matrixInput,
      cells: z.array(z.strictObject(cell)).min(1).max(MOST_CELLS),
      reason: text(2_000, 1).optional(),
    }),
    output: z.strictObject(counted),
    effect: 'adds',
    async run(studio, { cells, reason, ...input }) {
      const matrix = await matrixOf(studio, input);
      const receipt = await studio.call(suggestOutcomes, {
        params: { caseUid: input.case_uid },
        body: {
          ...matrix,
          suggestions: cells.map((entry) => ({ ...entry, raw_outcome: null })),
          ...(reason !== undefined && { reason }),
        },
      });
      return countedOf(receipt, 'These cells are open again: next_open_items names them.');
    },
  }),

  tool({
    name: 'list_suggestions',
    title: 'What became of own suggestions',
    description:
      'Your suggestions in a case, and what people decided: accepted, refused with the reason, or still open. Learn from the reasons before you go on. A stale one was made from what is no longer there: judge that cell again.',
    input: z.strictObject({
      ...matrixInput,
      state: SuggestionState.optional().describe('Only these.'),
      cursor: ToolCursor.optional(),
    }),
    output: z.strictObject({
      suggestions: z.array(
        z.strictObject({
          item_uid: z.string(),
          rule_uid: z.string(),
          raw_outcome: RawOutcome.nullable(),
          state: SuggestionState,
          decided: z
            .strictObject({
              verdict: z.enum(['accepted', 'refused']),
              at: z.string(),
              quoted: z.strictObject({ by: z.string(), reason: z.string().nullable() }),
            })
            .nullable(),
          quoted: z.strictObject({ quote: z.string().nullable(), locator: z.string().nullable() }),
        }),
      ),
      next_cursor: z.string().nullable(),
    }),
    effect: 'reads',
    async run(studio, { state, cursor, ...input }) {
      const place = readPlace(cursor);
      const matrix = await matrixOf(studio, input);
      const { data, next_cursor: next } = await studio.call(listSuggestions, {
        params: { caseUid: input.case_uid },
        query: {
          ...matrix,
          limit: '100',
          ...(state !== undefined && { state }),
          ...(studio.keyId !== undefined && { source: studio.keyId }),
          ...pageOf(place),
        },
      });
      const { shown, next_cursor } = fitPage({ entries: data, next }, place, (entry) => ({
        item_uid: entry.item_uid,
        rule_uid: entry.rule_uid,
        raw_outcome: entry.raw_outcome,
        state: entry.state,
        decided: entry.decision && {
          verdict: entry.decision.verdict,
          at: entry.decision.at,
          quoted: {
            by: entry.decision.by,
            reason: shortOrNull(entry.decision.reason, 500),
          },
        },
        quoted: {
          quote: shortOrNull(entry.quote, 200),
          locator: shortOrNull(entry.locator, 200),
        },
      }));
      return { suggestions: shown, next_cursor };
    },
  }),

  tool({
    name: 'record_outcomes',
    title: 'Record outcomes',
    description:
      'Adds items, and records outcomes in the matrix at once, under this key’s name, without a person’s decision. Only where the person has asked for that; otherwise suggest_outcomes.',
    input: z.strictObject({
      ...matrixInput,
      items: z
        .array(
          z.strictObject({
            item_uid: ItemUid,
            label: ItemInput.shape.label,
            item_type: ItemInput.shape.item_type,
          }),
        )
        .max(MOST_CELLS)
        .optional()
        .describe('Items that the case shall have; those that it has keep what is left out.'),
      outcomes: z
        .array(
          z.strictObject({
            ...cell,
            raw_outcome: Outcome,
            source_value,
            notes: LongText.optional(),
            if_revision,
          }),
        )
        .max(MOST_CELLS)
        .describe('May be empty where only items are added.'),
      reason: text(2_000, 1).optional(),
    }),
    output: z.strictObject({
      ...counted,
      items_created: z.int(),
      suggested: z.int().describe('Outcomes that became suggestions, since the case is approved.'),
    }),
    effect: 'overwrites',
    needsWrite: true,
    async run(studio, { items, outcomes, reason, ...input }) {
      const matrix = await matrixOf(studio, input);
      const receipt = await studio.call(recordEvidence, {
        params: { caseUid: input.case_uid },
        body: {
          ...matrix,
          ...(items !== undefined && { items }),
          outcomes,
          on_conflict: 'skip',
          ...(reason !== undefined && { reason }),
        },
      });
      return {
        case_uid: receipt.case_uid,
        profile_uid: receipt.profile_uid,
        items_created: receipt.items_created,
        suggested: receipt.outcomes_suggested ?? 0,
        written: receipt.outcomes_written,
        unchanged: receipt.outcomes_unchanged,
        skipped: receipt.outcomes_skipped ?? 0,
        cells: (receipt.outcomes ?? []).map(tell),
        next:
          receipt.outcomes_suggested === undefined
            ? 'They stand in the matrix now. A person can take them back on the page "Connect an agent".'
            : 'The case is approved: what you recorded is suggested, and a person decides.',
      };
    },
  }),
];
