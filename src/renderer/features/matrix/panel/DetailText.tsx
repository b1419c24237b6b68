import { type KeyboardEvent, useId } from 'react';
import { useMayWrite } from '../editor/use-editor.ts';
import { Held, type Hold } from './Held.tsx';
import { useDraft } from './use-draft.ts';
import { t } from '../../../text/t.ts';

interface DetailTextProps {
  label: string;
  value: string | null;
  rows: number;
  placeholder?: string;
  name?: string;
  hint?: string;
  onSave: (value: string | null) => void;
  onLeave: () => void;
  hold?: Hold | undefined;
  /** Enter saves and goes on from the cell, as in a spreadsheet; Shift+Enter is a new line. */
  onEnter?: () => void;
}

export function DetailText({
  label,
  value,
  rows,
  placeholder,
  name,
  hint,
  onSave,
  onLeave,
  hold,
  onEnter,
}: DetailTextProps) {
  const id = useId();
  const mayWrite = useMayWrite();
  const { text, isOvertaken, isEdited, setText, commit, save, drop, onKeyDown } = useDraft(
    value ?? '',
    (next) => onSave(next === '' ? null : next),
    onLeave,
    hold,
  );
  const isHeld = hold !== undefined && isEdited;
  const shownHint = isHeld ? undefined : hint;
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
    if (onEnter === undefined || event.key !== 'Enter' || !isPlain || event.nativeEvent.isComposing)
      onKeyDown(event);
    else {
      event.preventDefault();
      commit();
      if (!isHeld) onEnter();
    }
  };
  return (
    <div className="mx-detail">
      <label htmlFor={id}>{label}</label>
      <textarea
        name={name}
        id={id}
        className="input input-area mx-area"
        dir="auto"
        rows={rows}
        placeholder={mayWrite ? placeholder : undefined}
        readOnly={!mayWrite}
        maxLength={10_000}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={commit}
        onKeyDown={onKey}
        {...(shownHint !== undefined && { 'aria-describedby': `${id}-hint` })}
      />
      {isOvertaken && (
        <p className="mx-quiet" role="status">
          {value === null
            ? t('Emptied meanwhile. Saving replaces that; Escape leaves it empty.')
            : t('Recorded meanwhile: {value}. Saving replaces that; Escape shows it.', { value })}
        </p>
      )}
      {isHeld && <Held hold={hold} onSave={save} onDrop={drop} onLeave={onLeave} />}
      {shownHint !== undefined && (
        <p id={`${id}-hint`} className="mx-field-hint">
          {shownHint}
        </p>
      )}
    </div>
  );
}
