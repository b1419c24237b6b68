import { readFile } from 'node:fs/promises';
import { SignedItemProof } from '../../shared/domain/signed-proof.ts';
import { readConfig } from '../config/config.ts';
import { type CliCommand, UsageError } from './command.ts';
import { verifyProof } from './verify-proof.ts';
import { BOUNDARY, checkRun } from './verify-run.ts';

const NO_SIGNATURES =
  'signatures:   not in this file; the bundle of the run (.eln) has them, and `verify stored` lists them';

/** Whether a file begins as ZIP files do. */
const isZip = (bytes: Buffer): boolean => bytes.toString('latin1', 0, 2) === 'PK';

export const verify: CliCommand = {
  name: 'verify',
  summary:
    "Check a run's JSON (content hash, recomputed result), its bundle (.eln), or the proof of one item",
  arguments: ['FILE'],
  options: {},
  help: {},
  async run({ positionals, print }) {
    const file = positionals[0] ?? '';
    const bytes = await readFile(file).catch(() => {
      throw new UsageError(`The file ${file} cannot be read.`);
    });
    if (isZip(bytes)) {
      const { trusted } = readConfig(process.env).timeStamps;
      return (await import('./verify-bundle.ts')).verifyBundle(bytes, print, trusted);
    }
    let document: unknown;
    try {
      document = JSON.parse(bytes.toString('utf8'));
    } catch {
      throw new UsageError(`The file ${file} is not JSON.`);
    }
    const proof = SignedItemProof.safeParse(document).data;
    if (proof !== undefined) return verifyProof(proof, print);
    const { report, words, ok } = checkRun(document);
    print(
      [...words, ...(report.valid_document ? [NO_SIGNATURES, BOUNDARY] : [])].join('\n'),
      report,
    );
    return ok ? 0 : 1;
  },
};
