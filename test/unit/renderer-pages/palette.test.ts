import { describe, expect, it } from 'vitest';
import { stillFitting } from '../../../src/renderer/app/palette/found.ts';
import { fit, rank } from '../../../src/renderer/app/palette/rank.ts';
import { sectionsFor } from '../../../src/renderer/app/palette/sections.ts';
import type { Command, CommandSource } from '../../../src/renderer/state/commands.ts';
import { parseRecent, withRecent } from '../../../src/renderer/state/recent-commands.ts';

const command = (label: string, group = 'Record'): Command => ({
  id: label,
  label,
  group,
  keys: '',
  enabled: true,
  run: () => undefined,
});
const commands = [
  command('Undo', 'History'),
  command('Clear to unrecorded'),
  command('Next unrecorded cell', 'Move'),
  command('Run', 'Files'),
  command('Go to runs', 'Pages'),
];
const source: CommandSource = {
  commands: () => commands,
  places: [
    {
      name: 'Items',
      find: (text, most) =>
        ['a_1', 'a_2']
          .filter((uid) => uid.startsWith(text))
          .slice(0, most)
          .map((uid) => command(uid, 'Items')),
    },
  ],
};

describe('the palette', () => {
  it('puts a prefix before the start of a word before the inside', () => {
    expect(fit('Run', 'ru')).toBe(0);
    expect(fit('Go to runs', 'ru')).toBe(1);
    expect(fit('Next unrecorded', 'rec')).toBe(2);
    expect(fit('Next unrecorded', 'rec next')).toBe(3);
    expect(fit('Next unrecorded', 'nxt')).toBe(4);
    expect(fit('Next unrecorded', 'xyz')).toBeUndefined();
    expect(rank(commands, 'run').map(({ label }) => label)).toEqual(['Run', 'Go to runs']);
    expect(rank(commands, 'nxtu').map(({ label }) => label)).toEqual(['Next unrecorded cell']);
  });

  it('puts what can be done before what cannot where both fit alike, and the whole name first', () => {
    const shown = (typed: string, ...given: Command[]): string[] =>
      rank(given, typed).map(({ label }) => label);
    const of = command('Show items with this value of the field');
    const plain = command('Show items with this value');
    const off = { enabled: false, reason: 'nothing to do here' };
    expect(shown('show items', { ...of, ...off }, plain)).toEqual([plain.label, of.label]);
    expect(shown(plain.label, of, plain)).toEqual([plain.label, of.label]);
    expect(shown(plain.label, of, { ...plain, ...off })).toEqual([plain.label, of.label]);
    expect(shown('show items', of, plain)).toEqual([of.label, plain.label]);
  });

  it('lists recent commands first, and no command twice', () => {
    const sections = sectionsFor([source], undefined, '', ['Run', 'gone', 'Undo']);
    expect(sections[0]).toMatchObject({ value: 'Recent', items: [{ id: 'Run' }, { id: 'Undo' }] });
    const ids = sections.flatMap(({ items }) => items.map(({ id }) => id));
    expect(ids.length).toBe(new Set(ids).size);
    expect(ids.length).toBe(commands.length);
  });

  it('adds what is found once something is typed, and one place alone where asked', () => {
    expect(sectionsFor([source], undefined, 'a_', []).map(({ value }) => value)).toEqual(['Items']);
    expect(
      sectionsFor([source], 'Items', '', []).map(({ value, items }) => [value, items.length]),
    ).toEqual([['Items', 2]]);
  });

  it('keeps of what was found for an earlier text only what fits the one that is typed now', () => {
    const cases = [
      { ...command('Trio 2 (copy)'), detail: 'trio-2' },
      { ...command('Trio 1'), detail: 'trio-1' },
      { ...command('Exome'), detail: 'TRIO-17 in Trio 3' },
    ];
    const shown = (typed: string): string[] =>
      stillFitting([{ value: 'Cases', items: cases }], typed).flatMap(({ items }) =>
        items.map(({ label }) => label),
      );
    expect(shown('trio')).toEqual(['Trio 2 (copy)', 'Trio 1', 'Exome']);
    expect(shown('trio 1')).toEqual(['Trio 1', 'Exome']);
    expect(shown('Trio 17')).toEqual(['Exome']);
    expect(shown('copy TRIO ')).toEqual(['Trio 2 (copy)']);
    expect([shown('trio 4'), shown('')]).toEqual([[], []]);
    expect(stillFitting([{ value: 'Cases', items: cases }], 'zz')).toEqual([]);
  });

  it.each([null, '{', '{}', '[1]', '[""]', '["1","2","3","4","5","6","7"]'])(
    'forgets recent commands that are stored as %s',
    (text) => {
      expect(parseRecent(text)).toEqual([]);
    },
  );

  it('remembers six, the last first', () => {
    expect(withRecent(['a', 'b'], 'b')).toEqual(['b', 'a']);
    expect(withRecent(['1', '2', '3', '4', '5', '6'], '7')).toEqual(['7', '1', '2', '3', '4', '5']);
  });
});
