import { Menu as Base } from '@base-ui/react/menu';
import type { ReactNode } from 'react';
import { MenuPopup } from './MenuPopup.tsx';

interface MenuProps {
  /** Name of the button for assistive technology; also its tooltip. */
  label: string;
  trigger: ReactNode;
  children: ReactNode;
}

export function Menu({ label, trigger, children }: MenuProps) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger className="btn btn-ghost btn-icon" aria-label={label} title={label}>
        {trigger}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="popup-positioner" sideOffset={4} align="end">
          <MenuPopup className="popup">{children}</MenuPopup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

/** An entry of a menu that does something. */
export function MenuAction({ label, onSelect }: { label: string; onSelect: () => void }) {
  return (
    <Base.Item className="popup-item" onClick={onSelect}>
      {label}
    </Base.Item>
  );
}

interface MenuChoiceProps<T extends string> {
  label: string;
  value: T;
  onValue: (value: T) => void;
  options: readonly { value: T; label: string; icon?: ReactNode }[];
}

export function MenuChoice<T extends string>({
  label,
  value,
  onValue,
  options,
}: MenuChoiceProps<T>) {
  return (
    <Base.Group>
      <Base.GroupLabel className="popup-label">{label}</Base.GroupLabel>
      <Base.RadioGroup value={value} onValueChange={(next) => onValue(next as T)}>
        {options.map((option) => (
          <Base.RadioItem
            key={option.value}
            value={option.value}
            className="popup-item popup-radio"
            closeOnClick
          >
            <span className="popup-mark" aria-hidden="true">
              {option.value === value ? '●' : ''}
            </span>
            {option.icon}
            {option.label}
          </Base.RadioItem>
        ))}
      </Base.RadioGroup>
    </Base.Group>
  );
}
