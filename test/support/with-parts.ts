/**
 * A reader or writer some of whose parts are these. Its own parts are bound when they are first
 * reached, so a copy by spreading would leave them out.
 */
export function withParts<T extends object>(of: T, parts: Partial<T>): T {
  const derived: T = Object.create(of);
  for (const [name, value] of Object.entries(parts))
    Object.defineProperty(derived, name, { value });
  return derived;
}
