import type { ReactNode } from 'react';

interface TableProps {
  /** What the table holds: its name, shown only to assistive technology unless `showCaption`. */
  caption: string;
  showCaption?: boolean;
  head: ReactNode;
  children: ReactNode;
  dense?: boolean;
}

/** A plain table that scrolls sideways in its own frame, reachable by keyboard. */
export function Table({ caption, showCaption = false, head, children, dense = false }: TableProps) {
  return (
    // A region that scrolls must be focusable, or a keyboard cannot reach its right end.
    <div className="table-frame" role="region" aria-label={caption} tabIndex={0}>
      <table className={dense ? 'table table-dense' : 'table'}>
        <caption className={showCaption ? undefined : 'visually-hidden'}>{caption}</caption>
        <thead>{head}</thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
