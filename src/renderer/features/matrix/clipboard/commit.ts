import { stateOf, UNRECORDED } from '../../../../shared/domain/outcome.ts';
import { type Edit, LEAVE, type MatrixSession } from '../../../data/store/port.ts';
import { type Origin, provenanceOf } from '../../../files/origin.ts';

import { changedBy, type PasteChoice, type PasteChoices, type PastePlan } from './plan.ts';
import { type PastedTable, wordAt } from '../model/pasted-table.ts';
import { t } from '../../../text/t.ts';

/** What a paste does, but for items. */
export type PasteEdit = Required<Pick<Edit, 'label' | 'why' | 'blocks' | 'cells'>>;

/** Longest reported value, and longest reason that is still read. */
const MAX_SOURCE = 10_000;
const MAX_WHY = 2_000;

const SAID: Record<PasteChoice, string> = {
  FALSE: 'FALSE, evidence present',
  TRUE: 'TRUE, problem found',
  NA: 'NA, not available',
  unrecorded: 'unrecorded',
  leave: 'skipped',
};
const COUNT = new Intl.NumberFormat('en-GB');

/**
 * "yes" read as FALSE (12): what the person said of the words, for the history. That is recorded
 * and read by everybody, so it is in English whatever this person reads.
 */
function reasonOf(plan: PastePlan, choices: PasteChoices): string {
  const parts = plan.words.flatMap(({ word, count, reading }) => {
    const choice = choices.words.get(word) ?? reading?.state;
    return choice === undefined
      ? []
      : [`“${word.slice(0, 80)}” as ${SAID[choice]} (${COUNT.format(count)})`];
  });
  let text = 'Pasted';
  for (const [index, part] of parts.entries()) {
    const next = `${text}${index === 0 ? '. Read ' : ', '}${part}`;
    const left = parts.length - index;
    if (next.length > MAX_WHY)
      return `${text}, and ${COUNT.format(left)} ${left === 1 ? 'value' : 'values'} more`;
    text = next;
  }
  return text;
}

/** A word as a reported value may hold it. */
const asSource = (word: string): string =>
  word
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
    .trim()
    .slice(0, MAX_SOURCE)
    .toWellFormed();

/**
 * Writes a paste in one undo step: outcomes as blocks, or cell by cell where each keeps what was
 * read and where. Without an origin none does.
 */
export function editOf(
  plan: PastePlan,
  table: PastedTable,
  session: Pick<MatrixSession, 'items' | 'rules'>,
  choices: PasteChoices,
  origin: Origin | undefined,
): PasteEdit {
  const cells: PasteEdit['cells'][number][] = [];
  const blocks = plan.areas.map(({ rows, columns, codes }) => {
    const items = Array.from(rows.to, (row) => session.items[row]?.item_uid ?? '');
    const rules = Array.from(columns.to, (column) => session.rules[column] ?? '');
    if (origin === undefined) return { items, rules, states: codes };
    const states = codes.slice();
    for (const [at, code] of codes.entries()) {
      if (code === LEAVE || code === UNRECORDED) continue;
      const [i, j] = [Math.floor(at / rules.length), at % rules.length];
      const place = [rows.from[i]!, columns.from[j]!] as const;
      const [line, column] = table.turned === true ? [place[1], place[0]] : place;
      const source_value = asSource(wordAt(table, ...place));
      states[at] = LEAVE;
      cells.push({
        item: items[i]!,
        rule: rules[j]!,
        patch: {
          raw_outcome: stateOf(code),
          ...(source_value !== '' && { source_value }),
          provenance: provenanceOf(origin, line + 1, column),
        },
      });
    }
    return { items, rules, states };
  });
  return {
    label: t('Paste {cells, plural, one {# cell} other {# cells}}', { cells: changedBy(plan) }),
    why: reasonOf(plan, choices),
    blocks,
    cells,
  };
}
