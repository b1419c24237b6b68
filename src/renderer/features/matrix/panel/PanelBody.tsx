import { cellName, itemName } from '../model/names.ts';
import { memo, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import type { ProfileRule } from '../../../../shared/domain/profile.ts';
import type { CellAddress, CellPatch, ItemRow } from '../../../data/store/port.ts';

import { CheckField } from '../../../ui/Field.tsx';
import { cellLabel } from '../model/states.ts';
import { useEditor, useEditorState, useMayWrite } from '../editor/use-editor.ts';
import { Contest } from './Contest.tsx';
import { HistoryList, useHistory } from './HistoryList.tsx';
import { presentlyBy, previousAssertion, whose } from '../model/history-text.ts';
import { ItemFields } from './ItemFields.tsx';
import { Previous } from './Previous.tsx';
import { OutcomeChoice } from './OutcomeChoice.tsx';
import { type SavedPart, SourceFields } from './SourceFields.tsx';
import { HISTORY_PART } from './use-followed.ts';
import { t } from '../../../text/t.ts';

const partLabel = (part: SavedPart, cell: string): string =>
  t(
    '{part, select, reported {Reported value} notes {Notes} provenance {Provenance} other {Source}} of {cell}',
    { part, cell },
  );

interface PanelBodyProps {
  cell: CellAddress;
  /** Drawn again with another one. */
  revision: number;
  /** Cells in the selection: the panel speaks of its focus only. */
  selected: number;
  /** What else stands there of the cell. */
  beside: ((cell: CellAddress) => ReactNode) | undefined;
}

/** Everything on record of one cell. */
export const PanelBody = memo(function PanelBody({ cell, selected, beside }: PanelBodyProps) {
  const editor = useEditor();
  const { session } = editor;
  const mayWrite = useMayWrite();
  const askReason = useEditorState((state) => state.preferences.askReason);
  const row = session.rowOf(cell.item);
  const column = session.columnOf(cell.rule);
  const history = useHistory(cell, session.cellVersion(row, column));

  const item = session.items[row];
  const rule = session.profile.rules.find((entry) => entry.ruleUid === cell.rule);
  if (item === undefined || rule === undefined)
    return <p className="mx-quiet">{t('This item is not part of the case.')}</p>;
  const state = session.state(row, column);
  const contested = session.contested(row, column);
  const detail = session.detail(row, column);
  const loaded = history?.cell === `${cell.item} ${cell.rule}` ? history.loaded : undefined;
  const previous =
    loaded === undefined || 'error' in loaded ? undefined : previousAssertion(loaded.steps);
  const author =
    contested || state === null
      ? undefined
      : ((loaded === undefined || 'error' in loaded ? undefined : presentlyBy(loaded.steps)) ??
        session.recordedBy(row, column));
  const where = cellName(session, cell);
  const save = async (part: SavedPart, patch: CellPatch): Promise<void> => {
    if ((await editor.write(partLabel(part, where), [cell], patch)) !== undefined)
      editor.announce(
        t(
          '{part, select, reported {Reported value} notes {Notes} provenance {Provenance} other {Source}} of {cell} saved',
          { part, cell: where },
        ),
      );
  };
  const key = `${cell.item}\n${cell.rule}`;

  return (
    <div className="mx-panel-body">
      <Head item={item} row={row} column={column} rule={rule} />
      {selected > 1 && <OneOfMany selected={selected} />}
      <RuleText key={rule.ruleUid} rule={rule} />
      {contested && (
        <Contest
          key={`contest ${key}`}
          cell={cell}
          alternatives={session.alternatives(row, column)}
        />
      )}
      <OutcomeChoice
        rule={rule}
        state={state}
        readOnly={!mayWrite}
        onChoose={(next) => {
          void editor
            .write(t('Set {cell}', { cell: where }), [cell], { raw_outcome: next })
            .then((written) => {
              if (written !== undefined)
                editor.announce(
                  cellLabel(itemName(session, cell.item), rule.name, next, contested),
                );
            });
        }}
      />
      {author !== undefined && author !== null && (
        <p className="mx-quiet mx-recorded-by">
          {t('Recorded by {author}', { author: whose(author) })}
        </p>
      )}
      <SourceFields key={key} {...{ state, detail, where, selected, save }} />
      <ItemFields item={item} />
      {beside?.(cell)}
      {previous !== undefined && !contested && (
        <Previous
          previous={previous}
          now={detail}
          mayWrite={mayWrite}
          onUse={(patch) => void save('source', patch)}
        />
      )}
      <section
        className={`mx-part ${HISTORY_PART}`}
        aria-label={t('History of this cell')}
        tabIndex={-1}
      >
        <h2>{t('History')}</h2>
        {mayWrite && (
          <CheckField
            label={t('Ask why before a recorded outcome changes')}
            checked={askReason}
            onChecked={(on) => editor.prefer({ askReason: on })}
          />
        )}
        <HistoryList key={key} cell={cell} loaded={loaded} contested={contested} />
      </section>
    </div>
  );
});

/** Stays in sight while the panel scrolls. */
export function Head({
  item,
  row,
  column,
  rule,
}: {
  item: ItemRow;
  row: number;
  column: number;
  rule?: ProfileRule;
}) {
  const { session } = useEditor();
  return (
    <header className="mx-panel-head">
      <p className="mx-panel-item">
        <bdi>{item.label === '' ? item.item_uid : item.label}</bdi>
        {item.label !== '' && item.label !== item.item_uid && (
          <span className="mx-uid">{item.item_uid}</span>
        )}
      </p>
      {rule !== undefined && <h2>{rule.name}</h2>}
      <p className="mx-quiet">
        {column < 0
          ? t('Item {item, number} of {items, number}', {
              item: row + 1,
              items: session.items.length,
            })
          : t('Item {item, number} of {items, number}, rule {rule, number} of {rules, number}', {
              item: row + 1,
              items: session.items.length,
              rule: column + 1,
              rules: session.rules.length,
            })}
      </p>
    </header>
  );
}

/** What to look at, in three lines at first; profiles may say much more. */
function RuleText({ rule }: { rule: ProfileRule }) {
  const [isWhole, setWhole] = useState(false);
  const text = useRef<HTMLParagraphElement>(null);
  const [isCut, setCut] = useState(false);
  useLayoutEffect(() => {
    if (text.current !== null) setCut(text.current.scrollHeight > text.current.clientHeight + 1);
  }, []);
  return (
    <section className="mx-part mx-rule-text">
      <p ref={text} className="mx-panel-text" data-whole={isWhole || undefined}>
        {rule.description}
      </p>
      {isCut && (
        <button
          type="button"
          className="mx-more"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? t('Show less') : t('Show more')}
        </button>
      )}
      {(isWhole || !isCut) && <p className="mx-uid">{rule.ruleUid}</p>}
    </section>
  );
}

function OneOfMany({ selected }: { selected: number }) {
  const mayWrite = useMayWrite();
  return (
    <p className="mx-hint">
      {mayWrite
        ? t(
            '{selected, number} cells are selected. This panel shows and changes only this one; the keys F, T, N and Del change them all.',
            { selected },
          )
        : t('{selected, number} cells are selected. This panel shows only this one.', { selected })}
    </p>
  );
}
