import { MOST_MENTIONED } from '../../../shared/domain/thread.ts';

/** Somebody whom a text can name. */
interface Mentionable {
  id: string;
  name: string;
}

/** The name as it is written behind `@`: an agent's without the word that says what it is. */
const written = ({ name }: Mentionable): string => name.replace(/ \([^)]*\)$/, '').toLowerCase();

/** A letter or digit behind a name makes it another one. */
const CONTINUES = /^[\p{L}\p{N}]/u;

/**
 * Whom a text mentions: each `@` with a name of somebody known, whatever its case, the longest name
 * where several fit. An address such as `a@b.org` mentions nobody.
 */
export function mentionsIn(text: string, people: readonly Mentionable[]): string[] {
  const longestFirst = people.toSorted((a, b) => written(b).length - written(a).length);
  const found = new Set<string>();
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    if (at > 0 && /[\p{L}\p{N}]/u.test(text.charAt(at - 1))) continue;
    const rest = text.slice(at + 1);
    const one = longestFirst.find((person) => {
      const name = written(person);
      return (
        name !== '' &&
        rest.toLowerCase().startsWith(name) &&
        !CONTINUES.test(rest.slice(name.length))
      );
    });
    if (one !== undefined) found.add(one.id);
  }
  return [...found].slice(0, MOST_MENTIONED);
}
