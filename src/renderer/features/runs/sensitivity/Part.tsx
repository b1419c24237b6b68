import { type ReactNode, useId } from 'react';

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
  const id = useId();
  return (
    <section className="section" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      <p className="section-note">{note}</p>
      {children}
    </section>
  );
}
