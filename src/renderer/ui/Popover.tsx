import { Popover as Base } from '@base-ui/react/popover';
import type { ReactNode } from 'react';

interface PopoverProps {
  /** On the button; also the popover's name. */
  label: string;
  icon: ReactNode;
  /** Something is set in it: how much. */
  count?: number;
  /** More of the button's name, after its label. */
  detail?: string;
  children: ReactNode;
}

/** A button and what it opens; Escape and a press outside close it. */
export function Popover({ label, icon, count = 0, detail, children }: PopoverProps) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger
        className="btn btn-secondary popover-trigger"
        data-set={count > 0 || undefined}
        title={detail ?? label}
      >
        {icon}
        <span className="popover-label">{label}</span>
        {count > 0 && <span className="popover-count">{count}</span>}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner
          className="popup-positioner"
          sideOffset={4}
          align="start"
          collisionPadding={8}
        >
          <Base.Popup className="popup popover" aria-label={label}>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
