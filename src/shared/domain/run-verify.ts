import { canonicalJson, CanonicalJsonError } from '../lib/canonical-json.ts';
import type { Hasher } from '../lib/hash.ts';
import { inOneGo } from '../lib/steps.ts';
import { isMaterial } from './contested.ts';
import { orderRules } from './matrix.ts';
import { runMatrixValue } from './outcome.ts';
import { figuresOf, isReproduced } from './round.ts';
import { computeResult } from './result.ts';
import { contentHash } from './run-freeze.ts';
import {
  type RunCellAddress,
  type FrozenCell,
  type FrozenRun,
  recordedUrl,
  RunRecord,
} from './run-record.ts';

/** `path` is a JSON Pointer (RFC 6901) into the document. */
export interface RunProblem {
  path: string;
  message: string;
}

export interface ResultDifference {
  path: string;
  stated: unknown;
  computed: unknown;
}

/**
 * Two separate facts. `content_hash`: the record says what was hashed. `recomputed`: its result
 * follows from its evidence. Neither shows who made the run or that the evidence is right. Lists
 * have at most 50 entries.
 */
export interface RunVerification {
  /** False: the document is not a run record, and nothing else was checked. */
  valid_document: boolean;
  problems: RunProblem[];
  /**
   * `ok` also requires that the members outside the hash do not contradict those inside; `problems`
   * lists any that do.
   */
  content_hash: { ok: boolean; stated: string | null; computed: string | null };
  recomputed: { ok: boolean; differences: ResultDifference[] };
}

const MAX_LISTED = 50;

/**
 * Relative tolerances. Quantiles come from iteration over Math.log, log1p and exp, whose last digit
 * differs between engines; the others are sums and quotients that differ only by the order of
 * adding. Members not named here must be equal.
 */
const TOLERANCES: Readonly<Record<string, number>> = {
  theta_lower: 1e-12,
  theta_upper: 1e-12,
  theta_mean: 1e-14,
  p_hat: 1e-14,
  percentile: 1e-14,
  mean_theta: 1e-14,
  median_theta: 1e-14,
  lower_theta: 1e-14,
  upper_theta: 1e-14,
};

/** Checks a run record offline. Any input gives a report, never an exception. */
export function verifyRun(document: unknown, hasher: Hasher): RunVerification {
  return inOneGo(verifying(document, hasher));
}

/**
 * The same in steps, for a caller with other work to do in between: for a large run each step takes
 * up to some tenths of a second.
 */
export function* verifying(document: unknown, hasher: Hasher): Generator<void, RunVerification> {
  const invalid = yield* documentProblems(document);
  if (invalid.length > 0)
    return {
      valid_document: false,
      problems: invalid,
      content_hash: { ok: false, stated: null, computed: null },
      recomputed: { ok: false, differences: [] },
    };
  // Takes the parsed JSON itself and not zod's copy, since the hash covers every member, unknown
  // ones included.
  const run = document as RunRecord;
  const problems = contradictions(run);
  yield;
  const computed = contentHash(
    { ...run.frozen, settings: run.settings, method: run.method, result: run.result },
    hasher,
  );
  yield;
  const differences = [...resultDifferences(run), ...roundDifferences(run, hasher)];
  return {
    valid_document: true,
    problems: problems.slice(0, MAX_LISTED),
    content_hash: {
      ok: computed === run.content_hash && problems.length === 0,
      stated: run.content_hash,
      computed,
    },
    recomputed: { ok: differences.length === 0, differences: differences.slice(0, MAX_LISTED) },
  };
}

function resultDifferences({ frozen, result, settings }: RunRecord): ResultDifference[] {
  const differences: ResultDifference[] = [];
  compare(
    result,
    computeResult(
      { items: frozen.items.map((item) => item.item_uid), rules: frozen.rules, raw: frozen.raw },
      settings,
    ),
    '/result',
    '',
    differences,
  );
  for (const [index, cell] of (frozen.contested ?? []).entries()) {
    if (cell.heads === undefined) continue;
    const [shown, ...others] = cell.heads.map((head) => head.raw_outcome);
    compare(
      cell.material,
      isMaterial(shown ?? null, others),
      `/frozen/contested/${index}/material`,
      'material',
      differences,
    );
  }
  return differences;
}

/** The figures of a frozen round follow from its ratings, and its terms are those of its id. */
function roundDifferences({ frozen }: RunRecord, hasher: Hasher): ResultDifference[] {
  const { round } = frozen;
  if (round === undefined || isReproduced(round, hasher)) return [];
  const { terms, items, rules, recorders, figures } = round;
  const letters = recorders.map(({ ratings }) => ratings);
  const computed = figuresOf({ terms, items, rules, letters });
  return [{ path: '/frozen/round', stated: figures.all, computed: computed.all }];
}

/**
 * Why this is not a run record: not JSON, not the schema, or not the shape that its own items and
 * rules require.
 */
function* documentProblems(document: unknown): Generator<void, RunProblem[]> {
  try {
    // This check also bounds the depth before the schema recurses.
    canonicalJson(document);
  } catch (error) {
    if (error instanceof CanonicalJsonError)
      return [{ path: error.path, message: `Not JSON: ${error.code}.` }];
    throw error;
  }
  yield;
  const parsed = RunRecord.safeParse(document);
  yield;
  if (!parsed.success)
    return parsed.error.issues
      .slice(0, MAX_LISTED)
      .map((issue) => ({ path: pointer(issue.path), message: issue.message }));
  return shapeProblems(parsed.data.frozen);
}

function shapeProblems(frozen: FrozenRun): RunProblem[] {
  const n = frozen.items.length;
  const m = frozen.rules.length;
  const problems: RunProblem[] = [];
  for (const name of ['raw', 'matrix'] as const) {
    if (frozen[name].length !== n || frozen[name].some((row) => row.length !== m))
      problems.push({
        path: `/frozen/${name}`,
        message: 'Must have one row an item and one column a rule.',
      });
  }
  const rows = new Map(frozen.items.map((item, row) => [item.item_uid, row]));
  const columns = new Map(frozen.rules.map((rule, column) => [rule, column]));
  if (rows.size !== n)
    problems.push({ path: '/frozen/items', message: 'Must not hold an item twice.' });
  if (columns.size !== m)
    problems.push({ path: '/frozen/rules', message: 'Must not hold a rule twice.' });
  const place = ({ item_uid, rule_uid }: RunCellAddress) =>
    (rows.get(item_uid) ?? Number.NaN) * m + (columns.get(rule_uid) ?? Number.NaN);
  for (const name of ['cells', 'contested'] as const) {
    const places = (frozen[name] ?? []).map(place);
    if (places.some((own, index) => !(own > (places[index - 1] ?? -1))))
      problems.push({
        path: `/frozen/${name}`,
        message: 'Must name cells of the matrix, in its order, each once.',
      });
  }
  if (frozen.cells.some(isBare))
    problems.push({
      path: '/frozen/cells',
      message: 'Must list only cells that have a source value, notes or provenance.',
    });
  if (
    frozen.contested?.some(
      (cell) =>
        (cell.heads === undefined) !== (cell.material === undefined) ||
        (cell.heads === undefined && cell.notes !== undefined),
    )
  )
    problems.push({
      path: '/frozen/contested',
      message: 'Must say of a cell whether it is material if, and only if, it lists its heads.',
    });
  if ((frozen.contested === undefined) !== (frozen.contested_reason === undefined))
    problems.push({
      path: '/frozen/contested_reason',
      message: 'Must go with the list of contested cells.',
    });
  return problems;
}

function isBare(cell: FrozenCell): boolean {
  return cell.source_value === null && cell.notes === null && cell.provenance === null;
}

/** Members that repeat or derive from hashed ones, and do not agree with them. */
function contradictions(run: RunRecord): RunProblem[] {
  const { frozen } = run;
  const problems: RunProblem[] = [];
  const agree = (path: string, ok: boolean, source: string) => {
    if (!ok) problems.push({ path, message: `Does not agree with ${source}.` });
  };
  agree('/case_uid', run.case_uid === frozen.case.case_uid, '/frozen/case/case_uid');
  agree(
    '/profile_uid',
    run.profile_uid === frozen.profile.profileUid,
    '/frozen/profile/profileUid',
  );
  agree(
    '/profile_version',
    run.profile_version === frozen.profile.version,
    '/frozen/profile/version',
  );
  agree('/url', run.url === recordedUrl(run.run_uid), '/run_uid');
  const rules = orderRules(frozen.profile.rules);
  agree(
    '/frozen/rules',
    rules.length === frozen.rules.length &&
      rules.every((rule, column) => rule.ruleUid === frozen.rules[column]),
    '/frozen/profile/rules',
  );
  const rows = new Map(frozen.items.map((item, row) => [item.item_uid, row]));
  const columns = new Map(frozen.rules.map((rule, column) => [rule, column]));
  const shownIn = ({ item_uid, rule_uid }: RunCellAddress) =>
    frozen.raw[rows.get(item_uid) ?? -1]?.[columns.get(rule_uid) ?? -1];
  agree(
    '/frozen/contested',
    (frozen.contested ?? []).every(
      (cell) => cell.heads?.[0] === undefined || cell.heads[0].raw_outcome === shownIn(cell),
    ),
    '/frozen/raw',
  );
  agree(
    '/frozen/matrix',
    frozen.raw.every((row, i) =>
      row.every((state, j) => runMatrixValue(state) === frozen.matrix[i]?.[j]),
    ),
    '/frozen/raw',
  );
  return problems;
}

/**
 * Adds to `out` where `stated` differs from `computed`. `name` is the member's, for its tolerance.
 */
function compare(
  stated: unknown,
  computed: unknown,
  path: string,
  name: string,
  out: ResultDifference[],
): void {
  if (stated === computed || out.length >= MAX_LISTED) return;
  if (
    typeof stated === 'object' &&
    typeof computed === 'object' &&
    stated !== null &&
    computed !== null
  ) {
    const own = stated as Record<string, unknown>;
    const other = computed as Record<string, unknown>;
    for (const key of new Set([...Object.keys(other), ...Object.keys(own)]))
      compare(own[key], other[key], `${path}/${key}`, key, out);
    return;
  }
  const tolerance = TOLERANCES[name] ?? 0;
  if (
    typeof stated === 'number' &&
    typeof computed === 'number' &&
    Math.abs(stated - computed) <= tolerance * Math.abs(computed)
  )
    return;
  out.push({ path, stated: stated ?? null, computed: computed ?? null });
}

function pointer(path: readonly PropertyKey[]): string {
  return path
    .map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}
