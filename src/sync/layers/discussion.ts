import type { Hasher } from '../../shared/lib/hash.ts';
import {
  type Assignment,
  type ThreadEntry,
  threadId,
  type ThreadOpening,
} from '../../shared/domain/thread.ts';
import type { RoundTerms } from '../../shared/domain/round.ts';
import { compareHeads, type HeadEntry } from '../heads.ts';
import { hidesFrom, type HidingRound } from './rounds.ts';

/** Discussion beside the record (YT): pure functions of the entries that are applied here. */

/** An applied entry of a thread or an assignment, and who wrote it (`participantOf`). */
export interface AuthoredEntry<T> extends HeadEntry {
  by: string;
  value: T;
}

export type ThreadState = 'open' | 'answered' | 'closed';
/** Why a thread waits for somebody. */
export type Awaiting = 'assigned' | 'answered' | 'mentioned';

export interface Discussed {
  id: string;
  opening: ThreadOpening;
  state: ThreadState;
  assigned: string | null;
  /** All that was said, in the one order of all stores, the beginning first. */
  entries: readonly AuthoredEntry<ThreadEntry>[];
  /** Whom it waits for. */
  waits: ReadonlyMap<string, Awaiting>;
}

const inOrder = <T>(entries: Iterable<AuthoredEntry<T>>): AuthoredEntry<T>[] =>
  [...entries].sort(compareHeads);

/** Of an answer: what it makes of an open query. A closed one stays closed. */
function stateAfter(state: ThreadState, { kind }: ThreadOpening, does: string): ThreadState {
  switch (does) {
    case 'answer':
      return kind === 'query' && state === 'open' ? 'answered' : state;
    case 'close':
      return 'closed';
    case 'reopen':
      return 'open';
    default:
      return state;
  }
}

/** Whom a thread waits for: whoever was mentioned until they say something in it. */
function waitsFor(
  { kind, opened_by }: ThreadOpening,
  state: ThreadState,
  assigned: string | null,
  entries: readonly AuthoredEntry<ThreadEntry>[],
): Map<string, Awaiting> {
  const waits = new Map<string, Awaiting>();
  if (state === 'closed') return waits;
  for (const { by, value } of entries) {
    waits.delete(by);
    if ('mentions' in value)
      for (const one of value.mentions ?? []) if (one !== by) waits.set(one, 'mentioned');
  }
  if (kind === 'comment') return waits;
  if (state === 'answered') waits.set(opened_by, 'answered');
  else if (assigned !== null) waits.set(assigned, 'assigned');
  return waits;
}

/**
 * The thread of this id; undefined while its beginning is not here. Entries may come in any order
 * and several times, and all of them stay.
 */
export function threadOf(
  id: string,
  written: Iterable<AuthoredEntry<ThreadEntry>>,
  hasher: Hasher,
): Discussed | undefined {
  const all = inOrder(new Map([...written].map((one) => [one.name, one])).values());
  const first = all.find(({ value }) => value.does === 'open' && threadId(value, hasher) === id);
  if (first?.value.does !== 'open') return undefined;
  const opening = first.value;
  // A clock may have put an answer before the question.
  const entries = [first, ...all.filter(({ value }) => value.does !== 'open')];
  let state: ThreadState = 'open';
  let assigned = opening.assigned_to ?? null;
  for (const { value } of entries) {
    state = stateAfter(state, opening, value.does);
    if (value.does === 'assign') assigned = value.to;
  }
  const waits = waitsFor(opening, state, assigned, entries);
  return { id, opening, state, assigned, entries, waits };
}

/** Whom an item or a rule is assigned to: the last word of the one order. */
export const assignedTo = (written: Iterable<AuthoredEntry<Assignment>>): string | null =>
  inOrder(written).at(-1)?.value.to ?? null;

const touches = (
  { profile_uid, profile_version, items, rules }: RoundTerms,
  place: ThreadOpening['place'],
): boolean =>
  (place.on === 'rule' || items === 'all' || items.includes(place.item_uid)) &&
  (place.on === 'item' ||
    (place.profile_uid === profile_uid &&
      place.profile_version === profile_version &&
      (rules === 'all' || rules.includes(place.rule_uid))));

/** Whether somebody who records in the open round is not to be shown what is said of a place. */
export const hidesPlace = (
  round: HidingRound,
  reader: string,
  place: ThreadOpening['place'],
): boolean => hidesFrom(round, reader) && touches(round.terms, place);
