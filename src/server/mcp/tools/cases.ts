import { z } from 'zod';
import { getCase, listCases } from '../../../shared/contract/v1/cases.ts';
import { listContested } from '../../../shared/contract/v1/contested.ts';
import { getEvidence } from '../../../shared/contract/v1/evidence.ts';
import { fitPage, pageOf, readPlace, short, ToolCursor, visibleJson } from '../answers.ts';
import { tool } from '../tool.ts';
import { matrixInput, matrixOf } from './matrix.ts';

const Progress = z.strictObject({
  items: z.int(),
  rules: z.int(),
  recorded: z.int(),
  open: z.int(),
  evidence_present: z.int(),
  problem_found: z.int(),
  not_available: z.int(),
});
const quotedCase = ({ title, description }: { title: string; description: string }) => ({
  title: short(title, 300),
  description: short(description, 500),
});

export const caseTools = [
  tool({
    name: 'find_cases',
    title: 'Find cases',
    description:
      'Cases by title or case_uid, with the profile in use and how many cells are recorded. All that this key may see if nothing is searched for.',
    input: z.strictObject({
      search: z.string().min(1).max(200).optional(),
      cursor: ToolCursor.optional(),
    }),
    output: z.strictObject({
      cases: z.array(
        z.strictObject({
          case_uid: z.string(),
          profile_uid: z.string().nullable(),
          profile_version: z.string().nullable(),
          cells: z.int().nullable(),
          recorded: z.int().nullable(),
          quoted: z.strictObject({ title: z.string(), description: z.string() }),
        }),
      ),
      next_cursor: z.string().nullable(),
    }),
    effect: 'reads',
    async run(studio, { search, cursor }) {
      const place = readPlace(cursor);
      const { data, next_cursor: next } = await studio.call(listCases, {
        query: {
          progress: 'true',
          sort: 'active',
          order: 'desc',
          limit: '50',
          ...(search !== undefined && { search }),
          ...pageOf(place),
        },
      });
      const { shown, next_cursor } = fitPage({ entries: data, next }, place, (entry) => ({
        case_uid: entry.case_uid,
        profile_uid: entry.profile_uid,
        profile_version: entry.profile_version,
        cells: entry.progress?.cells ?? null,
        recorded: entry.progress?.recorded ?? null,
        quoted: quotedCase(entry),
      }));
      return { cases: shown, next_cursor };
    },
  }),

  tool({
    name: 'read_case',
    title: 'Read a case and its progress',
    description:
      'One case: its profile, what is recorded and open under it, and whether every outcome needs a source (requires_source).',
    input: z.strictObject(matrixInput),
    output: z.strictObject({
      case_uid: z.string(),
      profile_uid: z.string(),
      profile_version: z.string(),
      requires_source: z.boolean(),
      archived: z.boolean(),
      progress: Progress,
      quoted: z.strictObject({ title: z.string(), description: z.string() }),
    }),
    effect: 'reads',
    async run(studio, input) {
      const params = { caseUid: input.case_uid };
      const found = await studio.call(getCase, { params });
      const query = await matrixOf(studio, input);
      const { profile_uid, profile_version, summary } = await studio.call(getEvidence, {
        params,
        query: { ...query, limit: '1' },
      });
      const { unrecorded, ...counts } = summary;
      return {
        case_uid: found.case_uid,
        profile_uid,
        profile_version,
        requires_source: found.requires_source === true,
        archived: found.archived === true,
        progress: { ...counts, open: unrecorded },
        quoted: quotedCase(found),
      };
    },
  }),

  tool({
    name: 'list_conflicts',
    title: 'List conflicts',
    description:
      'Cells and fields of which people recorded different values without seeing each other’s. Only a person settles them: tell them, and leave these cells alone.',
    input: z.strictObject({ ...matrixInput, cursor: ToolCursor.optional() }),
    output: z.strictObject({
      conflicts: z.array(
        z.strictObject({
          item_uid: z.string(),
          rule_uid: z.string().nullable(),
          field: z.string(),
          heads: z.array(
            z.strictObject({
              kind: z.string(),
              at: z.string(),
              quoted: z.strictObject({ by: z.string(), value: z.string() }),
            }),
          ),
        }),
      ),
      next_cursor: z.string().nullable(),
    }),
    effect: 'reads',
    async run(studio, { cursor, ...input }) {
      const place = readPlace(cursor);
      const query = await matrixOf(studio, input);
      const { data, next_cursor: next } = await studio.call(listContested, {
        params: { caseUid: input.case_uid },
        query: { ...query, limit: '50', ...pageOf(place) },
      });
      const { shown, next_cursor } = fitPage({ entries: data, next }, place, (entry) => ({
        item_uid: entry.item_uid,
        rule_uid: entry.rule_uid,
        field: entry.field,
        heads: entry.heads.slice(0, 5).map(({ kind, at, by, value }) => ({
          kind,
          at,
          quoted: { by: short(by, 100), value: short(visibleJson(value), 300) },
        })),
      }));
      return { conflicts: shown, next_cursor };
    },
  }),
];
