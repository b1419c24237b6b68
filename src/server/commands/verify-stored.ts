import { type AccountId, type RunUid, known } from '../../shared/contract/ids.ts';
import type { RunCheck } from '../../shared/contract/sync-runs.ts';
import { itemsRoot } from '../../shared/domain/run-proof.ts';
import { type RunSignature, statementOf } from '../../shared/domain/sign-off.ts';
import { nodeHasher } from '../instance/hasher.ts';
import { openData } from '../open-data.ts';
import { readConfig } from '../config/config.ts';
import { knownTime } from '../time-stamps/found.ts';
import type { KnownStamps } from '../storage/sign-off/time-stamps.ts';
import { StoreError } from '../storage/db/errors.ts';
import type { Reader } from '../storage/repositories.ts';
import { type CliCommand, CommandError, text } from './command.ts';
import {
  findSignature,
  type FoundSignature,
  isGood,
  PERSON_LINE,
  signatureLine,
  timeLines,
} from './signature-lines.ts';
import { BOUNDARY, resultWords } from './verify-run.ts';

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

/** All signatures on a run, page by page. */
async function signaturesOn(reader: Reader, runUid: RunUid): Promise<RunSignature[]> {
  const found: RunSignature[] = [];
  let cursor: string | undefined;
  do {
    const page = await reader.signOff.signatures(runUid, { limit: 200, cursor });
    found.push(...page.data.map(({ signature }) => signature));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}

/**
 * What came with a run: signatures and their time-stamps, and which authorities are trusted (PEM).
 */
interface Brought {
  signatures: readonly RunSignature[];
  stamps: KnownStamps;
  trusted: string;
}

/** What is found of those signatures that are over this content. */
async function foundOn(
  reader: Reader,
  account: AccountId,
  run: { run_uid: RunUid; content_hash: string },
  { signatures, stamps, trusted }: Brought,
): Promise<FoundSignature[]> {
  const of = signatures.filter((one) => statementOf(one)?.content_hash === run.content_hash);
  if (of.length === 0) return [];
  const record = await reader.runs
    .get(account, run.run_uid, run.content_hash)
    .then((found) => found?.record)
    .catch((error: unknown) => {
      if (error instanceof StoreError) return undefined;
      throw error;
    });
  const signed = {
    ...run,
    ...(record && { case_uid: record.case_uid }),
    items_root: record && itemsRoot(record, nodeHasher),
  };
  return Promise.all(
    of.map(async (one) => findSignature(one, signed, await knownTime(one, stamps, trusted))),
  );
}

const signatureWords = (signatures: readonly FoundSignature[]): string[] =>
  signatures.length === 0
    ? ['signature:    none: nobody signed the run']
    : [
        ...signatures.map((one) => signatureLine(one, 'run')),
        PERSON_LINE,
        ...timeLines(signatures),
      ];

export const verifyStored: CliCommand = {
  name: 'verify stored',
  summary:
    'Check a run as it is stored here: its bytes, the recomputed result, the signatures on it',
  arguments: ['RUN_UID'],
  options: {},
  help: {},
  async run({ values, positionals, print }) {
    const config = readConfig(process.env);
    const { trusted } = config.timeStamps;
    await using data = await openData(text(values.data), { config });
    const account = data.store.local.account_id;
    const runUid = known.runUid.parse(positionals[0] ?? '');
    const checks = await data.store.read(async (reader) => {
      const contents = await reader.runs.contents(account, runUid);
      const brought = {
        signatures: await signaturesOn(reader, runUid),
        stamps: await reader.signOff.stamps(runUid),
        trusted,
      };
      return Promise.all(
        contents.map(async ({ content_hash }) => ({
          check: await reader.runs.describe(account, content_hash, {
            run_uid: runUid,
            verify: true,
          }),
          recorders: await recordersState(reader, account, runUid, content_hash),
          signatures: await foundOn(reader, account, { run_uid: runUid, content_hash }, brought),
        })),
      );
    }, account);
    const found = checks.flatMap(({ check, recorders, signatures }) =>
      check?.verification ? [{ ...check.verification, recorders, signatures }] : [],
    );
    if (found.length === 0) throw new CommandError('There is no such run here.');
    print(
      [
        ...found.flatMap((one) => [
          ...storedWords(one),
          `recorded by:  ${RECORDERS[one.recorders]}`,
          ...signatureWords(one.signatures),
        ]),
        BOUNDARY,
      ].join('\n'),
      { data: found },
    );
    return found.every(
      ({ integrity, reproducibility, recorders, signatures }) =>
        integrity.ok &&
        reproducibility?.ok === true &&
        recorders !== 'damaged' &&
        signatures.every(isGood),
    )
      ? 0
      : 1;
  },
};
