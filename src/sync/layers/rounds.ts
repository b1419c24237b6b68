import { canonicalJson } from '../../shared/lib/canonical-json.ts';
import type { Hasher } from '../../shared/lib/hash.ts';
import { addToSum, EMPTY_SUM } from '../log.ts';
import type { RegisterCell, Layer, Register } from '../register.ts';
import { type Commitment, roundId, type RoundTerms } from '../../shared/domain/round.ts';

/** Rounds of independent recording: what the announcements of a case's stream say of one. */

/** An applied entry of a register that says something about a round. */
export interface RoundEntry {
  register: Register;
  value: unknown;
}

export interface RecordingRound {
  id: string;
  terms: RoundTerms;
  state: 'open' | 'released';
  /** What each recorder committed to; several that differ are all here. */
  commitments: ReadonlyMap<string, readonly Commitment[]>;
  removed: ReadonlySet<string>;
}

/**
 * The round of this id; undefined where no terms of it are here. Entries may come in any order and
 * several times; with more of them a round only goes from open to released, never back.
 */
export function roundOf(
  id: string,
  entries: Iterable<RoundEntry>,
  hasher: Hasher,
): RecordingRound | undefined {
  let terms: RoundTerms | undefined;
  let isReleased = false;
  const commitments = new Map<string, Commitment[]>();
  const removed = new Set<string>();
  for (const { register, value } of entries) {
    if (!('round' in register) || register.round !== id) continue;
    if (register.kind === 'done') {
      const before = commitments.get(register.recorder) ?? [];
      if (before.every((one) => canonicalJson(one) !== canonicalJson(value)))
        commitments.set(register.recorder, [...before, value as Commitment]);
    } else if (register.kind === 'removed') removed.add(register.recorder);
    else if (register.kind !== 'round') continue;
    else if (register.field === 'state') isReleased = true;
    else if (register.field === 'terms' && roundId(value as RoundTerms, hasher) === id)
      terms = value as RoundTerms;
  }
  if (terms === undefined) return undefined;
  const done = terms.recorders.filter(
    (recorder) => commitments.get(recorder)?.some(({ after_release }) => !after_release) === true,
  );
  return {
    id,
    terms,
    state: isReleased || done.length >= terms.quorum ? 'released' : 'open',
    commitments,
    removed,
  };
}

export const isRecorder = ({ recorders }: RoundTerms, id: string): boolean =>
  recorders.some((recorder) => recorder === id);

/** Whether a cell is one of the round. */
export const isInRound = (
  { profile_uid, profile_version, items, rules }: RoundTerms,
  { profile, version, item, rule }: RegisterCell,
): boolean =>
  profile === profile_uid &&
  version === profile_version &&
  (items === 'all' || items.includes(item)) &&
  (rules === 'all' || rules.includes(rule));

/** What of a round decides whether it hides its cells from somebody. */
export type HidingRound = Pick<RecordingRound, 'terms' | 'state' | 'removed'>;

/**
 * Whether somebody records in the round while it is open, and is not shown the record meanwhile.
 */
export const hidesFrom = ({ terms, state, removed }: HidingRound, reader: string): boolean =>
  state === 'open' &&
  terms.record === 'hidden' &&
  isRecorder(terms, reader) &&
  !removed.has(reader);

/**
 * Whether somebody who records in an open round is not to be shown what the record, its suggestions
 * and decisions say of a cell.
 */
export const hidesRecord = (round: HidingRound, reader: string, cell: RegisterCell): boolean =>
  hidesFrom(round, reader) && isInRound(round.terms, cell);

/** Who asks a server about a layer. */
export interface LayerCaller {
  /** The person or key; of a studio's key the connected person. */
  id: string;
  /** A studio's key: it brings what was written in the studio. */
  isStudio: boolean;
  isOwner: boolean;
  /** Whether the server has a key of this id itself, and so hears of it from that key alone. */
  hasKey: (id: string) => boolean;
}

/**
 * Whether a server gives the layer: to its recorder, and to all who read the case once released.
 */
export const mayReadLayer = (
  layer: Layer,
  round: RecordingRound | undefined,
  { id }: Pick<LayerCaller, 'id'>,
): boolean =>
  round !== undefined &&
  isRecorder(round.terms, layer.recorder) &&
  (round.state === 'released' || id === layer.recorder);

type LayerDenial = 'not_found' | 'author_not_allowed' | 'insufficient_scope';

/**
 * Whether the caller speaks for a recorder: is it, or brings it from the studio of the same user.
 */
const speaksFor = (
  { id, isStudio, hasKey }: LayerCaller,
  recorder: string,
  user: string,
): boolean => id === recorder || (isStudio && user === id && !hasKey(recorder));

/** The author of a change: who they are as a recorder, and their user. */
export interface LayerAuthor {
  id: string | undefined;
  user: string;
}

/**
 * Why a server does not take a change of a layer; undefined if it does. Whoever may not read the
 * layer is answered as if there were none, also where they bring to it what is their own.
 */
export function layerDenial(
  layer: Layer,
  round: RecordingRound | undefined,
  caller: LayerCaller,
  author: LayerAuthor,
): LayerDenial | undefined {
  const isTheirs = author.id === layer.recorder && speaksFor(caller, layer.recorder, author.user);
  if (!isTheirs && !mayReadLayer(layer, round, caller)) return 'not_found';
  if (round === undefined || !isRecorder(round.terms, layer.recorder)) return 'not_found';
  // The studio of an owner brings back what this server has lost. What it might add is shown with
  // who sent it, and is in no list that a commitment is over.
  if (caller.isStudio && caller.isOwner && round.state === 'released') return undefined;
  return isTheirs && !round.removed.has(layer.recorder) ? undefined : 'author_not_allowed';
}

/**
 * Why a server does not take an entry about a round; undefined if it does. Since such an entry may
 * open what is sealed, a studio brings those of its connected user alone, even an owner's: it may
 * have them from a version that asked nobody. Terms and titles open nothing.
 */
export function roundDenial(
  register: Register,
  author: LayerAuthor,
  caller: LayerCaller,
  round: RecordingRound | undefined,
): LayerDenial | undefined {
  if (!('round' in register) || (register.kind === 'round' && register.field !== 'state'))
    return undefined;
  if (register.kind === 'done') {
    if (author.id !== register.recorder || !speaksFor(caller, register.recorder, author.user))
      return 'author_not_allowed';
    return round?.removed.has(register.recorder) === true ? 'author_not_allowed' : undefined;
  }
  if (author.id !== caller.id) return 'author_not_allowed';
  return caller.isOwner || (register.kind === 'removed' && round?.terms.opened_by === caller.id)
    ? undefined
    : 'insufficient_scope';
}

/** The commitment over these changes. */
export const commitmentOf = (ids: readonly string[]): Commitment => ({
  count: ids.length,
  sum: addToSum(EMPTY_SUM, ...ids),
});
