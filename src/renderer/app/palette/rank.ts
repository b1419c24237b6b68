import type { Command } from '../../state/commands.ts';

/** Letters in order, with others between. */
export const LOOSE = 4;

/**
 * How well a text fits what was typed; smaller is better, undefined does not fit. The whole text,
 * prefix, start of a word, inside, then letters in order.
 */
export function fit(text: string, typed: string): number | undefined {
  const [held, wanted] = [text.toLowerCase(), typed.trim().toLowerCase()];
  if (wanted === '') return 0;
  const at = held.indexOf(wanted);
  if (held === wanted) return -1;
  if (at === 0) return 0;
  if (at > 0) return /[\s:,(.]/.test(held.charAt(at - 1)) ? 1 : 2;
  const words = wanted.split(/\s+/);
  if (words.length > 1 && words.every((word) => held.includes(word))) return 3;
  let place = -1;
  for (const letter of wanted) {
    if (letter === ' ') continue;
    place = held.indexOf(letter, place + 1);
    if (place < 0) return undefined;
  }
  return wanted.length < 3 ? undefined : LOOSE;
}

/**
 * The commands that fit, best first; of those that fit alike, what can be done now first, otherwise
 * in the order they came in. A loose fit counts only where there is no better one.
 */
export function rank(commands: readonly Command[], typed: string): Command[] {
  const fitting = commands
    .flatMap((command) => {
      const score = fit(command.label, typed) ?? fit(`${command.group} ${command.label}`, typed);
      return score === undefined ? [] : [{ command, score }];
    })
    .sort(
      (left, right) =>
        left.score - right.score || Number(right.command.enabled) - Number(left.command.enabled),
    );
  const best = fitting[0]?.score ?? LOOSE;
  return fitting
    .filter(({ score }) => best === LOOSE || score < LOOSE)
    .map(({ command }) => command);
}
