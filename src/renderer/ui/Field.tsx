import { Field as Base } from '@base-ui/react/field';
import type { ComponentProps, ReactNode, Ref } from 'react';
import { t } from '../text/t.ts';

interface FieldProps {
  name: string;
  label: string;
  hint?: ReactNode;
  /** What is wrong with the value, in words; undefined when nothing is. */
  error?: string | undefined;
  optional?: boolean;
}

type TextFieldProps = FieldProps &
  Omit<ComponentProps<'input'>, 'name' | 'onChange' | 'value' | 'defaultValue'> & {
    value: string;
    onValue: (value: string) => void;
    mono?: boolean;
  };

function Frame({
  name,
  label,
  hint,
  error,
  optional = false,
  children,
}: FieldProps & { children: ReactNode }) {
  return (
    <Base.Root className="field" name={name} invalid={error !== undefined}>
      <Base.Label className="field-label">
        {label}
        {optional && <span className="field-optional"> {t('(optional)')}</span>}
      </Base.Label>
      {children}
      {hint !== undefined && <Base.Description className="field-hint">{hint}</Base.Description>}
      {error !== undefined && (
        <Base.Error className="field-error" match>
          {error}
        </Base.Error>
      )}
    </Base.Root>
  );
}

export function TextField({
  name,
  label,
  hint,
  error,
  optional,
  value,
  onValue,
  mono = false,
  className,
  ...rest
}: TextFieldProps) {
  return (
    <Frame name={name} label={label} hint={hint} error={error} optional={optional}>
      <Base.Control
        {...rest}
        className={['input', mono ? 'input-mono' : '', className ?? ''].join(' ')}
        value={value}
        onValueChange={onValue}
        spellCheck={mono ? false : undefined}
        dir={mono ? undefined : 'auto'}
      />
    </Frame>
  );
}

/**
 * A secret is in its field alone: nothing of the page holds it besides. A password says by
 * `autoComplete` which one it is.
 */
export function SecretField({
  name,
  label,
  hint,
  error,
  optional,
  input,
  onEdit,
  required,
  autoComplete = 'off',
}: FieldProps & {
  input: Ref<HTMLInputElement>;
  onEdit: () => void;
  required?: boolean;
  autoComplete?: string;
}) {
  return (
    <Frame name={name} label={label} hint={hint} error={error} optional={optional}>
      <Base.Control
        ref={input}
        className="input input-mono"
        type="password"
        autoComplete={autoComplete}
        spellCheck={false}
        required={required}
        onValueChange={onEdit}
      />
    </Frame>
  );
}

export function TextArea({
  name,
  label,
  hint,
  error,
  optional,
  value,
  onValue,
  rows = 3,
  required,
}: FieldProps & {
  value: string;
  onValue: (value: string) => void;
  rows?: number;
  required?: boolean;
}) {
  return (
    <Frame name={name} label={label} hint={hint} error={error} optional={optional}>
      <Base.Control
        className="input input-area"
        value={value}
        onValueChange={onValue}
        required={required}
        dir="auto"
        render={<textarea rows={rows} />}
      />
    </Frame>
  );
}

interface CheckProps {
  label: ReactNode;
  checked: boolean;
  onChecked: (checked: boolean) => void;
  disabled?: boolean;
  hint?: string;
}

/** The platform's own tick box: sharp at every zoom, and right in forced colours. */
export function CheckField({ label, checked, onChecked, disabled = false, hint }: CheckProps) {
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChecked(event.target.checked)}
      />
      <span>
        {label}
        {hint !== undefined && <span className="field-hint check-hint">{hint}</span>}
      </span>
    </label>
  );
}
