import { type CommandSource, commandsOf, type Command } from '../../state/commands.ts';
import { rank } from './rank.ts';
import { t } from '../../text/t.ts';

export interface Section {
  value: string;
  items: Command[];
}

/** As many of a place as are shown where it is asked for alone, and beside commands. */
export const PLACE_MOST = { alone: 50, beside: 8 };

function byGroup(commands: readonly Command[]): Section[] {
  const sections = new Map<string, Command[]>();
  for (const command of commands) {
    const held = sections.get(command.group);
    if (held === undefined) sections.set(command.group, [command]);
    else held.push(command);
  }
  return [...sections].map(([value, items]) => ({ value, items }));
}

/**
 * What the palette lists: recent commands first and all by group; once something is typed, what
 * fits best first, then the things found on screen, then those that the server has found.
 */
export function sectionsFor(
  sources: readonly CommandSource[],
  place: string | undefined,
  typed: string,
  recent: readonly string[],
  found: readonly Section[] = [],
): Section[] {
  const places = sources.flatMap((source) => source.places);
  if (place !== undefined)
    return places
      .filter(({ name }) => name === place)
      .map(({ name, find }) => ({ value: name, items: find(typed, PLACE_MOST.alone) }));
  const commands = commandsOf(sources);
  if (typed.trim() === '') {
    const used = recent.flatMap((id) => commands.find((command) => command.id === id) ?? []);
    const rest = byGroup(commands.filter((command) => !used.includes(command)));
    return used.length === 0 ? rest : [{ value: t('Recent'), items: used }, ...rest];
  }
  return [
    { value: t('Commands'), items: rank(commands, typed) },
    ...places.map(({ name, find }) => ({ value: name, items: find(typed, PLACE_MOST.beside) })),
    ...found,
  ].filter(({ items }) => items.length > 0);
}
