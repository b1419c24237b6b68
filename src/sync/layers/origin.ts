import { canonicalJson } from '../../shared/lib/canonical-json.ts';
import type { Assertion } from '../assertion.ts';
import type { Author, Change, Entry } from '../change.ts';
import { layerOf, type Register } from '../register.ts';
import { isPerson, isSameCell } from './authors.ts';
import { type SuggestionDecision, From, type Suggestion } from './values.ts';

/** An applied entry, the stream that it is in, and whose it is. */
export interface AppliedEntry {
  register: Register;
  value: unknown;
  stream: string;
  by: Author;
}

/**
 * What an outcome of the record comes from. `awaited`: it says from which entries, and not all of
 * them are here.
 */
export type OutcomeOrigin =
  | { kind: 'own' }
  | { kind: 'awaited' }
  | Accepted
  /** A person settled what recorders of a round said, or took over what they agree on. */
  | { kind: 'adjudicated' | 'agreed'; entries: readonly string[]; round: string; by: Author };

/** A person accepted a suggestion; `edited` where they state another source or provenance. */
interface Accepted {
  kind: 'accepted';
  suggestion: string;
  source: string;
  /** Whose suggestion it was. */
  author: Author;
  by: Author;
  edited: boolean;
}

/** Whose an outcome is to be called: its author's, or the suggestion's, with who accepted it. */
export const recordedBy = (
  origin: OutcomeOrigin,
  author: Author,
): { author: Author; acceptedBy?: Author } =>
  origin.kind === 'accepted' ? { author: origin.author, acceptedBy: origin.by } : { author };

const OWN: OutcomeOrigin = { kind: 'own' };

/** One written outcome of the record: its change, and the registers of the change's entries. */
interface WrittenOutcome {
  change: Pick<Change, 'case' | 'by' | 'why'> & { entries: readonly Entry[] };
  index: number;
  /** Undefined where an entry is quarantined. */
  registers: (index: number) => Register | undefined;
}

const isSame = (a: unknown, b: unknown): boolean =>
  canonicalJson(a ?? null) === canonicalJson(b ?? null);

/**
 * Where an outcome comes from. What `from` says counts only where a person wrote it and it is so:
 * anybody may write any names there, and older versions pass them on. `find` gives an applied entry
 * by its name; of a layer only what counts in its round, once that is released.
 */
export function originOf(
  written: WrittenOutcome,
  find: (name: string) => AppliedEntry | undefined,
): OutcomeOrigin {
  const { change, index, registers } = written;
  const from = From.safeParse(change.entries[index]?.from);
  if (registers(index)?.kind !== 'assertion' || !from.success || !isPerson(change.by)) return OWN;
  const found = from.data.map((name) => ({ name, entry: find(name) }));
  const [first] = found;
  if (found.some(({ entry }) => entry === undefined)) return { kind: 'awaited' };
  const known = found.flatMap(({ name, entry }) =>
    entry === undefined ? [] : [{ name, ...entry }],
  );
  return first?.entry?.register.kind === 'suggestion'
    ? acceptedFrom(written, known)
    : settledFrom(written, known);
}

type Cited = AppliedEntry & { name: string };

/**
 * An acceptance is a person's outcome with the decision behind it, about a suggestion that says so.
 */
function acceptedFrom(
  { change, index, registers }: WrittenOutcome,
  [cited, ...more]: readonly Cited[],
): OutcomeOrigin {
  const cell = registers(index);
  const decision = registers(index + 1);
  if (
    cited?.register.kind !== 'suggestion' ||
    cell?.kind !== 'assertion' ||
    decision?.kind !== 'decision' ||
    more.length > 0
  )
    return OWN;
  const { source } = cited.register;
  const decided = change.entries[index + 1]?.value as SuggestionDecision | null;
  const suggestion = cited.value as Suggestion | null;
  const outcome = change.entries[index]?.value as Assertion;
  if (
    cited.stream !== change.case ||
    !isSameCell(cited.register, cell) ||
    !isSameCell(decision, cell) ||
    decision.source !== source ||
    decided?.verdict !== 'accepted' ||
    decided.entry !== cited.name ||
    suggestion?.raw_outcome !== outcome.raw_outcome
  )
    return OWN;
  const edited =
    !isSame(suggestion.source_value, outcome.source_value) ||
    !isSame(suggestion.provenance, outcome.provenance);
  return {
    kind: 'accepted',
    suggestion: cited.name,
    source,
    author: cited.by,
    by: change.by,
    edited,
  };
}

/**
 * What recorders of one round said of the cell, each once; to settle a difference needs a reason.
 */
function settledFrom(
  { change, index, registers }: WrittenOutcome,
  cited: readonly Cited[],
): OutcomeOrigin {
  const cell = registers(index);
  const written = change.entries[index]?.value as Assertion;
  const said = cited.flatMap(({ register, stream, value }) => {
    const layer = layerOf(stream);
    return layer !== undefined &&
      layer.case === change.case &&
      register.kind === 'assertion' &&
      cell?.kind === 'assertion' &&
      isSameCell(register, cell)
      ? [{ ...layer, outcome: (value as Assertion).raw_outcome }]
      : [];
  });
  const rounds = new Set(said.map(({ round }) => round));
  const recorders = new Set(said.map(({ recorder }) => recorder));
  const [round] = rounds;
  if (round === undefined || rounds.size > 1 || recorders.size < cited.length) return OWN;
  const agreed = said.every(({ outcome }) => outcome === written.raw_outcome);
  if (!agreed && (change.why === null || change.why.trim() === '')) return OWN;
  return {
    kind: agreed ? 'agreed' : 'adjudicated',
    entries: cited.map(({ name }) => name),
    round,
    by: change.by,
  };
}
