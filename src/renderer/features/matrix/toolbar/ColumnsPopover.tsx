import { ArrowDown, ArrowUp, Columns3, Pin, PinOff } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../../../ui/Button.tsx';
import { Popover } from '../../../ui/Popover.tsx';
import { freeze, hide, orderedRules, PLAIN_COLUMNS, show, step } from '../model/column-plan.ts';
import { FieldList } from './FieldList.tsx';
import { useEditor, useEditorState } from '../editor/use-editor.ts';
import { t } from '../../../text/t.ts';

/** Which rules are shown, in which order, and which of them stay at the left. */
export function ColumnsPopover() {
  const hidden = useEditorState((state) => state.columns.hidden.length);
  return (
    <Popover
      label={t('Columns')}
      icon={<Columns3 size={14} aria-hidden="true" />}
      count={hidden}
      detail={hidden === 0 ? t('Columns') : t('Columns, {hidden, number} hidden', { hidden })}
    >
      <Columns />
    </Popover>
  );
}

function Columns() {
  const editor = useEditor();
  const { profile, rules } = editor.session;
  const columns = useEditorState((state) => state.columns);
  const [text, setText] = useState('');
  const needle = text.trim().toLowerCase();
  const named = new Map(profile.rules.map((rule) => [rule.ruleUid, rule.name]));
  const listed = orderedRules(columns, rules).filter(
    (rule) =>
      rule.toLowerCase().includes(needle) || (named.get(rule) ?? '').toLowerCase().includes(needle),
  );
  const change = (next: typeof columns): void => editor.arrange({ columns: next });
  const hiddenHere = listed.filter((rule) => columns.hidden.includes(rule));
  return (
    <div className="mx-pop">
      <FieldList />
      <label>
        <span className="visually-hidden">{t('Find a rule')}</span>
        <input
          type="search"
          className="input"
          placeholder={t('Find a rule')}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <ul className="mx-rules" aria-label={t('Rules')}>
        {listed.map((rule) => (
          <RuleRow key={rule} rule={rule} name={named.get(rule) ?? rule} />
        ))}
      </ul>
      {listed.length === 0 && <p className="muted small">{t('No rule is called that.')}</p>}
      <div className="actions">
        <Button
          size="sm"
          disabled={hiddenHere.length === 0}
          onClick={() => change(show(columns, hiddenHere))}
        >
          {needle === '' ? t('Show all') : t('Show these')}
        </Button>
        {needle !== '' && (
          <Button
            size="sm"
            disabled={hiddenHere.length === listed.length}
            onClick={() => change(hide(columns, rules, listed))}
          >
            {t('Hide these')}
          </Button>
        )}
        <Button size="sm" onClick={() => change({ ...PLAIN_COLUMNS, fields: columns.fields })}>
          {t('As in the profile')}
        </Button>
      </div>
    </div>
  );
}

function RuleRow({ rule, name }: { rule: string; name: string }) {
  const editor = useEditor();
  const { rules } = editor.session;
  const columns = useEditorState((state) => state.columns);
  const change = (next: typeof columns): void => editor.arrange({ columns: next });
  const isHidden = columns.hidden.includes(rule);
  const isFrozen = columns.frozen.includes(rule);
  const [up, down] = [step(columns, rules, rule, -1), step(columns, rules, rule, 1)];
  return (
    <li>
      <label className="check">
        <input
          type="checkbox"
          checked={!isHidden}
          disabled={!isHidden && rules.length - columns.hidden.length === 1}
          onChange={() => change(isHidden ? show(columns, [rule]) : hide(columns, rules, [rule]))}
        />
        <span>{name}</span>
      </label>
      <IconButton
        label={isFrozen ? t('Unfreeze {name}', { name }) : t('Freeze {name}', { name })}
        aria-pressed={isFrozen}
        onClick={() => change(freeze(columns, rule, !isFrozen))}
      >
        {isFrozen ? <PinOff size={13} aria-hidden="true" /> : <Pin size={13} aria-hidden="true" />}
      </IconButton>
      <IconButton
        label={t('Move {name} left', { name })}
        disabled={up === undefined}
        onClick={() => {
          if (up !== undefined) change(up);
        }}
      >
        <ArrowUp size={13} aria-hidden="true" />
      </IconButton>
      <IconButton
        label={t('Move {name} right', { name })}
        disabled={down === undefined}
        onClick={() => {
          if (down !== undefined) change(down);
        }}
      >
        <ArrowDown size={13} aria-hidden="true" />
      </IconButton>
    </li>
  );
}
