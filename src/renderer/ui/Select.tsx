import { Select as Base } from '@base-ui/react/select';
import { Check, ChevronsUpDown } from 'lucide-react';
import { useId } from 'react';
import { useEarlyKeys } from './early-keys.ts';
import { labelIdOf } from './label-id.ts';
import { t } from '../text/t.ts';

export interface SelectOption<T extends string> {
  value: T;
  label: string;
  detail?: string;
}

interface SelectProps<T extends string> {
  label: string;
  options: readonly SelectOption<T>[];
  value: T | null;
  onValue: (value: T) => void;
  placeholder?: string;
  hint?: string;
  error?: string | undefined;
  optional?: boolean;
  /** In a toolbar the label is left of the control. */
  inline?: boolean;
  /** The label is for assistive technology alone: in a table the row's head says it. */
  labelHidden?: boolean;
  disabled?: boolean;
}

export function Select<T extends string>({
  label,
  options,
  value,
  onValue,
  placeholder = t('Choose…'),
  hint,
  error,
  optional = false,
  inline = false,
  labelHidden = false,
  disabled = false,
}: SelectProps<T>) {
  const { list, onKeyDown, onOpenChange } = useEarlyKeys();
  const id = useId();
  return (
    <Base.Root
      id={id}
      items={options}
      value={value}
      disabled={disabled}
      onOpenChange={onOpenChange}
      onValueChange={(next) => {
        if (next !== null) onValue(next);
      }}
      modal={false}
    >
      <div
        className={inline ? 'field field-inline' : 'field'}
        data-invalid={error === undefined ? undefined : ''}
      >
        <Base.Label className={labelHidden ? 'visually-hidden' : 'field-label'}>
          {label}
          {optional && <span className="field-optional"> {t('(optional)')}</span>}
        </Base.Label>
        <Base.Trigger
          className="input select"
          aria-labelledby={labelIdOf(id)}
          onKeyDown={onKeyDown}
        >
          <Base.Value className="select-value" placeholder={placeholder} />
          <Base.Icon className="select-icon">
            <ChevronsUpDown size={14} aria-hidden="true" />
          </Base.Icon>
        </Base.Trigger>
        {hint !== undefined && <p className="field-hint">{hint}</p>}
        {error !== undefined && (
          <p className="field-error" role="alert">
            {error}
          </p>
        )}
      </div>
      <Base.Portal>
        <Base.Positioner
          className="popup-positioner"
          sideOffset={4}
          align="start"
          alignItemWithTrigger={false}
        >
          <Base.Popup className="popup select-popup" onKeyDown={onKeyDown}>
            <Base.List className="select-list" {...list}>
              {options.map((option) => (
                <Base.Item
                  key={option.value}
                  value={option.value}
                  label={option.label}
                  className="popup-item select-item"
                >
                  <Base.ItemIndicator className="select-check">
                    <Check size={14} aria-hidden="true" />
                  </Base.ItemIndicator>
                  <span className="select-text">
                    <Base.ItemText>{option.label}</Base.ItemText>
                    {option.detail !== undefined && (
                      <span className="muted small">{option.detail}</span>
                    )}
                  </span>
                </Base.Item>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
