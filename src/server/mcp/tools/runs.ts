import { z } from 'zod';
import { text } from '../../../shared/contract/common.ts';
import { RunUid } from '../../../shared/domain/uid.ts';
import { INTERPRETATION_BOUNDARY } from '../../../shared/domain/result.ts';
import { verifyRun } from '../../../shared/domain/run.ts';
import { compareRuns } from '../../../shared/contract/v1/run-comparison.ts';
import { createRun, getRun, RunEntry } from '../../../shared/contract/v1/runs.ts';
import { nodeHasher } from '../../instance/hasher.ts';
import { fitPage, pageOf, readPlace, short, ToolCursor } from '../answers.ts';
import { tool } from '../tool.ts';
import { matrixInput, matrixOf, matrixOutput } from './matrix.ts';

/** The same operation with its short answer. */
const createRunShortly = { ...createRun, response: RunEntry };

const Score = z.strictObject({
  k: z.int().describe('Rules with evidence present.'),
  m: z.int().describe('Rules in all.'),
  theta_mean: z.number(),
});
const interpretation = z
  .string()
  .describe('What the figures say, and what they do not. Tell it with them.');
const READING = `${INTERPRETATION_BOUNDARY} 18 of 24 rules is no probability, and figures under different rules do not compare.`;

export const runTools = [
  tool({
    name: 'freeze_run',
    title: 'Freeze a run',
    description:
      'Freezes case, profile, matrix and result under one hash. It changes nothing of the matrix and cannot be undone; ask the person first.',
    input: z.strictObject({
      ...matrixInput,
      run_uid: RunUid.optional().describe(
        'A name for the run: with it a repeated call freezes nothing twice.',
      ),
      reason: text(2_000, 1).optional(),
    }),
    output: z.strictObject({
      ...matrixOutput,
      run_uid: z.string(),
      profile_version: z.string(),
      content_hash: z.string(),
      unrecorded: z.int().describe('Cells that were not recorded: they count as without evidence.'),
      mean_theta: z.number(),
      url: z.string().describe('Its page in the studio, for the person.'),
      interpretation,
    }),
    effect: 'adds',
    async run(studio, { run_uid, reason, ...input }) {
      const matrix = await matrixOf(studio, input);
      const run = await studio.call(createRunShortly, {
        body: {
          case_uid: input.case_uid,
          ...matrix,
          ...(run_uid !== undefined && { run_uid }),
          ...(reason !== undefined && { reason }),
        },
        headers: { prefer: 'return=minimal' },
      });
      return {
        case_uid: run.case_uid,
        profile_uid: run.profile_uid,
        run_uid: run.run_uid,
        profile_version: run.profile_version,
        content_hash: run.content_hash,
        unrecorded: run.result.rules.reduce((sum, rule) => sum + rule.unrecorded, 0),
        mean_theta: run.result.global.mean_theta,
        url: run.url,
        interpretation: READING,
      };
    },
  }),

  tool({
    name: 'read_result',
    title: 'Read the result of a run',
    description:
      'The result of a frozen run: its figures, and those of its items page by page. Evidence sufficiency under one profile, never truth.',
    input: z.strictObject({ run_uid: RunUid, cursor: ToolCursor.optional() }),
    output: z.strictObject({
      ...matrixOutput,
      run_uid: z.string(),
      profile_version: z.string(),
      content_hash: z.string(),
      created_at: z.string(),
      items_in_all: z.int(),
      mean_theta: z.number(),
      interpretation,
      items: z.array(
        z.strictObject({
          item_uid: z.string(),
          ...Score.shape,
          theta_lower: z.number(),
          theta_upper: z.number(),
          quoted: z.strictObject({ label: z.string() }),
        }),
      ),
      next_cursor: z.string().nullable(),
    }),
    effect: 'reads',
    async run(studio, { run_uid, cursor }) {
      const run = await studio.call(getRun, { params: { runUid: run_uid } });
      const labels = new Map(run.frozen.items.map(({ item_uid, label }) => [item_uid, label]));
      const { shown, next_cursor } = fitPage(
        { entries: run.result.items, next: null },
        readPlace(cursor),
        (item) => ({
          item_uid: item.item_uid,
          k: item.k,
          m: item.m,
          theta_mean: item.theta_mean,
          theta_lower: item.theta_lower,
          theta_upper: item.theta_upper,
          quoted: { label: short(labels.get(item.item_uid) ?? '', 200) },
        }),
      );
      return {
        case_uid: run.case_uid,
        profile_uid: run.profile_uid,
        run_uid: run.run_uid,
        profile_version: run.profile_version,
        content_hash: run.content_hash,
        created_at: run.created_at,
        items_in_all: run.result.items.length,
        mean_theta: run.result.global.mean_theta,
        interpretation: READING,
        items: shown,
        next_cursor,
      };
    },
  }),

  tool({
    name: 'compare_runs',
    title: 'Compare two runs',
    description:
      'What the second run has otherwise than the first: changed cells page by page, and whether their scores compare at all (unlike is empty).',
    input: z.strictObject({ run_uid: RunUid, other_uid: RunUid, cursor: ToolCursor.optional() }),
    output: z.strictObject({
      run_uid: z.string(),
      other_uid: z.string(),
      unlike: z.array(z.string()),
      counts: z.strictObject({
        items_in_both: z.int(),
        items_added: z.int(),
        items_removed: z.int(),
        cells: z.int(),
        scores: z.int(),
      }),
      cells: z.array(
        z.strictObject({
          item_uid: z.string(),
          rule_uid: z.string(),
          from: z.string().nullable(),
          to: z.string().nullable(),
        }),
      ),
      next_cursor: z.string().nullable(),
    }),
    effect: 'reads',
    async run(studio, { run_uid, other_uid, cursor }) {
      const place = readPlace(cursor);
      const compared = await studio.call(compareRuns, {
        params: { runUid: run_uid, otherUid: other_uid },
        query: { limit: '200', ...pageOf(place) },
      });
      const { shown, next_cursor } = fitPage(
        { entries: compared.cells, next: compared.next_cursor },
        place,
        ({ item_uid, rule_uid, from, to }) => ({ item_uid, rule_uid, from, to }),
      );
      return {
        run_uid,
        other_uid,
        unlike: compared.unlike,
        counts: compared.counts,
        cells: shown,
        next_cursor,
      };
    },
  }),

  tool({
    name: 'verify_run',
    title: 'Verify a run',
    description:
      'Reads a frozen run and checks that its content still hashes to its name, and that its result follows from its matrix.',
    input: z.strictObject({ run_uid: RunUid }),
    output: z.strictObject({
      run_uid: z.string(),
      content_hash: z.string(),
      hash_matches: z.boolean(),
      result_follows: z.boolean(),
      differences: z.array(z.string()),
    }),
    effect: 'reads',
    async run(studio, { run_uid }) {
      const run = await studio.call(getRun, { params: { runUid: run_uid } });
      const { content_hash, recomputed, problems } = verifyRun(run, nodeHasher);
      return {
        run_uid,
        content_hash: run.content_hash,
        hash_matches: content_hash.ok,
        result_follows: recomputed.ok,
        differences: [
          ...problems.map(({ path, message }) => short(`${path}: ${message}`, 200)),
          ...recomputed.differences.map(({ path }) => path),
        ].slice(0, 20),
      };
    },
  }),
];
