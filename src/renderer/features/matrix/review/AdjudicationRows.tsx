import { Check } from 'lucide-react';
import { type RefObject, useMemo } from 'react';
import { useStore } from 'zustand';
import { Mark } from '../../../ui/OutcomeMark.tsx';
import type { Adjudication, CellToDecide } from '../conflicts/adjudication-state.ts';
import { useEditor } from '../editor/use-editor.ts';
import { itemName, ruleName } from '../model/names.ts';
import { STATE_WORDS } from '../model/states.ts';
import { LongList } from './LongList.tsx';
import { t } from '../../../text/t.ts';

/** All cells to decide, with what was recorded in each. */
export function AdjudicationRows({
  adjudication,
  listRef,
}: {
  adjudication: Adjudication;
  listRef: RefObject<HTMLDivElement | null>;
}) {
  const { list, at, decided } = useStore(adjudication.store);
  const keys = useMemo(() => list.map(({ reg }) => reg), [list]);
  return (
    <LongList
      label={t('Cells to decide')}
      keys={keys}
      at={at}
      row={(index) => {
        const cell = list[index];
        return cell !== undefined && <Row cell={cell} isDecided={decided.has(cell.reg)} />;
      }}
      onGo={adjudication.go}
      onStep={adjudication.step}
      listRef={listRef}
    />
  );
}

function Row({ cell, isDecided }: { cell: CellToDecide; isDecided: boolean }) {
  const { session } = useEditor();
  const name = itemName(session, cell.item_uid);
  return (
    <>
      <span className="mx-contests-where">
        <strong>{name}</strong>
        {name !== cell.item_uid && <span className="muted"> {cell.item_uid}</span>}
      </span>
      <span className="mx-contests-what">{ruleName(session, cell.rule_uid)}</span>
      <span className="mx-contests-says">
        {cell.ratings.map(({ entry, raw_outcome }) => (
          <span key={entry} className="mx-contests-mark">
            <Mark state={raw_outcome} />
            <span className="visually-hidden">{STATE_WORDS[raw_outcome].full},</span>
          </span>
        ))}
        <span className="mx-contests-kind">
          {isDecided ? (
            <>
              <Check size={12} aria-hidden="true" /> {t('decided')}
            </>
          ) : (
            t('not decided')
          )}
        </span>
      </span>
    </>
  );
}
