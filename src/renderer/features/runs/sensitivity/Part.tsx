import type { ReactNode } from 'react';

/** A part of the section, with its heading and what it says in words. */
export function Part({
  title,
  note,
  children,
}: {
  title: string;
  note: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="section">
      <h3>{title}</h3>
      <p className="section-note">{note}</p>
      {children}
    </div>
  );
}
