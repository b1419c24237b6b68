import { itemsRoot } from '../../shared/domain/run-proof.ts';
import { RunRecord } from '../../shared/domain/run.ts';
import { readBundle, type ReadBundle } from '../bundle/read-bundle.ts';
import { unzipParts, ZipProblem } from '../bundle/zip-file.ts';
import { nodeHasher } from '../instance/hasher.ts';
import { timeOf } from '../time-stamps/found.ts';
import { isSignedBy } from '../instance/minisign.ts';
import { UsageError } from './command.ts';
import {
  findSignature,
  type FoundSignature,
  isGood,
  PERSON_LINE,
  signatureLine,
  timeLines,
} from './signature-lines.ts';
import { BOUNDARY, checkRun, type Print } from './verify-run.ts';

async function openBundle(bytes: Uint8Array): Promise<ReadBundle> {
  try {
    return readBundle(await unzipParts(bytes));
  } catch (error) {
    if (error instanceof ZipProblem)
      throw new UsageError(`The file is no bundle of a run. ${error.message}`);
    throw error;
  }
}

function sealOf({ seal }: ReadBundle): { valid: boolean; public_key: string | null } {
  return {
    valid:
      seal !== undefined && isSignedBy(seal.public_key, Buffer.from(seal.metadata), seal.signature),
    public_key: seal?.public_key ?? null,
  };
}

function runIn({ run }: ReadBundle): unknown {
  try {
    return JSON.parse(run ?? '');
  } catch {
    return null;
  }
}

async function signaturesOn(
  { signatures }: ReadBundle,
  document: unknown,
  trusted: string,
): Promise<FoundSignature[]> {
  const data = document === undefined ? undefined : RunRecord.safeParse(document).data;
  const run = {
    case_uid: data?.case_uid ?? '',
    run_uid: data?.run_uid ?? '',
    content_hash: data?.content_hash ?? '',
    items_root: data && itemsRoot(data, nodeHasher),
  };
  return Promise.all(
    signatures.map(async ({ signature, token }) => {
      const tokens = token === undefined ? [] : [Buffer.from(token).toString('base64')];
      return findSignature(signature, run, await timeOf(signature, tokens, trusted));
    }),
  );
}

/**
 * Checks the bundle of a run and says apart what is found of its parts, the content, the result,
 * the signatures and their times. Nothing besides the file is needed, and the certificates of
 * `trusted` authorities (PEM) for the times; so whose the keys are, it cannot say.
 */
export async function verifyBundle(bytes: Uint8Array, print: Print, trusted = ''): Promise<number> {
  const bundle = await openBundle(bytes);
  const seal = sealOf(bundle);
  const document = runIn(bundle);
  const run = checkRun(document);
  const signatures = await signaturesOn(
    bundle,
    run.report.valid_document ? document : undefined,
    trusted,
  );
  const { problems } = bundle;
  print(
    [
      `parts:        ${problems.length === 0 ? 'all as they are listed' : 'NOT AS THEY ARE LISTED'}`,
      ...problems.map(({ path, message }) => `  ${path}: ${message}`),
      `bundle:       ${seal.public_key === null ? 'NOT SIGNED' : `signature ${seal.valid ? 'valid' : 'NOT VALID'}, by the key ${seal.public_key}`}`,
      ...run.words,
      ...signatures.map((one) => signatureLine(one, 'run')),
      signatures.length === 0 ? 'signature:    none: nobody signed the run' : PERSON_LINE,
      ...timeLines(signatures),
      BOUNDARY,
    ].join('\n'),
    { parts: problems, bundle: seal, run: run.report, signatures },
  );
  return problems.length === 0 && seal.valid && run.ok && signatures.every(isGood) ? 0 : 1;
}
