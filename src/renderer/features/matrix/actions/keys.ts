import { z } from 'zod';
import { createStore } from 'zustand/vanilla';
import type { EditorAction } from '../editor/action.ts';
import { ACTIONS } from './all.ts';
import { parseStored, readStored, writeStored } from '../../../state/stored.ts';
import { t } from '../../../text/t.ts';

/** Letters that a person may exchange for others, as the table has them. */
export const LETTERS = ['T', 'F', 'N', 'U'] as const;
export type Letter = (typeof LETTERS)[number];

const Key = z.string().regex(/^[A-Z]$/);
const KeyPreferences = z.strictObject({
  /** False: no single letter or sign means a command. */
  single: z.boolean(),
  letters: z.strictObject({ T: Key, F: Key, N: Key, U: Key }),
});
export type KeyPreferences = z.infer<typeof KeyPreferences>;

const STORED = 'evidence-studio.keys';
export const USUAL_KEYS: KeyPreferences = {
  single: true,
  letters: { T: 'T', F: 'F', N: 'N', U: 'U' },
};

/** `Shift+` belongs to the other half of the same letter: "U" and "Shift+U" move together. */
const SINGLE = /^(Shift\+)?(.)$/u;
const letterOf = (chord: string): Letter | undefined =>
  LETTERS.find((letter) => letter === SINGLE.exec(chord)?.[2]);

/**
 * Single letters of the table that stay where they are; those of the review are in nobody's way.
 */
const fixedLetters = new Set(
  ACTIONS.flatMap(({ keys, scope }) => (scope === 'review' ? [] : keys)).flatMap((chord) =>
    letterOf(chord) === undefined ? (SINGLE.exec(chord)?.[2] ?? []) : [],
  ),
);

/** Why these letters cannot be used together; undefined where they can. */
export function conflictIn(letters: KeyPreferences['letters']): string | undefined {
  for (const letter of LETTERS) {
    const key = letters[letter];
    if (!/^[A-Z]$/.test(key)) return t('“{key}” is not a letter from A to Z.', { key });
    if (fixedLetters.has(key)) return t('{key} already means something else.', { key });
    if (LETTERS.some((other) => other !== letter && letters[other] === key))
      return t('{key} is given to two commands.', { key });
  }
  return undefined;
}

const usable = (read: KeyPreferences | undefined): KeyPreferences =>
  read !== undefined && conflictIn(read.letters) === undefined ? read : USUAL_KEYS;

export const parseKeyPreferences = (text: string | null): KeyPreferences =>
  usable(parseStored(text, KeyPreferences));

/** The chords of an action as this person has them. */
export function chordsUnder(
  action: EditorAction,
  { single, letters }: KeyPreferences,
): readonly string[] {
  return action.keys.flatMap((chord) => {
    if (!SINGLE.test(chord)) return [chord];
    const letter = letterOf(chord);
    if (!single) return [];
    return letter === undefined ? [chord] : [chord.replace(letter, letters[letter])];
  });
}

type Chords = ReadonlyMap<string, EditorAction>;
const chordTable = (preferences: KeyPreferences): { byChord: Chords; inReview: Chords } => {
  const table = (wanted: (action: EditorAction) => boolean): Chords =>
    new Map(
      ACTIONS.filter(wanted).flatMap((action) =>
        chordsUnder(action, preferences).map((chord) => [chord, action] as const),
      ),
    );
  return {
    byChord: table(({ native, scope }) => native !== true && scope !== 'review'),
    inReview: table(({ scope }) => scope === 'review'),
  };
};

/** The keys in force in every editor of this window. */
export const keyStore = createStore<{
  preferences: KeyPreferences;
  byChord: Chords;
  inReview: Chords;
}>()(() => {
  const preferences = usable(readStored(STORED, KeyPreferences));
  return { preferences, ...chordTable(preferences) };
});

/** Refused with the reason where two commands would share a letter. */
export function setKeyPreferences(preferences: KeyPreferences): string | undefined {
  const conflict = conflictIn(preferences.letters);
  if (conflict !== undefined) return conflict;
  keyStore.setState({ preferences, ...chordTable(preferences) });
  writeStored(STORED, preferences);
  return undefined;
}

/** What a chord means now. */
export const actionFor = (chord: string): EditorAction | undefined =>
  keyStore.getState().byChord.get(chord);
/** What a chord means in the review. */
export const reviewActionFor = (chord: string): EditorAction | undefined =>
  keyStore.getState().inReview.get(chord);
export const chordsOf = (action: EditorAction): readonly string[] =>
  chordsUnder(action, keyStore.getState().preferences);
