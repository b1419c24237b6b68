import type { ReactNode } from 'react';

export function EmptyState({
  title,
  children,
  actions,
}: {
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <div className="empty">
      <h2 className="empty-title">{title}</h2>
      {children !== undefined && <div className="empty-text">{children}</div>}
      {actions !== undefined && <div className="actions">{actions}</div>}
    </div>
  );
}
