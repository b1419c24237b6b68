import { useState } from 'react';
import type { RawOutcome } from '../../../shared/domain/outcome.ts';
import type { ProfileRule } from '../../../shared/domain/profile.ts';
import { Button } from '../../ui/Button.tsx';
import { TextArea } from '../../ui/Field.tsx';
import { OUTCOME_KINDS, OutcomeMark } from '../../ui/OutcomeMark.tsx';
import { Section } from '../../ui/Page.tsx';
import { t } from '../../text/t.ts';
import type { SheetCell } from './sheet.ts';
import type { SheetItem } from './use-rounds.ts';

interface CellDetailsProps {
  item: SheetItem;
  rule: ProfileRule;
  cell: SheetCell;
  onRecord: (change: Partial<SheetCell>) => void;
}

/** The cell with the focus: its outcomes by pointer, and what proves it. */
export function CellDetails({ item, rule, cell, onRecord }: CellDetailsProps) {
  const meanings: Readonly<Record<string, string>> = {
    FALSE: rule.evidenceMeaning,
    TRUE: rule.problemMeaning,
    NA: rule.notAvailableMeaning,
  };
  return (
    <Section
      title={`${item.label === '' ? item.item_uid : item.label}, ${rule.name}`}
      note={rule.description}
    >
      <div className="round-choices" role="group" aria-label={t('Outcome')}>
        {OUTCOME_KINDS.map((kind) => {
          const outcome: RawOutcome | null = kind === 'unrecorded' ? null : kind;
          return (
            <Button
              key={kind}
              aria-pressed={cell.raw_outcome === outcome}
              title={meanings[kind]}
              onClick={() => onRecord({ raw_outcome: outcome })}
            >
              <OutcomeMark kind={kind} label />
            </Button>
          );
        })}
      </div>
      <Details cell={cell} onRecord={onRecord} />
    </Section>
  );
}

/** Recorded when a field is left, so that nothing waits for a button. */
function Details({ cell, onRecord }: Pick<CellDetailsProps, 'cell' | 'onRecord'>) {
  const [value, setValue] = useState(cell.source_value);
  const [notes, setNotes] = useState(cell.notes);
  const [shown, setShown] = useState(cell);
  if (shown !== cell) {
    setShown(cell);
    if (shown.source_value !== cell.source_value) setValue(cell.source_value);
    if (shown.notes !== cell.notes) setNotes(cell.notes);
  }
  const orNone = (text: string): string | null => (text === '' ? null : text);
  return (
    <div
      className="form"
      onBlur={() => {
        const change = {
          ...(value !== cell.source_value && { source_value: value }),
          ...(notes !== cell.notes && { notes }),
        };
        if (Object.keys(change).length > 0) onRecord(change);
      }}
    >
      <TextArea
        name="source_value"
        label={t('Reported value')}
        optional
        value={value ?? ''}
        onValue={(text) => setValue(orNone(text))}
      />
      <TextArea
        name="notes"
        label={t('Notes')}
        optional
        value={notes ?? ''}
        onValue={(text) => setNotes(orNone(text))}
      />
    </div>
  );
}
