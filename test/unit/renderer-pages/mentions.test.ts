import { describe, expect, it } from 'vitest';
import { mentionsIn } from '../../../src/renderer/features/discussion/mentions.ts';

const PEOPLE = [
  { id: 'usr_a', name: 'Ada' },
  { id: 'usr_al', name: 'Ada Lovelace' },
  { id: 'usr_o', name: 'Örs' },
  { id: 'k7d2m4q6r8', name: 'Reader (agent)' },
];

describe('whom a text mentions', () => {
  it.each<[string, string[]]>([
    ['@Ada, look', ['usr_a']],
    ['look, @ada', ['usr_a']],
    ['@Ada Lovelace and @Ada', ['usr_al', 'usr_a']],
    ['@Ada @Ada', ['usr_a']],
    ['(@örs) @Reader: read', ['usr_o', 'k7d2m4q6r8']],
    ['@Adam', []],
    ['mail ada@ada.org', []],
    ['Ada', []],
    ['@', []],
  ])('%s', (text, expected) => expect(mentionsIn(text, PEOPLE)).toEqual(expected));
});
