import { readFile } from 'node:fs/promises';
import { verifyRun } from '../../shared/domain/run.ts';
import { nodeHasher } from '../hasher.ts';
import { type Command, UsageError } from './command.ts';

export const verify: Command = {
  name: 'verify',
  summary: "Check a run's JSON: its content hash, and the recomputed result",
  arguments: ['FILE'],
  options: {},
  help: {},
  async run({ positionals, print }) {
    const file = positionals[0] ?? '';
    const text = await readFile(file, 'utf8').catch(() => {
      throw new UsageError(`The file ${file} cannot be read.`);
    });
    let document: unknown;
    try {
      document = JSON.parse(text);
    } catch {
      throw new UsageError(`The file ${file} is not JSON.`);
    }
    const report = verifyRun(document, nodeHasher);
    const { content_hash: hash, recomputed } = report;
    const words = report.valid_document
      ? [
          `content hash: ${hash.ok ? 'matches' : hash.stated === hash.computed ? 'the frozen content contradicts the rest of the file' : 'DOES NOT MATCH'} (stated ${hash.stated}, computed ${hash.computed})`,
          ...report.problems.map(({ path, message }) => `  ${path}: ${message}`),
          `result:       ${recomputed.ok ? 'recomputed, equal' : 'RECOMPUTED, DIFFERENT'}`,
          ...recomputed.differences.map(({ path, stated, computed }) => `  ${path}: stated ${String(stated)}, computed ${String(computed)}`),
          'A result states evidence sufficiency under its profile, never truth.',
        ]
      : ['This file is not a run record:', ...report.problems.map(({ path, message }) => `  ${path}: ${message}`)];
    print(words.join('\n'), report);
    return report.valid_document && report.content_hash.ok && report.recomputed.ok ? 0 : 1;
  },
};
