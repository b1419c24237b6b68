import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { STYLE } from '../../../src/server/pages/style.ts';

const css = readFileSync(new URL('../../../src/renderer/ui/tokens.css', import.meta.url), 'utf8');

function variables(block: string): Map<string, string> {
  return new Map(
    [...block.matchAll(/(--[a-z0-9-]+):\s*([^;]+);/g)].map(([, name, value]) => [
      name as string,
      value as string,
    ]),
  );
}

const darkBlocks = [...css.matchAll(/\/\* dark:begin \*\/([\s\S]*?)\/\* dark:end \*\//g)].map(
  (match) => match[1] as string,
);
const light = variables(css.slice(css.indexOf(':root {'), css.indexOf('@media')));
const themes = { light, dark: new Map([...light, ...variables(darkBlocks[0] as string)]) };

/** Relative luminance of sRGB, WCAG 2.2. */
function luminance(hex: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** Text on ground: 4.5. */
const TEXT = [
  ['--text', '--bg'],
  ['--text', '--surface'],
  ['--text', '--surface-2'],
  ['--text', '--accent-soft'],
  ['--text', '--warning-soft'],
  ['--text', '--danger-soft'],
  ['--text-muted', '--bg'],
  ['--text-muted', '--surface'],
  ['--text-muted', '--surface-2'],
  ['--text-muted', '--accent-soft'],
  ['--text-muted', '--warning-soft'],
  ['--text-muted', '--danger-soft'],
  ['--accent', '--bg'],
  ['--accent', '--surface'],
  ['--accent', '--surface-2'],
  ['--accent-text', '--accent'],
  ['--accent-text', '--accent-hover'],
  ['--false-fg', '--false-bg'],
  ['--true-fg', '--true-bg'],
  ['--na-fg', '--na-bg'],
  ['--false-solid-fg', '--false-solid'],
  ['--true-solid-fg', '--true-solid'],
  ['--danger', '--surface'],
  ['--danger', '--bg'],
  ['--danger', '--danger-soft'],
  ['--danger-text', '--danger'],
  ['--warning-fg', '--warning-soft'],
] as const;

/** Edges of controls, marks and the focus ring: 3. */
const MARKS = [
  ['--border-strong', '--bg'],
  ['--border-strong', '--surface'],
  ['--unrecorded-border', '--surface'],
  ['--focus', '--bg'],
  ['--focus', '--surface'],
  ['--focus', '--surface-2'],
  ['--false-solid', '--surface'],
  ['--true-solid', '--surface'],
  ['--na-hatch', '--na-bg'],
  ['--accent', '--surface'],
] as const;

describe('the colours of the tokens', () => {
  it('are the same for a system that prefers dark and for a person who chose dark', () => {
    expect(darkBlocks).toHaveLength(2);
    expect(variables(darkBlocks[0] as string)).toEqual(variables(darkBlocks[1] as string));
  });

  it('are those of the pages that the server writes, by the same names', () => {
    const own = [
      ...STYLE.matchAll(/(--[a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g),
    ].map(([, name, light, dark]) => [name, light, dark]);
    expect(own).toHaveLength(15);
    expect(own).toEqual(
      own.map(([name]) => [name, themes.light.get(name!), themes.dark.get(name!)]),
    );
    expect(STYLE.split('}').slice(1).join('}')).not.toContain('#');
  });

  it.each(Object.entries(themes))('can be read in the %s theme', (_name, theme) => {
    const colour = (name: string) => theme.get(name) as string;
    const weak = [
      ...TEXT.filter(([front, back]) => contrast(colour(front), colour(back)) < 4.5),
      ...MARKS.filter(([front, back]) => contrast(colour(front), colour(back)) < 3),
    ].map(
      ([front, back]) => `${front} on ${back}: ${contrast(colour(front), colour(back)).toFixed(2)}`,
    );
    expect(weak).toEqual([]);
  });
});
