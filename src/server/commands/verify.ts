import { type AccountId, type RunUid, known } from '../../shared/contract/ids.ts';
import { readFile } from 'node:fs/promises';
import type { RunCheck } from '../../shared/contract/sync-runs.ts';
import { SignedItemProof } from '../../shared/domain/signed-proof.ts';
import { openData } from '../open-data.ts';
import { StoreError } from '../storage/db/errors.ts';
import type { Reader } from '../storage/repositories.ts';
import { type CliCommand, CommandError, text, UsageError } from './command.ts';
import { verifyBundle } from './verify-bundle.ts';
import { verifyProof } from './verify-proof.ts';
import { BOUNDARY, checkRun, resultWords } from './verify-run.ts';

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
    if (isZip(bytes)) return verifyBundle(bytes, print);
    let document: unknown;
    try {
      document = JSON.parse(bytes.toString('utf8'));
    } catch {
      throw new UsageError(`The file ${file} is not JSON.`);
    }
    const proof = SignedItemProof.safeParse(document).data;
    if (proof !== undefined) return verifyProof(proof, print);
    const { report, words, ok } = checkRun(document);
    print([...words, ...(report.valid_document ? [BOUNDARY] : [])].join('\n'), report);
    return ok ? 0 : 1;
  },
};

const RECORDERS = {
  stated: 'stated by the server that froze it; not covered by the content hash',
  unknown: 'not known',
  damaged: 'DAMAGED, cannot be read',
} as const;

function storedWords({ integrity, reproducibility }: RunCheck): string[] {
  const { ok, stated, computed, damaged } = integrity;
  return [
    `stored bytes: ${ok ? 'match' : 'DO NOT MATCH'} the content hash (stated ${stated}, computed ${computed ?? 'nothing'})`,
    ...damaged.map((name) => `  damaged: ${name}`),
    ...(reproducibility === null
      ? ['result:       not computed, since the stored bytes are damaged']
      : resultWords(reproducibility.ok, reproducibility.differences)),
  ];
}

/** Whether it can be read who recorded the run; no hash covers that. */
async function recordersState(
  reader: Reader,
  account: AccountId,
  runUid: RunUid,
  hash: string,
): Promise<keyof typeof RECORDERS> {
  try {
    return (await reader.runs.recorders(account, runUid, hash))?.recorders ? 'stated' : 'unknown';
  } catch (error) {
    if (error instanceof StoreError) return 'damaged';
    throw error;
  }
}

export const verifyStored: CliCommand = {
  name: 'verify stored',
  summary: 'Check a run as it is stored here: its bytes, and the recomputed result',
  arguments: ['RUN_UID'],
  options: {},
  help: {},
  async run({ values, positionals, print }) {
    await using data = await openData(text(values.data));
    const account = data.store.local.account_id;
    const runUid = known.runUid.parse(positionals[0] ?? '');
    const checks = await data.store.read(async (reader) => {
      const contents = await reader.runs.contents(account, runUid);
      return Promise.all(
        contents.map(async ({ content_hash }) => ({
          check: await reader.runs.describe(account, content_hash, {
            run_uid: runUid,
            verify: true,
          }),
          recorders: await recordersState(reader, account, runUid, content_hash),
        })),
      );
    }, account);
    const found = checks.flatMap(({ check, recorders }) =>
      check?.verification ? [{ ...check.verification, recorders }] : [],
    );
    if (found.length === 0) throw new CommandError('There is no such run here.');
    print(
      [
        ...found.flatMap((one) => [
          ...storedWords(one),
          `recorded by:  ${RECORDERS[one.recorders]}`,
        ]),
        BOUNDARY,
      ].join('\n'),
      { data: found },
    );
    return found.every(
      ({ integrity, reproducibility, recorders }) =>
        integrity.ok && reproducibility?.ok === true && recorders !== 'damaged',
    )
      ? 0
      : 1;
  },
};
