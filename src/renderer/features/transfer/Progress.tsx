/** How far a long work is. Without a share the bar only shows that something goes on. */
export function Progress({ label, done }: { label: string; done: number | undefined }) {
  return (
    <div className="tr-progress">
      <span aria-live="polite">{label}</span>
      <progress aria-label={label} {...(done === undefined ? {} : { value: done })} max={1} />
    </div>
  );
}
