import { useId } from 'react';

/** Text that a list is searched for. */
export function SearchField({
  label,
  value,
  onValue,
}: {
  label: string;
  value: string;
  onValue: (value: string) => void;
}) {
  const id = useId();
  return (
    <div className="field field-inline" role="search">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <input
        id={id}
        type="search"
        className="input search-input"
        value={value}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => onValue(target.value)}
      />
    </div>
  );
}
