import { canonicalJson } from '../lib/canonical-json.ts';
import type { Hasher } from '../lib/hash.ts';
import { isMaterial } from './contested.ts';
import { orderItems, orderRules } from './matrix.ts';
import { type CellState, runMatrixValue } from './outcome.ts';
import type { ProfileDocument } from './profile.ts';
import { computeResult, METHOD, type RunResult, type RunSettings } from './result.ts';
import type { FrozenRound } from './round.ts';
import type {
  RunCellAddress,
  ContestedHead,
  ContestedNotes,
  FrozenCase,
  FrozenCell,
  FrozenContested,
  FrozenItem,
  FrozenRun,
} from './run-record.ts';

export type RunErrorCode = 'duplicate_item' | 'unknown_cell' | 'duplicate_cell' | 'reason_missing';
export class RunError extends Error {
  override name = 'RunError';
  readonly code: RunErrorCode;
  constructor(code: RunErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** One stored cell. Absent details are null. */
export interface RecordedCell extends RunCellAddress {
  raw_outcome: CellState;
  source_value?: string | null;
  notes?: string | null;
  provenance?: FrozenCell['provenance'];
}

export interface FreezeInput {
  case: FrozenCase;
  profile: ProfileDocument;
  /** In any order; `position` decides. */
  items: Iterable<FrozenItem & { position: number }>;
  /**
   * Recorded cells of these items under this profile, in any order. A cell that is not given is
   * unrecorded.
   */
  cells: Iterable<RecordedCell>;
  settings: RunSettings;
  /**
   * Cells with more than one head that are frozen as displayed, for the reason `contested_reason`.
   */
  contested?: readonly ContestedCell[];
  contested_reason?: string;
  /** A released round whose figures are frozen with the evidence. */
  round?: FrozenRound | undefined;
}

/** A contested cell with all its heads, the displayed one first. */
export interface ContestedCell extends RunCellAddress {
  heads: ContestedHead[];
  notes?: ContestedNotes[];
}

/** What freezing decides. Who froze it, when and under which identifiers is up to the caller. */
export interface FreezeOutput {
  method: typeof METHOD;
  settings: RunSettings;
  frozen: FrozenRun;
  result: RunResult;
  content_hash: string;
}

/** Everything that the content hash covers. */
export interface ContentParts extends Omit<FrozenRun, 'matrix'> {
  settings: RunSettings;
  method: string;
  result: RunResult;
}

/**
 * `sha256:` + hex over the RFC 8785 text of the parts. Author, time, project and identifiers of the
 * run are left out, so equal evidence under equal settings has an equal hash. `matrix` is left out
 * because `raw` determines it; the contested parts and the round are members only when there are
 * any.
 */
export function contentHash(parts: ContentParts, hasher: Hasher): string {
  const {
    cells,
    contested,
    contested_reason,
    items,
    method,
    profile,
    raw,
    result,
    round,
    rules,
    settings,
  } = parts;
  const content = {
    case: parts.case,
    cells,
    contested,
    contested_reason,
    items,
    method,
    profile,
    raw,
    result,
    round,
    rules,
    settings,
  };
  return `sha256:${hasher.sha256Hex(canonicalJson(content))}`;
}

/**
 * Freezes evidence and computes its result. Throws RunError, or ResultError (`empty_matrix`) where
 * there is no item.
 */
export function freezeRun(input: FreezeInput, hasher: Hasher): FreezeOutput {
  const frozen = freeze(input);
  const items = frozen.items.map((item) => item.item_uid);
  const { prior_alpha, prior_beta, ci_level } = input.settings;
  const settings = { prior_alpha, prior_beta, ci_level };
  const result = computeResult({ items, rules: frozen.rules, raw: frozen.raw }, settings);
  return {
    method: METHOD,
    settings,
    frozen,
    result,
    content_hash: contentHash({ ...frozen, settings, method: METHOD, result }, hasher),
  };
}

function freeze(input: FreezeInput): FrozenRun {
  const { case_uid, title, description, case_type, metadata } = input.case;
  const items = orderItems(input.items).map(({ item_uid, item_type, label, metadata: own }) => ({
    item_uid,
    item_type,
    label,
    metadata: own,
  }));
  const rules = orderRules(input.profile.rules).map((rule) => rule.ruleUid);
  const locate = locator(items, rules);
  const raw: CellState[][] = items.map(() => new Array<CellState>(rules.length).fill(null));
  const seen = new Uint8Array(items.length * rules.length);
  const detailed: { place: number; cell: FrozenCell }[] = [];
  for (const {
    item_uid,
    rule_uid,
    raw_outcome,
    source_value = null,
    notes = null,
    provenance = null,
  } of input.cells) {
    const place = locate({ item_uid, rule_uid });
    if (seen[place] === 1) throw new RunError('duplicate_cell', 'A cell is given twice.');
    seen[place] = 1;
    (raw[Math.floor(place / rules.length)] as CellState[])[place % rules.length] = raw_outcome;
    if (source_value !== null || notes !== null || provenance !== null)
      detailed.push({ place, cell: { item_uid, notes, provenance, rule_uid, source_value } });
  }
  const cells = detailed.sort((a, b) => a.place - b.place).map(({ cell }) => cell);
  const matrix = raw.map((row) => row.map(runMatrixValue));
  return {
    case: { case_uid, title, description, case_type, metadata },
    profile: input.profile,
    items,
    rules,
    raw,
    matrix,
    cells,
    ...contestedParts(input, locate),
    ...(input.round !== undefined && { round: input.round }),
  };
}

/** Row-major place of a cell in the matrix; also its place in every list of cells. */
function locator(
  items: readonly FrozenItem[],
  rules: readonly string[],
): (address: RunCellAddress) => number {
  const rowByUid = new Map(items.map((item, row) => [item.item_uid, row]));
  if (rowByUid.size !== items.length)
    throw new RunError('duplicate_item', 'An item is given twice.');
  const columnByUid = new Map(rules.map((rule, column) => [rule, column]));
  return ({ item_uid, rule_uid }) => {
    const row = rowByUid.get(item_uid);
    const column = columnByUid.get(rule_uid);
    if (row === undefined || column === undefined)
      throw new RunError(
        'unknown_cell',
        'A cell names an item or a rule that is not part of the run.',
      );
    return row * rules.length + column;
  };
}

function contestedParts(
  { contested = [], contested_reason }: FreezeInput,
  locate: (address: RunCellAddress) => number,
): Pick<FrozenRun, 'contested' | 'contested_reason'> {
  if (contested.length === 0) return {};
  if (contested_reason === undefined || contested_reason.trim() === '')
    throw new RunError('reason_missing', 'Freezing contested cells needs a reason.');
  const ordered = contested.map(frozenContested).sort((a, b) => locate(a) - locate(b));
  return { contested: ordered, contested_reason };
}

function frozenContested({ item_uid, rule_uid, heads, notes }: ContestedCell): FrozenContested {
  const [shown, ...others] = heads.map((head) => head.raw_outcome);
  return {
    item_uid,
    rule_uid,
    material: isMaterial(shown ?? null, others),
    heads,
    ...(notes !== undefined && { notes }),
  };
}
