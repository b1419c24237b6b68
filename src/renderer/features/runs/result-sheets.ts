import type { ItemResult, RuleResult } from '../../../shared/domain/result.ts';
import type { RunRecord } from '../../../shared/domain/run.ts';
import { CELL_STATES, codeOf } from '../../../shared/domain/outcome.ts';
import type { Sheet, SheetColumn } from '../../files/sheet.ts';
import { itemLines } from '../../../shared/domain/item-lines.ts';
import { NOT_HASHED, recorderInFile, type RunAuthors } from '../../../shared/domain/run-authors.ts';

const ITEM_NUMBERS = [
  'k',
  'm',
  'p_hat',
  'alpha',
  'beta',
  'theta_mean',
  'theta_lower',
  'theta_upper',
  'percentile',
] as const satisfies readonly (keyof ItemResult)[];
const RULE_COUNTS = [
  'evidence_present',
  'problem_found',
  'not_available',
  'unrecorded',
] as const satisfies readonly (keyof RuleResult)[];
const RAW_WORDS = CELL_STATES.map((state) => state ?? '');

function facts(run: RunRecord): [string, string | number][] {
  const { case: frozenCase, profile, contested, contested_reason } = run.frozen;
  return [
    ['run_uid', run.run_uid],
    ['content_hash', run.content_hash],
    ['case_uid', run.case_uid],
    ['case_title', frozenCase.title],
    ['profile', profile.name],
    ['profile_uid', run.profile_uid],
    ['profile_version', run.profile_version],
    ['standard', profile.standard],
    ['method', run.method],
    ['engine', `${run.engine.name} ${run.engine.version}`],
    ['created_at', run.created_at],
    ['created_by', run.created_by],
    ...(run.sent_by === undefined
      ? []
      : ([
          ['sent_by', run.sent_by.name ?? run.sent_by.user_id],
          ['sent_by_key_name', run.sent_by.key_name ?? ''],
          ['received_at', run.received_at ?? ''],
        ] satisfies [string, string][])),
    ['prior_alpha', run.settings.prior_alpha],
    ['prior_beta', run.settings.prior_beta],
    ...Object.entries(run.result.global),
    ['lower_theta and upper_theta', 'the spread of the items’ means, not a credible interval'],
    ...(contested === undefined
      ? []
      : ([
          ['contested cells', contested.length],
          ['of them material', contested.filter((cell) => cell.material === true).length],
          ['contested_reason', contested_reason ?? ''],
        ] satisfies [string, string | number][])),
    ['interpretation_boundary', run.result.interpretation_boundary],
  ];
}

/** Who recorded each outcome, in the places of the raw outcomes. */
function recorderSheet(
  { frozen: { items, rules } }: RunRecord,
  uids: SheetColumn,
  authors: RunAuthors,
): Sheet {
  const words = new Map(authors.stated.authors.map((author) => [author, recorderInFile(author)]));
  const nameAt = (row: number, column: number): string => {
    const author = authors.of(row, column);
    return author === undefined ? '' : (words.get(author) ?? '');
  };
  return {
    name: 'Recorded by',
    rowCount: items.length,
    frozenColumns: 1,
    columns: [
      uids,
      ...rules.map((header, column): SheetColumn => ({
        header,
        width: 24,
        cells: items.map((_, row) => nameAt(row, column)),
      })),
    ],
  };
}

const uidColumn = (uids: readonly string[]): SheetColumn => ({
  header: 'item_uid',
  width: 24,
  cells: [...uids],
});

function itemSheet(run: RunRecord): Sheet {
  const lines = itemLines(run);
  return {
    name: 'Items',
    rowCount: lines.length,
    frozenColumns: 2,
    columns: [
      uidColumn(lines.map((line) => line.item_uid)),
      { header: 'label', width: 30, cells: lines.map((line) => line.label) },
      { header: 'item_type', width: 14, cells: lines.map((line) => line.item_type) },
      ...ITEM_NUMBERS.map((header): SheetColumn => ({
        header,
        width: 12,
        cells: lines.map((line) => line[header]),
      })),
      ...RULE_COUNTS.map((header, index): SheetColumn => ({
        header,
        cells: lines.map((line) => line.counts[index] ?? 0),
      })),
    ],
  };
}

function ruleSheet({ result: { rules }, frozen: { profile } }: RunRecord): Sheet {
  const names = new Map(profile.rules.map((rule) => [rule.ruleUid, rule.name]));
  return {
    name: 'Rules',
    rowCount: rules.length,
    frozenColumns: 1,
    columns: [
      { header: 'rule_uid', width: 34, cells: rules.map((rule) => rule.rule_uid) },
      { header: 'name', width: 40, cells: rules.map((rule) => names.get(rule.rule_uid) ?? '') },
      ...RULE_COUNTS.map((header): SheetColumn => ({
        header,
        cells: rules.map((rule) => rule[header]),
      })),
    ],
  };
}

const outcomeSheet = ({ items, rules, raw }: RunRecord['frozen'], uids: SheetColumn): Sheet => ({
  name: 'Raw outcomes',
  rowCount: items.length,
  frozenColumns: 1,
  columns: [
    uids,
    ...rules.map((header, column): SheetColumn => ({
      header,
      codes: Uint8Array.from(raw, (row) => codeOf(row[column] ?? null)),
      words: RAW_WORDS,
    })),
  ],
});

function aboutSheet(run: RunRecord, authors: RunAuthors | undefined): Sheet {
  const recorders = (authors?.counts ?? []).map(([author, outcomes]): [string, string] => [
    'recorded by',
    `${recorderInFile(author)}: ${outcomes} outcomes`,
  ]);
  const about: [string, string | number][] = [
    ...facts(run),
    ...recorders,
    ...(authors === undefined ? [] : [['recorded by', NOT_HASHED] satisfies [string, string]]),
  ];
  return {
    name: 'About',
    rowCount: about.length,
    columns: [
      { header: 'field', width: 28, cells: about.map(([field]) => field) },
      { header: 'value', width: 90, cells: about.map(([, value]) => value) },
    ],
  };
}

/**
 * A run as a workbook: what it says of the whole, of each item and of each rule, and the outcomes
 * that it froze.
 */
export function resultSheets(run: RunRecord, authors?: RunAuthors): Sheet[] {
  const uids = uidColumn(run.frozen.items.map((item) => item.item_uid));
  return [
    itemSheet(run),
    ruleSheet(run),
    outcomeSheet(run.frozen, uids),
    ...(authors === undefined ? [] : [recorderSheet(run, uids, authors)]),
    aboutSheet(run, authors),
  ];
}
