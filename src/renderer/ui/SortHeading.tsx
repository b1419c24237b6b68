import { ArrowDown, ArrowUp } from 'lucide-react';

/** What a table is sorted by, and which way. */
export interface Sorting<S extends string> {
  sort: S;
  order: 'asc' | 'desc';
}

interface SortHeadingProps<S extends string> {
  by: S;
  label: string;
  /** The way that a first click sorts: dates begin with the newest. */
  first?: 'asc' | 'desc';
  sorting: Sorting<S>;
  onSort: (sorting: Sorting<S>) => void;
}

/** The heading of a column by which the table can be sorted. */
export function SortHeading<S extends string>({
  by,
  label,
  first = 'asc',
  sorting,
  onSort,
}: SortHeadingProps<S>) {
  const isOn = sorting.sort === by;
  const isUp = sorting.order === 'asc';
  const Arrow = isUp ? ArrowUp : ArrowDown;
  const other = isUp ? 'desc' : 'asc';
  return (
    <th scope="col" aria-sort={isOn ? (isUp ? 'ascending' : 'descending') : undefined}>
      <button
        type="button"
        className="sort-heading"
        onClick={() => onSort({ sort: by, order: isOn ? other : first })}
      >
        {label}
        {isOn && <Arrow size={12} aria-hidden="true" />}
      </button>
    </th>
  );
}
