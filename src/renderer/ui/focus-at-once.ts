const CONTROL =
  ':is(a[href], button, input, textarea, select):not(:disabled), [tabindex]:not([tabindex="-1"])';

/**
 * The first focus of a dialog: the given element, or else its first control. Base UI would wait for
 * the next frame, and what is typed until then would go where the focus was, as into a cell. The
 * answer tells it that nothing is left to do.
 */
export function focusAtOnce(dialog: HTMLElement | null, wanted?: HTMLElement | null): false {
  const target = wanted ?? dialog?.querySelector<HTMLElement>(CONTROL) ?? dialog;
  target?.focus({ preventScroll: target === dialog });
  return false;
}
