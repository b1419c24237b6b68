/** Grey lines in the place of what is loading; `label` is what a screen reader hears. */
export function Skeleton({ lines = 4, label }: { lines?: number; label: string }) {
  return (
    <div className="skeleton" role="status" aria-live="polite">
      <span className="visually-hidden">{label}</span>
      {Array.from({ length: lines }, (_, index) => (
        <span
          key={index}
          className="skeleton-line"
          aria-hidden="true"
          data-short={index % 3 === 2 || undefined}
        />
      ))}
    </div>
  );
}
