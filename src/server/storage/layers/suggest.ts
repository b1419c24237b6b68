import type { CaseUid } from '../../../shared/contract/ids.ts';
import type { ErrorDetail } from '../../../shared/contract/errors.ts';
import type {
  SuggestionAnswer,
  SuggestionInput,
  SuggestionsInput,
  SuggestionsReceipt,
} from '../../../shared/contract/v1/suggestions.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { participantOf } from '../../../sync/layers/authors.ts';
import { lacksCitation } from '../../../sync/layers/suggestions.ts';
import type { Suggestion } from '../../../sync/layers/values.ts';
import { formatRegister, type Register } from '../../../sync/register.ts';
import type { Actor } from '../db/actor.ts';
import type { WriteContext } from '../db/context.ts';
import { StoreError } from '../db/errors.ts';
import { pipelined } from '../db/session.ts';
import type { StoredProfile } from '../db/stored-profile.ts';
import { refuse } from '../evidence/draft-items.ts';
import { revisionWords } from '../evidence/evidence-answers.ts';
import { RAW } from '../log/cell-map.ts';
import { hiddenCells, refuseUnseen } from '../rounds/hidden-cells.ts';
import { place } from '../evidence/place-entries.ts';
import { authorOf } from '../log/author.ts';
import { openStream } from '../log/change-log.ts';
import { Gesture } from '../log/gesture.ts';
import { unknownRule } from '../records/unknown-rule.ts';
import { caseAndProfile, refuseUnsettled } from '../records/case-profile.ts';
import { CaseView } from '../records/case-view.ts';
import { CellStates, isAsRead, isUnrecorded, type ShownCell } from './cell-states.ts';
import { loadHeads } from './suggestion-list.ts';
import { namedDocument, type ShownCells, shownCells } from './shown-cells.ts';
import type { SourceCell } from './suggestion-map.ts';

/** One suggestion of a request, what is shown of its cell, and what becomes of it. */
interface Drafted {
  input: SuggestionInput;
  register: SourceCell & { kind: 'suggestion' };
  value: Suggestion | null;
  shown: ShownCell | undefined;
  status: SuggestionAnswer['status'];
  /** Hidden from its author: the answer is the same whatever the cell holds (YR7). */
  isMasked: boolean;
}

/** What a source says, compared with the record that is shown now. */
function valueOf(
  { item_uid: _, rule_uid: __, if_revision: ___, raw_outcome, basis, ...said }: SuggestionInput,
  displayed: string | null,
  document: string,
): Suggestion | null {
  if (raw_outcome === null) return null;
  const given = Object.fromEntries(
    Object.entries(said).filter(([, member]) => member !== undefined),
  );
  return {
    ...given,
    raw_outcome,
    basis: basis === undefined ? displayed : basis,
    document: document as NonNullable<Suggestion['document']>,
  };
}

/**
 * What is suggested. `pathOf`: where the request has each suggestion, if not in a list of its own.
 */
interface SuggestionsWrite extends SuggestionsInput {
  pathOf?: (index: number) => string;
}
const inList = (index: number): string => `/suggestions/${index}`;

/** Refuses what names no cell of the matrix, or one cell twice. */
function checkPlaces(
  view: CaseView,
  profile: StoredProfile,
  { suggestions, pathOf = inList }: SuggestionsWrite,
): void {
  const details: ErrorDetail[] = [];
  const columns = new Set<string>(profile.rules);
  const wordsFor = unknownRule(profile);
  const seen = new Set<string>();
  for (const [index, { item_uid, rule_uid }] of suggestions.entries()) {
    const path = pathOf(index);
    const item = view.items.get(item_uid);
    if (item === undefined || item.deleted)
      refuse(details, `${path}/item_uid`, 'unknown_item', 'The item is not in the case.');
    if (!columns.has(rule_uid))
      refuse(details, `${path}/rule_uid`, 'unknown_rule', wordsFor(rule_uid));
    const cell = `${rule_uid}/${item_uid}`;
    if (seen.has(cell))
      refuse(details, path, 'duplicate_suggestion', 'The cell is in this request already.');
    seen.add(cell);
  }
  if (details.length > 0)
    throw new StoreError(
      'validation_failed',
      'Some suggestions cannot be stored; nothing was.',
      details,
    );
}

function refuseUncited(drafted: readonly Drafted[], pathOf = inList): void {
  const details: ErrorDetail[] = [];
  for (const [index, { value }] of drafted.entries())
    if (value !== null && lacksCitation(value))
      refuse(
        details,
        pathOf(index),
        'citation_required',
        'Give a source_value, a quote or a provenance.',
      );
  if (details.length > 0) throw new StoreError('citation_required', '', details);
}

function refuseConflicts(drafted: readonly Drafted[], pathOf = inList): void {
  const details: ErrorDetail[] = [];
  for (const [index, { status, shown }] of drafted.entries())
    if (status === 'skipped')
      refuse(
        details,
        `${pathOf(index)}/if_revision`,
        'other_revision',
        revisionWords(shown?.revision ?? 0, RAW[shown?.raw ?? 0] ?? null),
      );
  if (details.length > 0)
    throw new StoreError(
      'precondition_failed',
      'Some cells are not as their suggestions expect; nothing was stored.',
      details,
    );
}

/** Everything about the cells of a request that its entries need. */
async function readCells(
  ctx: WriteContext,
  view: CaseView,
  matrix: { casePk: number; profile_uid: string; profile_version: string },
  registers: readonly (SourceCell & { kind: 'suggestion' })[],
): Promise<ShownCells> {
  const [shown] = await pipelined(
    shownCells(ctx, matrix, registers),
    view.layers.load(registers as readonly Register[]),
    view.heads.load(registers.map(formatRegister)),
  );
  await loadHeads(
    view.stream.changes,
    registers.flatMap((register) => view.layers.suggestions.get(register) ?? []),
    shown,
  );
  await view.stream.changes.loadSeqs(
    registers.flatMap((register) => shown.get(register)?.head?.seq ?? []),
  );
  return shown;
}

/**
 * Stores what one source suggests, as one gesture: it replaces what the same source said before, or
 * withdraws it. Nothing of the record changes, and nothing is stored where anything is wrong.
 */
export async function suggest(
  ctx: WriteContext,
  actor: Actor,
  case_uid: CaseUid,
  input: SuggestionsWrite,
): Promise<SuggestionsReceipt> {
  const { pathOf = inList } = input;
  const [stream, found, hidden] = await pipelined(
    openStream(ctx, actor.account_id, case_uid),
    caseAndProfile(ctx, actor.account_id, {
      case_uid,
      profile_uid: input.profile_uid,
      profile_version: input.profile_version,
    }),
    hiddenCells(ctx, actor.account_id, case_uid),
  );
  refuseUnsettled(found);
  const { stored, profile } = found;
  const { profileUid, version } = profile.document;
  const view = new CaseView(ctx, stream, stored);
  await view.items.load(input.suggestions.map(({ item_uid }) => item_uid));
  checkPlaces(view, profile, input);
  const source = participantOf(authorOf(actor));
  if (source === undefined) throw new Error('A request has no source.');
  const registers = input.suggestions.map(({ rule_uid, item_uid }) => ({
    kind: 'suggestion' as const,
    source,
    profile: profileUid,
    version,
    rule: rule_uid,
    item: item_uid,
  }));
  const matrix = { casePk: stored.pk, profile_uid: profileUid, profile_version: version };
  const shown = await readCells(ctx, view, matrix, registers);
  const drafted = input.suggestions.map((one, index) => {
    const register = registers[index] as Drafted['register'];
    const cell = draft(view, profile, one, register, shown);
    return hidden?.hides(register) === true ? masked(cell) : cell;
  });
  refuseUnseen(
    drafted.flatMap(({ input: { if_revision }, isMasked }, index) =>
      isMasked && if_revision !== undefined ? [`${pathOf(index)}/if_revision`] : [],
    ),
  );
  if (input.on_conflict !== 'skip') refuseConflicts(drafted, pathOf);
  if (stored.requiresSource) refuseUncited(drafted, pathOf);
  const gesture = gestureOf(view, drafted);
  const changes =
    gesture.texts.length === 0 ? [] : await place(ctx, view, gesture, actor, input.reason);
  const states = new CellStates(stream.changes, await namedDocument(ctx, matrix));
  return receiptOf(view, states, drafted, {
    case_uid,
    profile_uid: profileUid,
    profile_version: version,
    changes,
  });
}

function draft(
  view: CaseView,
  { entry }: StoredProfile,
  input: SuggestionInput,
  register: Drafted['register'],
  cells: ShownCells,
): Drafted {
  const shown = cells.get(register);
  const displayed =
    shown === undefined || shown.head === null || isUnrecorded(shown)
      ? null
      : view.stream.changes.nameOf(shown.head);
  const value = valueOf(input, displayed, entry.digest);
  const before = view.layers.suggestions.get(register)?.value ?? null;
  const says = value === null ? null : canonicalJson(value);
  const status = !isAsRead(shown, input.if_revision)
    ? 'skipped'
    : says === before
      ? 'unchanged'
      : 'written';
  return { input, register, value, shown, status, isMasked: false };
}

/** The entries of what is written. */
function gestureOf({ layers, stream }: CaseView, drafted: readonly Drafted[]): Gesture {
  const gesture = new Gesture();
  for (const { status, register, value } of drafted)
    if (status === 'written') {
      const reg = formatRegister(register);
      const head = layers.suggestions.get(register)?.head ?? null;
      const parents = head === null ? [] : [stream.changes.nameOf(head)];
      gesture.whole(
        layers.suggestions.suggestion(register, reg),
        { op: 'set', parents, reg, value },
        register,
      );
    }
  return gesture;
}

const masked = (drafted: Drafted): Drafted => ({ ...drafted, status: 'written', isMasked: true });

async function receiptOf(
  view: CaseView,
  states: CellStates,
  drafted: readonly Drafted[],
  of: Pick<SuggestionsReceipt, 'case_uid' | 'profile_uid' | 'profile_version' | 'changes'>,
): Promise<SuggestionsReceipt> {
  const suggestions: SuggestionAnswer[] = [];
  const count = (wanted: Drafted['status']): number =>
    drafted.filter(({ status }) => status === wanted).length;
  for (const { input, register, shown, status, isMasked } of drafted) {
    const row = view.layers.suggestions.get(register);
    const found = row && (await states.stateOf(row, shown));
    const state = found === undefined || found.state === 'superseded' ? null : found.state;
    suggestions.push({
      item_uid: input.item_uid,
      rule_uid: input.rule_uid,
      status,
      suggestion_id: found?.view.suggestion?.name ?? null,
      state: isMasked ? null : state,
      ...(!isMasked && { revision: shown?.revision ?? 0 }),
    });
  }
  return {
    ...of,
    written: count('written'),
    unchanged: count('unchanged'),
    skipped: count('skipped'),
    suggestions,
  };
}
