import type { RunAuthors } from './run-authors.ts';
import type { RunRecord } from './run-record.ts';

/**
 * The run as a file that can be verified, with who recorded each outcome beside what the hash
 * covers.
 */
export function runJson(run: RunRecord, authors?: RunAuthors): string {
  return `${JSON.stringify({ ...run, ...(authors && { recorders: authors.stated }) }, null, 2)}\n`;
}
