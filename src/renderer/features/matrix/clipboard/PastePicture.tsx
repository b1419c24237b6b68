import { ruleName } from '../model/names.ts';
import { ArrowRight } from 'lucide-react';
import { stateOf, UNRECORDED } from '../../../../shared/domain/outcome.ts';
import { LEAVE } from '../../../data/store/port.ts';

import { Mark } from '../../../ui/OutcomeMark.tsx';
import { STATE_WORDS, stateKey } from '../model/states.ts';
import { useEditor, useEditorState } from '../editor/use-editor.ts';
import type { PasteChoices, PastePlan } from './plan.ts';
import type { PasteRequest } from '../editor/paste-request.ts';
import { ABSENT, type PastedTable } from '../model/pasted-table.ts';
import { t } from '../../../text/t.ts';

const ROWS = 4;
const COLUMNS = 3;

/** The first lines, and the last where there are more. */
const sample = (count: number, most: number): number[] =>
  count <= most + 1
    ? Array.from({ length: count }, (_, index) => index)
    : [...Array.from({ length: most }, (_, index) => index), count - 1];

/**
 * The first rows and rules of the block as they would be, with the item above and the item below: a
 * block one row off shows here.
 */
export function PastePicture({
  request: { table },
  plan,
  choices,
  suggests,
}: {
  request: PasteRequest;
  plan: PastePlan;
  choices: PasteChoices;
  /** Outcomes are suggested and not recorded: a cell that would be cleared stays. */
  suggests: boolean;
}) {
  const { session } = useEditor();
  const view = useEditorState((state) => state.view);
  const [area] = plan.areas;
  if (area === undefined || area.rows.to.length === 0 || area.columns.to.length === 0) return null;
  const { rows, columns, codes } = area;
  const [height, width] = [rows.to.length, columns.to.length];
  const codeAt = (i: number, j: number): number => {
    const code = codes[i * width + j]!;
    return suggests && code === UNRECORDED ? LEAVE : code;
  };
  const shownRows = sample(height, ROWS);
  const shownColumns = sample(width, COLUMNS);
  const byName = choices.place === 'keys' && plan.keys?.items !== undefined;
  const above = byName ? -1 : view.storeRow(view.displayRow(rows.to[0]!) - 1);
  const below = byName ? -1 : view.storeRow(view.displayRow(rows.to[height - 1]!) + 1);
  const neighbour = (row: number, words: string) =>
    row < 0 ? null : (
      <tr className="mx-paste-beside">
        <RowHead row={row} words={words} />
        {shownColumns.map((j) => (
          <td key={j}>
            <Mark state={stateKey(session.state(row, columns.to[j]!))} />
            <span className="visually-hidden">
              {STATE_WORDS[stateKey(session.state(row, columns.to[j]!))].full}
            </span>
          </td>
        ))}
      </tr>
    );
  return (
    <section>
      <h3 className="mx-paste-title">{t('Where it goes')}</h3>
      <div
        className="mx-paste-frame"
        role="region"
        aria-label={t('Where the block goes')}
        tabIndex={0}
      >
        <table className="mx-paste-picture">
          <thead>
            <tr>
              <th scope="col">{t('Item')}</th>
              {shownColumns.map((j) => (
                <th key={j} scope="col" data-gap={j > COLUMNS ? '' : undefined}>
                  {ruleName(session, session.rules[columns.to[j]!] ?? '')}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {neighbour(above, t('above the block'))}
            {shownRows.map((i) => (
              <tr key={i} className="mx-paste-block" data-gap={i > ROWS ? '' : undefined}>
                <RowHead row={rows.to[i]!} />
                {shownColumns.map((j) => (
                  <td
                    key={j}
                    data-gap={j > COLUMNS ? '' : undefined}
                    data-change={
                      codeAt(i, j) === LEAVE
                        ? undefined
                        : session.state(rows.to[i]!, columns.to[j]!) === null
                          ? 'fresh'
                          : 'overwritten'
                    }
                  >
                    <Change
                      before={stateKey(session.state(rows.to[i]!, columns.to[j]!))}
                      code={codeAt(i, j)}
                      word={leftWord(table, plan, rows.from[i]!, columns.from[j]!)}
                    />
                  </td>
                ))}
              </tr>
            ))}
            {neighbour(below, t('below the block'))}
          </tbody>
        </table>
      </div>
      {(height > shownRows.length || width > shownColumns.length) && (
        <SampleWords items={height} rules={width} blocks={plan.areas.length} />
      )}
    </section>
  );
}

/** Of how many the shown ones are the first and the last. */
function SampleWords({ items, rules, blocks }: Record<'items' | 'rules' | 'blocks', number>) {
  return (
    <p className="muted small">
      {blocks > 1
        ? t(
            'First and last of {items, plural, one {# item} other {# items}} by {rules, plural, one {# rule} other {# rules}}, the first of {blocks, number} blocks.',
            { items, rules, blocks },
          )
        : t(
            'First and last of {items, plural, one {# item} other {# items}} by {rules, plural, one {# rule} other {# rules}}.',
            { items, rules },
          )}
    </p>
  );
}

/** The word of a field that is no outcome, for a cell that it leaves alone. */
function leftWord(
  { fields, columns, words }: PastedTable,
  plan: PastePlan,
  row: number,
  column: number,
): string | undefined {
  const index = fields[row * columns + column];
  return index === undefined || index === ABSENT || !plan.words.some((use) => use.index === index)
    ? undefined
    : words[index];
}

function RowHead({ row, words }: { row: number; words?: string }) {
  const { session } = useEditor();
  const item = session.items[row];
  return (
    <th scope="row">
      {item?.label !== '' && <>{item?.label} </>}
      <span className="mx-uid">{item?.item_uid}</span>
      {words !== undefined && <span className="visually-hidden">, {words}</span>}
    </th>
  );
}

function Change({
  before,
  code,
  word,
}: {
  before: ReturnType<typeof stateKey>;
  code: number;
  word: string | undefined;
}) {
  const after = stateKey(stateOf(code));
  if (code !== LEAVE) {
    return (
      <span className="mx-paste-change">
        <Mark state={before} />
        <ArrowRight size={12} aria-hidden="true" />
        <Mark state={after} />
        <span className="visually-hidden">
          {t('{before} to {after}', {
            before: STATE_WORDS[before].full,
            after: STATE_WORDS[after].full,
          })}
        </span>
      </span>
    );
  }
  return (
    <span className="mx-paste-same">
      <Mark state={before} />
      {word !== undefined && <bdi className="mx-paste-word">{word.slice(0, 12)}?</bdi>}
      <span className="visually-hidden">
        {t('stays {outcome}', { outcome: STATE_WORDS[before].full })}
      </span>
    </span>
  );
}
