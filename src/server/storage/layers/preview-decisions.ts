import type { DecisionAnswer, DecisionsInput } from '../../../shared/contract/v1/suggestions.ts';
import type { WriteContext } from '../db/context.ts';
import type { CaseView } from '../records/case-view.ts';
import type { HiddenCells } from '../rounds/hidden-cells.ts';
import { judgedRows, type SuggestionMatrix } from './suggestion-list.ts';

/** As many as one request decides. */
const MOST_PREVIEWED = 10_000;

/** What a rule would decide about now, of what is not hidden from the caller (YR7). */
export async function previewed(
  ctx: WriteContext,
  view: CaseView,
  { hidden, ...matrix }: SuggestionMatrix & { casePk: number; hidden: HiddenCells | undefined },
  filter: NonNullable<DecisionsInput['rule']>['filter'],
): Promise<DecisionAnswer[]> {
  const answers: DecisionAnswer[] = [];
  for await (const found of judgedRows(ctx, view.stream.changes, matrix, filter, undefined)) {
    const { row, view: cell, state } = found;
    if (state !== 'open' || cell.suggestion === undefined) continue;
    if (hidden?.hides(row.cell) === true) continue;
    const { item, rule } = row.cell;
    const suggestion_id = cell.suggestion.name;
    answers.push({ suggestion_id, item_uid: item, rule_uid: rule, status: 'previewed', state });
    if (answers.length === MOST_PREVIEWED) break;
  }
  await view.items.load(answers.map(({ item_uid }) => item_uid));
  return answers.filter(({ item_uid }) => view.items.get(item_uid)?.deleted === false);
}
