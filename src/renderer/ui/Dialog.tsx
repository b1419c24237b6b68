import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type KeyboardEventHandler, useId, useRef, type ReactNode, type RefObject } from 'react';
import { Button } from './Button.tsx';
import { focusAtOnce } from './focus-at-once.ts';
import { t } from '../text/t.ts';

interface DialogProps {
  onClose: () => void;
  title: string;
  description?: ReactNode;
  /** Buttons at the bottom; the confirming one last. */
  footer?: ReactNode;
  wide?: boolean;
  /** As large as the window lets it be. */
  full?: boolean;
  /**
   * False while losing the content would be a loss (a key that is shown once): only a button of the
   * dialog closes it.
   */
  dismissible?: boolean;
  /**
   * Where the focus goes first: into the first field, or onto the dialog, for reading before
   * acting; or onto a part of it.
   */
  focus?: 'field' | 'dialog' | RefObject<HTMLElement | null>;
  /**
   * On closing: puts the focus somewhere and answers true; without it, or on false, it goes back
   * where it came from.
   */
  returnFocus?: () => boolean;
  /** Of keys of the whole dialog: it is asked before whatever has the focus. */
  onKeyDown?: KeyboardEventHandler | undefined;
  children: ReactNode;
}

const FIRST_FIELD = '.dialog-body :is(input, textarea, select):not(:disabled)';

/**
 * Open as long as it is drawn: one that stayed while it closes would keep the focus, and the keys
 * that are pressed next.
 */
export function Dialog({
  onClose,
  title,
  description,
  footer,
  wide = false,
  full = false,
  dismissible = true,
  focus = 'field',
  returnFocus,
  onKeyDown,
  children,
}: DialogProps) {
  const popup = useRef<HTMLDivElement>(null);
  // Said by us, a dialog has its name from the first frame; Base UI tells it one later.
  const titleId = useId();
  const initialFocus = () =>
    focusAtOnce(
      popup.current,
      focus === 'field'
        ? popup.current?.querySelector<HTMLElement>(FIRST_FIELD)
        : focus === 'dialog'
          ? popup.current
          : focus.current,
    );
  return (
    <Base.Root
      open
      disablePointerDismissal={!dismissible}
      onOpenChange={(_open, { reason }) => {
        if (dismissible || reason !== 'escape-key') onClose();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="dialog-backdrop" />
        <Base.Viewport className="dialog-viewport">
          <Base.Popup
            ref={popup}
            initialFocus={initialFocus}
            finalFocus={() => returnFocus?.() !== true}
            aria-labelledby={titleId}
            onKeyDownCapture={onKeyDown}
            className={full ? 'dialog dialog-full' : wide ? 'dialog dialog-wide' : 'dialog'}
          >
            <header className="dialog-head">
              <Base.Title id={titleId} className="dialog-title">
                {title}
              </Base.Title>
              {dismissible && (
                <Base.Close className="btn btn-ghost btn-icon" aria-label={t('Close')}>
                  <X size={16} aria-hidden="true" />
                </Base.Close>
              )}
            </header>
            <div className="dialog-body">
              {description !== undefined && (
                <Base.Description className="dialog-description">{description}</Base.Description>
              )}
              {children}
            </div>
            {footer !== undefined && <footer className="dialog-foot">{footer}</footer>}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

interface ConfirmProps {
  onClose: () => void;
  title: string;
  children: ReactNode;
  action: string;
  busy: boolean;
  onConfirm: () => void;
}

/** A question that must be answered before something is lost. */
export function Confirm({ onClose, title, children, action, busy, onConfirm }: ConfirmProps) {
  const popup = useRef<HTMLDivElement>(null);
  const titleId = useId();
  return (
    <AlertDialog.Root open onOpenChange={onClose}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="dialog-backdrop" />
        <AlertDialog.Viewport className="dialog-viewport">
          <AlertDialog.Popup
            ref={popup}
            initialFocus={() => focusAtOnce(popup.current)}
            aria-labelledby={titleId}
            className="dialog"
          >
            <header className="dialog-head">
              <AlertDialog.Title id={titleId} className="dialog-title">
                {title}
              </AlertDialog.Title>
            </header>
            <div className="dialog-body">
              <AlertDialog.Description render={<div />} className="dialog-description">
                {children}
              </AlertDialog.Description>
            </div>
            <footer className="dialog-foot">
              <AlertDialog.Close className="btn btn-secondary">{t('Cancel')}</AlertDialog.Close>
              <Button variant="danger" busy={busy} onClick={onConfirm}>
                {action}
              </Button>
            </footer>
          </AlertDialog.Popup>
        </AlertDialog.Viewport>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
