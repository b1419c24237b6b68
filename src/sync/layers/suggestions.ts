import { canonicalJson } from '../../shared/lib/canonical-json.ts';
import type { Assertion } from '../assertion.ts';
import type { Entry } from '../change.ts';
import { type RegisterCell, formatRegister } from '../register.ts';
import { From, type SuggestionDecision, type Suggestion } from './values.ts';

/** What a register shows: its displayed entry and that entry's value. */
export interface DisplayedEntry<T> {
  name: string;
  value: T;
}

/** What of the case a suggestion is compared with. */
export interface CellView {
  /** The displayed suggestion of the same source for the cell. */
  suggestion: DisplayedEntry<Suggestion | null> | undefined;
  decision: DisplayedEntry<SuggestionDecision | null> | undefined;
  record: DisplayedEntry<Assertion> | undefined;
  /** Names of the entries that the record's displayed one brings back, one after another. */
  restored: readonly string[];
  /** The digest of the document that the matrix is of, where it names one. */
  document: string | undefined;
}

export type SuggestionState =
  | 'open'
  | 'stale'
  | 'accepted'
  | 'refused'
  | 'withdrawn'
  | 'superseded';

const isUnrecorded = ({ raw_outcome, source_value }: Assertion): boolean =>
  raw_outcome === null && (source_value ?? null) === null;

/**
 * Whether the record or the profile is no longer what the source was shown. An entry that brings
 * `basis` back shows it again; null is the basis of whoever was shown an unrecorded cell.
 */
export function isStale(
  { basis, document }: Suggestion,
  view: Pick<CellView, 'record' | 'restored' | 'document'>,
): boolean {
  if (document !== undefined && view.document !== undefined && document !== view.document)
    return true;
  const { record, restored } = view;
  if (basis === null) return record !== undefined && !isUnrecorded(record.value);
  return record?.name !== basis && !restored.includes(basis);
}

/** An entry of a register, as `broughtBack` follows them. */
export interface Restoring {
  reg: string;
  value: unknown;
  restores?: unknown;
}

/**
 * The entries that an entry brings back, one after another: each names in `restores` one of its own
 * register that says the same, or brings back nothing (L7).
 */
export function broughtBack(
  entry: Restoring,
  find: (name: string) => Restoring | undefined,
): string[] {
  const names: string[] = [];
  for (let at: Restoring | undefined = entry; typeof at?.restores === 'string';) {
    const name: string = at.restores;
    const before = find(name);
    if (
      before?.reg !== entry.reg ||
      names.includes(name) ||
      canonicalJson(before.value ?? null) !== canonicalJson(entry.value ?? null)
    )
      break;
    names.push(name);
    at = before;
  }
  return names;
}

/**
 * The state of one entry of a source's register. A decision is about the entry that it names: what
 * the source says afterwards is undecided.
 */
export function suggestionState(
  entry: DisplayedEntry<Suggestion | null>,
  view: CellView,
): SuggestionState {
  const decision = view.decision?.value ?? null;
  if (decision?.entry === entry.name) return decision.verdict;
  if (view.suggestion?.name !== entry.name) return 'superseded';
  if (entry.value === null) return 'withdrawn';
  return isStale(entry.value, view) ? 'stale' : 'open';
}

/** What of a previewed selection may be accepted now: what is still open, and neither stale. */
export const acceptable = (
  entry: DisplayedEntry<Suggestion | null>,
  view: CellView,
  by: 'name' | 'rule',
): entry is DisplayedEntry<Suggestion> => {
  const state = suggestionState(entry, view);
  return state === 'open' || (by === 'name' && state === 'stale');
};

/**
 * Whether a suggestion or an agent's outcome shows nothing that it rests on, which a case may
 * refuse where it is written.
 */
export const lacksCitation = ({
  source_value,
  quote,
  provenance,
}: Pick<Suggestion, 'source_value' | 'quote' | 'provenance'>): boolean =>
  [source_value, quote, provenance].every((one) => one === undefined || one === '');

const cited = (shown: DisplayedEntry<unknown> | undefined): string[] =>
  shown === undefined ? [] : [shown.name];

/**
 * The two entries by which a person accepts: the outcome with its source and provenance, and behind
 * it the decision. They stay together where a command is cut (C4).
 */
export function acceptanceOf(
  source: string,
  cell: RegisterCell,
  { name, value }: DisplayedEntry<Suggestion>,
  view: Pick<CellView, 'record' | 'decision'>,
): [Entry, Entry] {
  const { raw_outcome, source_value, provenance } = value;
  const assertion: Assertion = {
    raw_outcome,
    ...(source_value !== undefined && { source_value }),
    ...(provenance !== undefined && { provenance }),
  };
  return [
    {
      op: 'set',
      parents: cited(view.record),
      reg: formatRegister({ kind: 'assertion', ...cell }),
      value: assertion,
      from: [name],
    },
    {
      op: 'set',
      parents: cited(view.decision),
      reg: formatRegister({ kind: 'decision', source, ...cell }),
      value: { entry: name, verdict: 'accepted' } satisfies SuggestionDecision,
    },
  ];
}

/** What stood of a cell before it was decided about. */
export interface BeforeDecision {
  record: (DisplayedEntry<Assertion> & { from?: unknown }) | undefined;
  decision: SuggestionDecision | null;
}

/**
 * The two entries by which a person takes an acceptance back (YD6). An acceptance that stood before
 * comes back with its outcome alone, since it is applied behind it alone.
 */
export function takenBack(
  source: string,
  cell: RegisterCell,
  view: Pick<CellView, 'record' | 'decision'>,
  { record, decision }: BeforeDecision,
): [Entry, Entry] {
  const from = From.safeParse(record?.from);
  const isWhole =
    from.success &&
    from.data.length === 1 &&
    from.data[0] === decision?.entry &&
    (record?.value.raw_outcome ?? null) !== null;
  const outcome: Entry = {
    op: 'set',
    parents: cited(view.record),
    reg: formatRegister({ kind: 'assertion', ...cell }),
    value: record?.value ?? ({ raw_outcome: null } satisfies Assertion),
    ...(record !== undefined && { restores: record.name }),
    ...(from.success && { from: from.data }),
  };
  return [
    outcome,
    {
      op: 'set',
      parents: cited(view.decision),
      reg: formatRegister({ kind: 'decision', source, ...cell }),
      value: decision?.verdict === 'accepted' && !isWhole ? null : decision,
    },
  ];
}
