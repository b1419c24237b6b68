/**
 * `node scripts/summary.ts REPORT...`: what the reports in test-results/ count, and in the last
 * line their sum. A report that is missing is a failure.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}
/** The fields used here of Vitest's JSON reporter. */
interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  testResults: { status: string; assertionResults: unknown[] }[];
}
/** The fields used here of Playwright's JSON reporter. */
interface PlaywrightReport {
  stats: { expected: number; unexpected: number; skipped: number };
  errors: unknown[];
}

function count(report: VitestReport | PlaywrightReport): Counts {
  if ('stats' in report) {
    const { expected, unexpected, skipped } = report.stats;
    return { passed: expected, failed: unexpected + report.errors.length, skipped };
  }
  const unread = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unread.length,
    skipped: report.numPendingTests,
  };
}

function read(name: string): Counts {
  try {
    return count(
      JSON.parse(
        readFileSync(path.join(import.meta.dirname, '../test-results', `${name}.json`), 'utf8'),
      ),
    );
  } catch {
    console.log(`${name}: no report`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

const write = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
const total: Counts = { passed: 0, failed: 0, skipped: 0 };
for (const name of process.argv.slice(2)) {
  const counts = read(name);
  console.log(`in ${name}: ${write(counts)}`);
  for (const key of ['passed', 'failed', 'skipped'] as const) total[key] += counts[key];
}
console.log(write(total));
