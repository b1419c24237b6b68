import { type RunVerification, verifyRun } from '../../shared/domain/run.ts';
import { nodeHasher } from '../instance/hasher.ts';
import type { CliCommand } from './command.ts';

export type Print = Parameters<CliCommand['run']>[0]['print'];

export const BOUNDARY = 'A result states evidence sufficiency under its profile, never truth.';

export function resultWords(
  ok: boolean,
  differences: readonly { path: string; stated: unknown; computed: unknown }[],
): string[] {
  return [
    `result:       ${ok ? 'recomputed, equal' : 'RECOMPUTED, DIFFERENT'}`,
    ...differences.map(
      ({ path, stated, computed }) =>
        `  ${path}: stated ${String(stated)}, computed ${String(computed)}`,
    ),
  ];
}

function hashWords({ ok, stated, computed }: RunVerification['content_hash']): string {
  if (ok) return 'matches';
  if (stated === computed) return 'the frozen content contradicts the rest of the file';
  return 'DOES NOT MATCH';
}

/** What is found of a run record, and in words; `ok` where all of it is as it states. */
export function checkRun(document: unknown): {
  report: RunVerification;
  words: string[];
  ok: boolean;
} {
  const report = verifyRun(document, nodeHasher);
  const { content_hash: hash, recomputed, problems, valid_document } = report;
  const places = problems.map(({ path, message }) => `  ${path}: ${message}`);
  return {
    report,
    words: valid_document
      ? [
          `content hash: ${hashWords(hash)} (stated ${hash.stated}, computed ${hash.computed})`,
          ...places,
          ...resultWords(recomputed.ok, recomputed.differences),
        ]
      : ['This file is not a run record:', ...places],
    ok: valid_document && hash.ok && recomputed.ok,
  };
}
