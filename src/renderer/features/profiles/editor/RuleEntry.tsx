import {
  ArrowDown,
  ArrowUp,
  ChevronDown,
  ChevronRight,
  Copy,
  GripVertical,
  Trash2,
} from 'lucide-react';
import { memo, useState, type KeyboardEvent } from 'react';

import { Badge } from '../../../ui/Badge.tsx';
import { IconButton } from '../../../ui/Button.tsx';
import type { DraftChange } from './change-draft.ts';
import type { DraftRule } from './draft.ts';
import { RuleFields } from './RuleFields.tsx';
import { t } from '../../../text/t.ts';

/** What can be done with the rule of a key. `control` names the button that keeps the focus. */
export interface RuleActs {
  toggle: (key: string) => void;
  move: (key: string, by: number, control: string) => void;
  duplicate: (key: string) => void;
  remove: (key: string) => void;
  drag: (key: string | null) => void;
  drop: (key: string) => void;
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
  acts: RuleActs;
  change: (change: DraftChange) => void;
  /** Given where the rule is open. */
  errorOf: ((field: string) => string | undefined) | undefined;
}

const ICON = { size: 14, 'aria-hidden': true } as const;

/** Alt and an arrow key alone: which way the rule moves. */
function moveOf(event: KeyboardEvent<HTMLElement>): 1 | -1 | undefined {
  if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return undefined;
  if (event.key === 'ArrowUp') return -1;
  return event.key === 'ArrowDown' ? 1 : undefined;
}

export const RuleEntry = memo(function RuleEntry({
  rule,
  index,
  count,
  open,
  dragged,
  dragging,
  problems,
  acts,
  change,
  errorOf,
}: RuleEntryProps) {
  const { key } = rule;
  const [over, setOver] = useState(false);
  const name = rule.name === '' ? t('Rule {place}', { place: index + 1 }) : rule.name;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const by = moveOf(event);
    if (by === undefined) return;
    const control =
      event.target instanceof HTMLElement ? event.target.dataset['control'] : undefined;
    event.preventDefault();
    acts.move(key, by, control ?? 'open');
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a place to drop on; the keys and buttons do the same
    <li
      className="pe-rule"
      data-rule={rule.key}
      data-open={open || undefined}
      data-dragged={dragged || undefined}
      data-over={(over && dragging && !dragged) || undefined}
      onDragOver={(event) => {
        if (dragging) {
          event.preventDefault();
          setOver(true);
        }
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        acts.drop(key);
      }}
    >
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the keys belong to the buttons inside */}
      <div className="pe-rule-head" onKeyDown={onKeyDown}>
        <Grip name={name} onDrag={(isDragged) => acts.drag(isDragged ? key : null)} />
        <span className="pe-place num" aria-hidden="true">
          {index + 1}
        </span>
        <OpenButton rule={rule} name={name} open={open} onToggle={() => acts.toggle(key)} />
        {problems > 0 && (
          <Badge tone="warning">
            {t('{fields, plural, one {# field} other {# fields}} to complete', {
              fields: problems,
            })}
          </Badge>
        )}
        <RuleButtons
          ruleKey={key}
          name={name}
          isFirst={index === 0}
          isLast={index === count - 1}
          acts={acts}
        />
      </div>
      {open && errorOf !== undefined && (
        <RuleFields rule={rule} change={change} errorOf={errorOf} />
      )}
    </li>
  );
});

function Grip({ name, onDrag }: { name: string; onDrag: (isDragged: boolean) => void }) {
  return (
    <span
      className="pe-grip"
      draggable
      aria-hidden="true"
      title={t('Drag to move')}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move';
        event.dataTransfer.setData('text/plain', name);
        onDrag(true);
      }}
      onDragEnd={() => onDrag(false)}
    >
      <GripVertical {...ICON} />
    </span>
  );
}

function OpenButton({
  rule,
  name,
  open,
  onToggle,
}: {
  rule: DraftRule;
  name: string;
  open: boolean;
  onToggle: () => void;
}) {
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <button
      type="button"
      className="pe-rule-open"
      data-control="open"
      aria-expanded={open}
      onClick={onToggle}
    >
      <Chevron {...ICON} />
      <span className="pe-rule-name">
        {rule.name === '' ? (
          <span className="muted">{t('{name}, no name yet', { name })}</span>
        ) : (
          rule.name
        )}
      </span>
      <code className="rule-uid">{rule.ruleUid}</code>
    </button>
  );
}

function RuleButtons({
  ruleKey,
  name,
  isFirst,
  isLast,
  acts,
}: {
  ruleKey: string;
  name: string;
  isFirst: boolean;
  isLast: boolean;
  acts: RuleActs;
}) {
  return (
    <span className="pe-rule-acts">
      <IconButton
        label={t('Move {name} up', { name })}
        data-control="up"
        disabled={isFirst}
        onClick={() => acts.move(ruleKey, -1, 'up')}
      >
        <ArrowUp {...ICON} />
      </IconButton>
      <IconButton
        label={t('Move {name} down', { name })}
        data-control="down"
        disabled={isLast}
        onClick={() => acts.move(ruleKey, 1, 'down')}
      >
        <ArrowDown {...ICON} />
      </IconButton>
      <IconButton
        label={t('Duplicate {name}', { name })}
        data-control="duplicate"
        onClick={() => acts.duplicate(ruleKey)}
      >
        <Copy {...ICON} />
      </IconButton>
      <IconButton
        label={t('Remove {name}', { name })}
        data-control="remove"
        onClick={() => acts.remove(ruleKey)}
      >
        <Trash2 {...ICON} />
      </IconButton>
    </span>
  );
}
