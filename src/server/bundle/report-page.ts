import { KIND_WORDS, NOT_HASHED, type RunAuthors } from '../../shared/domain/run-authors.ts';
import { itemLines } from '../../shared/domain/item-lines.ts';
import type { RunRecord } from '../../shared/domain/run.ts';
import type { SignedStatement } from '../../shared/domain/sign-off.ts';
import { escapeHtml } from '../pages/layout.ts';

const STYLE = `body { font: 14px/1.5 system-ui, sans-serif; margin: 8mm; color: #111; }
table { border-collapse: collapse; } th, td { border: 1px solid #bbb; padding: 2px 8px; text-align: left; }
code { overflow-wrap: anywhere; }`;

const share = (value: number): string => value.toFixed(4);
const cells = (tag: 'td' | 'th', texts: readonly (string | number)[]): string =>
  texts.map((text) => `<${tag}>${escapeHtml(String(text))}</${tag}>`).join('');
const table = (
  heading: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string =>
  `<table><thead><tr>${cells('th', heading)}</tr></thead>\n<tbody>\n${rows
    .map((row) => `<tr>${cells('td', row)}</tr>`)
    .join('\n')}\n</tbody></table>`;
const section = (title: string, ...content: readonly string[]): string =>
  `<section><h2>${escapeHtml(title)}</h2>\n${content.join('\n')}</section>`;
const sentence = (text: string): string => `<p>${escapeHtml(text)}</p>`;

const COUNTS = ['FALSE', 'TRUE', 'NA', 'Unrecorded'];

function rulesTable({ frozen, result }: RunRecord): string {
  const names = new Map(frozen.profile.rules.map(({ ruleUid, name }) => [String(ruleUid), name]));
  return table(
    ['Rule', ...COUNTS],
    result.rules.map((rule) => [
      names.get(rule.rule_uid) ?? rule.rule_uid,
      rule.evidence_present,
      rule.problem_found,
      rule.not_available,
      rule.unrecorded,
    ]),
  );
}

const itemsTable = (run: RunRecord): string =>
  table(
    ['Item', 'Label', 'Rules met', 'of', 'Mean', 'Lower', 'Upper', ...COUNTS],
    itemLines(run).map((item) => [
      item.item_uid,
      item.label,
      item.k,
      item.m,
      share(item.theta_mean),
      share(item.theta_lower),
      share(item.theta_upper),
      ...item.counts,
    ]),
  );

function recordedBy(authors: RunAuthors | undefined): string {
  if (authors === undefined) return sentence('It is not known who recorded the outcomes.');
  const rows = authors.counts.map(([author, outcomes]) => [
    author.name,
    KIND_WORDS[author.kind],
    author.accepted_by ?? '',
    outcomes,
  ]);
  return sentence(NOT_HASHED) + table(['Name', 'Kind', 'Accepted by', 'Outcomes'], rows);
}

const signed = (statements: readonly SignedStatement[]): string =>
  statements.length === 0
    ? sentence('Nobody had signed this run when the bundle was made.')
    : table(
        ['Meaning', 'Name', 'Time', 'Confirmed by'],
        statements.map(({ meaning, signer, signed_at, confirmed_by }) => [
          meaning,
          signer.name,
          signed_at,
          confirmed_by === 'password' ? 'password' : 'account of the computer',
        ]),
      );

/** The report in a bundle: one page that needs nothing else and runs no script, in English. */
export function reportPage(
  run: RunRecord,
  authors: RunAuthors | undefined,
  statements: readonly SignedStatement[],
): string {
  const { frozen, result, settings } = run;
  const { global } = result;
  const title = `Run of ${frozen.case.title}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
${sentence(result.interpretation_boundary)}
${table(
  ['What', 'Value'],
  [
    ['Case', run.case_uid],
    ['Run', run.run_uid],
    ['Content hash', run.content_hash],
    ['Profile', `${frozen.profile.name}, ${run.profile_uid} ${run.profile_version}`],
    ['Frozen', `${run.created_at} by ${run.created_by}`],
    ['Method', `${run.method}, ${run.engine.name} ${run.engine.version}`],
    ['Prior', `Beta(${settings.prior_alpha}, ${settings.prior_beta})`],
    ['Credible level', settings.ci_level],
    ['Items and rules', `${global.n_items} x ${global.m_rules}`],
    ['Mean of the items', share(global.mean_theta)],
    ['Median of the items', share(global.median_theta)],
  ],
)}
${section('Signatures', signed(statements))}
${section('Rules', rulesTable(run))}
${section('Items', itemsTable(run))}
${section('Recorded by', recordedBy(authors))}
</body>
</html>
`;
}
