/** Progress of a long task. Without a share the bar only shows that it is running. */
export function Progress({ label, done }: { label: string; done: number | undefined }) {
  return (
    <div className="tr-progress">
      <span aria-live="polite">{label}</span>
      <progress aria-label={label} {...(done === undefined ? {} : { value: done })} max={1} />
    </div>
  );
}
