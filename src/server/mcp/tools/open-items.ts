import { z } from 'zod';
import { getItem, listCells } from '../../../shared/contract/v1/cells.ts';
import { getProfile } from '../../../shared/contract/v1/profiles.ts';
import { listSuggestions } from '../../../shared/contract/v1/suggestions.ts';
import {
  fit,
  type ToolPlace,
  readPlace,
  ROOM,
  short,
  ToolCursor,
  visibleJson,
  writePlace,
} from '../answers.ts';
import { ItemUid } from '../../../shared/domain/uid.ts';
import type { StudioCalls } from '../studio.ts';
import { tool } from '../tool.ts';
import { type MatrixName, matrixInput, matrixOf } from './matrix.ts';
import { RuleTexts, ruleTexts } from './profiles.ts';

/** Pages of own suggestions that are looked through at most: 5,000 suggestions. */
const MOST_PAGES = 25;
/** Pages of open cells that one call looks through for one that is still to be judged. */
const MOST_CELL_PAGES = 10;

const OpenItem = z.strictObject({
  item_uid: z.string(),
  item_type: z.string(),
  open: z.array(
    z.strictObject({
      rule_uid: z.string(),
      if_revision: z.int().describe('Give it back with the suggestion for this cell.'),
    }),
  ),
  quoted: z.strictObject({ label: z.string(), fields: z.string() }),
});

const cellName = (item: string, rule: string): string => JSON.stringify([item, rule]);

/** Cells for which this key has an open suggestion: they wait for a person, not for the agent. */
async function ownOpen(
  studio: StudioCalls,
  caseUid: string,
  matrix: MatrixName & { item_uid?: string },
): Promise<Set<string>> {
  const names = new Set<string>();
  if (studio.keyId === undefined) return names;
  let cursor: string | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answer: z.output<typeof listSuggestions.response> = await studio.call(listSuggestions, {
      params: { caseUid },
      query: {
        ...matrix,
        state: 'open',
        source: studio.keyId,
        limit: '200',
        ...(cursor !== null && { cursor }),
      },
    });
    for (const { item_uid, rule_uid } of answer.data) names.add(cellName(item_uid, rule_uid));
    cursor = answer.next_cursor;
    if (cursor === null) break;
  }
  return names;
}

interface OpenCells {
  item_uid: string;
  open: z.output<typeof OpenItem>['open'];
}

/** Open cells by item, in the order of the matrix. */
function byItem(
  cells: readonly { item_uid: string; rule_uid: string; revision: number }[],
  skipped: ReadonlySet<string>,
): OpenCells[] {
  const items = new Map<string, OpenCells>();
  for (const { item_uid, rule_uid, revision } of cells) {
    if (skipped.has(cellName(item_uid, rule_uid))) continue;
    const item = items.get(item_uid) ?? { item_uid, open: [] };
    item.open.push({ rule_uid, if_revision: revision });
    items.set(item_uid, item);
  }
  return [...items.values()];
}

/** The first page of cells, from a place on, with one that is still to be judged. */
async function openPage(
  studio: StudioCalls,
  caseUid: string,
  matrix: MatrixName & { item_uid?: string },
  place: ToolPlace,
) {
  const skipped = await ownOpen(studio, caseUid, matrix);
  let page = place.page;
  for (let looked = 1; ; looked += 1) {
    const answer = await studio.call(listCells, {
      params: { caseUid },
      query: {
        ...matrix,
        outcome: 'unrecorded',
        limit: '200',
        ...(page !== undefined && { cursor: page }),
      },
    });
    const items = byItem(answer.data, skipped);
    const isLast = answer.next_cursor === null || looked === MOST_CELL_PAGES;
    if (items.length > 0 || isLast)
      return {
        items,
        next: answer.next_cursor,
        place: page === place.page ? place : { ...pageOnly(page), skip: 0 },
      };
    page = answer.next_cursor!;
  }
}
const pageOnly = (page: string | undefined) => (page === undefined ? {} : { page });

export const nextOpenItems = tool({
  name: 'next_open_items',
  title: 'Next open items to judge',
  description:
    'Items with cells that are not recorded, with the meanings of their rules and the fields of each item. Cells for which you have suggested already, and nobody has decided, are left out. Judge every open rule of an item on its own: FALSE where the evidence is there, TRUE where a problem was found, NA where it is not available; leave open what you cannot tell.',
  input: z.strictObject({
    ...matrixInput,
    item_uid: ItemUid.optional().describe('Only this item.'),
    limit: z.int().min(1).max(10).optional().describe('Most items; 3 if left out.'),
    cursor: ToolCursor.optional(),
  }),
  output: z.strictObject({
    case_uid: z.string(),
    profile_uid: z.string(),
    profile_version: z.string(),
    rules: z.array(RuleTexts).describe('The rules that are open in these items.'),
    items: z.array(OpenItem),
    next_cursor: z.string().nullable(),
  }),
  effect: 'reads',
  async run(studio, { limit = 3, cursor, item_uid, ...input }) {
    const caseUid = input.case_uid;
    const matrix = await matrixOf(studio, input);
    const document = await studio.call(getProfile, {
      params: { profileUid: matrix.profile_uid },
      query:
        matrix.profile_version === undefined ? {} : { profile_version: matrix.profile_version },
    });
    const { items, next, place } = await openPage(
      studio,
      caseUid,
      { ...matrix, ...(item_uid !== undefined && { item_uid }) },
      readPlace(cursor),
    );
    const some = items.slice(place.skip, place.skip + limit);
    const read = await Promise.all(
      some.map(async ({ item_uid, open }) => {
        const { item } = await studio.call(getItem, {
          params: { caseUid, itemUid: item_uid },
          query: matrix,
        });
        return {
          item_uid,
          item_type: item.item_type,
          open,
          quoted: {
            label: short(item.label, 500),
            fields: short(visibleJson(item.metadata), 1_500),
          },
        };
      }),
    );
    const isOpen = new Set(some.flatMap(({ open }) => open.map(({ rule_uid }) => rule_uid)));
    const most = Math.max(60, Math.floor(1_100 / Math.max(1, isOpen.size)));
    const rules = document.rules
      .filter(({ ruleUid }) => isOpen.has(ruleUid))
      .map((rule) => ruleTexts(rule, most));
    const { taken } = fit(read, Math.max(1_000, ROOM - visibleJson(rules).length));
    const answered = place.skip + taken.length;
    return {
      case_uid: caseUid,
      profile_uid: document.profileUid,
      profile_version: document.version,
      rules,
      items: taken,
      next_cursor:
        answered < items.length
          ? writePlace({ ...place, skip: answered })
          : next === null
            ? null
            : writePlace({ page: next, skip: 0 }),
    };
  },
});
