import { ArrowDown, ArrowUp, ChevronDown, ChevronRight, Copy, GripVertical, Trash2 } from 'lucide-react';
import { useState, type KeyboardEvent } from 'react';
import { plural } from '../../../state/format.ts';
import { Badge } from '../../../ui/Badge.tsx';
import { IconButton } from '../../../ui/Button.tsx';
import type { Change } from './change-draft.ts';
import type { DraftRule } from './draft.ts';
import { RuleFields } from './RuleFields.tsx';

/** What can be done with one rule of the list. `control` names the button that keeps the focus. */
export interface RuleAct {
  toggle: () => void;
  move: (by: number, control: string) => void;
  duplicate: () => void;
  remove: () => void;
  drag: (on: boolean) => void;
  drop: () => void;
}

interface RuleEntryProps {
  rule: DraftRule;
  index: number;
  count: number;
  open: boolean;
  dragged: boolean;
  /** Some rule is being dragged. */
  dragging: boolean;
  problems: number;
  act: RuleAct;
  change: (change: Change) => void;
  errorOf: (field: string) => string | undefined;
}

const ICON = { size: 14, 'aria-hidden': true } as const;

export function RuleEntry({ rule, index, count, open, dragged, dragging, problems, act, change, errorOf }: RuleEntryProps) {
  const [over, setOver] = useState(false);
  const name = rule.name === '' ? `Rule ${index + 1}` : rule.name;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    const control = event.target instanceof HTMLElement ? event.target.dataset['control'] : undefined;
    event.preventDefault();
    act.move(event.key === 'ArrowUp' ? -1 : 1, control ?? 'open');
  };
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a place to drop on; the keys and buttons do the same
    <li
      className="pe-rule" data-rule={rule.key} data-open={open || undefined} data-dragged={dragged || undefined} data-over={(over && dragging && !dragged) || undefined}
      onDragOver={(event) => { if (dragging) { event.preventDefault(); setOver(true); } }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => { event.preventDefault(); setOver(false); act.drop(); }}
    >
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the keys belong to the buttons inside */}
      <div className="pe-rule-head" onKeyDown={onKeyDown}>
        <span className="pe-grip" draggable aria-hidden="true" title="Drag to move" onDragStart={(event) => { event.dataTransfer.effectAllowed = 'move'; event.dataTransfer.setData('text/plain', name); act.drag(true); }} onDragEnd={() => act.drag(false)}><GripVertical {...ICON} /></span>
        <span className="pe-place num" aria-hidden="true">{index + 1}</span>
        <button type="button" className="pe-rule-open" data-control="open" aria-expanded={open} onClick={act.toggle}>
          <Chevron {...ICON} />
          <span className="pe-rule-name">{rule.name === '' ? <span className="muted">{name}, no name yet</span> : rule.name}</span>
          <code className="rule-uid">{rule.ruleUid}</code>
        </button>
        {problems > 0 && <Badge tone="warning">{plural(problems, 'field')} to complete</Badge>}
        <span className="pe-rule-acts">
          <IconButton label={`Move ${name} up`} data-control="up" disabled={index === 0} onClick={() => act.move(-1, 'up')}><ArrowUp {...ICON} /></IconButton>
          <IconButton label={`Move ${name} down`} data-control="down" disabled={index === count - 1} onClick={() => act.move(1, 'down')}><ArrowDown {...ICON} /></IconButton>
          <IconButton label={`Duplicate ${name}`} data-control="duplicate" onClick={act.duplicate}><Copy {...ICON} /></IconButton>
          <IconButton label={`Remove ${name}`} data-control="remove" onClick={act.remove}><Trash2 {...ICON} /></IconButton>
        </span>
      </div>
      {open && <RuleFields rule={rule} change={change} errorOf={errorOf} />}
    </li>
  );
}
