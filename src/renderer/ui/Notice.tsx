import { CircleAlert, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

type NoticeTone = 'info' | 'warning' | 'danger';
const ICON = { info: Info, warning: TriangleAlert, danger: CircleAlert };

/**
 * A statement that stays on the page. `live` when it appears in answer to something the reader did.
 */
export function Notice({
  tone = 'info',
  title,
  children,
  actions,
  live = false,
}: {
  tone?: NoticeTone;
  title?: string;
  children?: ReactNode;
  actions?: ReactNode;
  live?: boolean;
}) {
  const Icon = ICON[tone];
  const role = live ? (tone === 'danger' ? 'alert' : 'status') : undefined;
  return (
    <div className="notice" data-tone={tone} role={role}>
      <Icon size={16} aria-hidden="true" className="notice-icon" />
      <div className="notice-text">
        {title !== undefined && <strong className="notice-title">{title}</strong>}
        {children}
      </div>
      {actions !== undefined && <div className="notice-actions">{actions}</div>}
    </div>
  );
}
