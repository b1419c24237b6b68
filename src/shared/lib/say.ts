/**
 * Texts for people outside of the studio's pages, which have plurals: here `{name}` alone stands
 * for a value. A text is written in English where it is said, and looked up by that.
 */
export type Say = (message: string, values?: Readonly<Record<string, string | number>>) => string;

export const sayFrom =
  (catalogue: Readonly<Record<string, string>>): Say =>
  (message, values = {}) =>
    (catalogue[message] ?? message).replaceAll(/\{(\w+)\}/g, (place, name: string) =>
      Object.hasOwn(values, name) ? String(values[name]) : place,
    );
