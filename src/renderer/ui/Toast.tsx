import { Toast as Base } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import { t } from '../text/t.ts';

export interface Announce {
  (message: {
    title: string;
    description?: string;
    tone?: 'plain' | 'danger';
    /** What can be done about it at once, such as Undo. */
    action?: { label: string; run: () => void };
  }): void;
}

/** Short news at the edge of the screen, also for screen readers; never the only place of it. */
export function useToast(): Announce {
  const { add, close } = Base.useToastManager();
  return useMemo(
    () =>
      ({ title, description, tone = 'plain', action }) => {
        const id = add({
          title,
          description,
          type: tone,
          priority: tone === 'danger' ? 'high' : 'low',
          timeout: tone === 'danger' ? 0 : action === undefined ? 6_000 : 15_000,
          ...(action !== undefined && {
            actionProps: {
              children: action.label,
              onClick: () => {
                close(id);
                action.run();
              },
            },
          }),
        });
      },
    [add, close],
  );
}

function ToastList() {
  const { toasts } = Base.useToastManager();
  return toasts.map((toast) => (
    <Base.Root
      key={toast.id}
      toast={toast}
      className="toast"
      data-tone={toast.type}
      swipeDirection={[]}
    >
      <div className="toast-text">
        <Base.Title className="toast-title" render={<p />} />
        <Base.Description className="toast-description" render={<p />} />
      </div>
      {toast.actionProps !== undefined && <Base.Action className="btn btn-secondary btn-sm" />}
      <Base.Close className="btn btn-ghost btn-icon" aria-label={t('Dismiss')}>
        <X size={14} aria-hidden="true" />
      </Base.Close>
    </Base.Root>
  ));
}

export function ToastProvider({ children }: { children: ReactNode }) {
  return (
    <Base.Provider limit={4}>
      {children}
      <Base.Portal>
        <Base.Viewport className="toast-viewport">
          <ToastList />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  );
}
