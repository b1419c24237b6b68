import { createHash } from 'node:crypto';
import {
  CRATE_FILE,
  CRATE_KEY,
  CRATE_SIGNATURE,
  crateParts,
  RUN_PART,
  SIGNATURES_FOLDER,
  STAMPED_END,
  TOKEN_END,
} from '../../shared/domain/run-crate.ts';
import { RunSignature } from '../../shared/domain/sign-off.ts';

/** What is wrong with a bundle, and with which of its parts. */
export interface BundleProblem {
  path: string;
  code:
    | 'no_single_folder'
    | 'no_metadata'
    | 'foreign'
    | 'missing_part'
    | 'other_part'
    | 'unlisted_part'
    | 'no_signature';
  message: string;
}

export interface ReadBundle {
  /** The JSON text of the run; undefined where there is none, or not the one that is listed. */
  run: string | undefined;
  /** The signature over the metadata, and the key that the bundle names. */
  seal: { metadata: string; signature: string; public_key: string } | undefined;
  /** What people signed, with the time-stamps. */
  signatures: { signature: RunSignature; token: Uint8Array | undefined }[];
  problems: BundleProblem[];
}

/** Text, or the bytes of a time-stamp. */
type Part = string | Uint8Array;
const textOf = (part: Part | undefined): string | undefined =>
  typeof part === 'string' ? part : undefined;

/** The key of a `.pub` file of Minisign. */
const keyOf = (text: string): string => text.split('\n')[1] ?? '';

/**
 * The files in the one folder of a bundle, by their names in it; undefined where there is not one.
 */
function inFolder(files: ReadonlyMap<string, Part>): Map<string, Part> | undefined {
  const folders = new Set([...files.keys()].map((name) => name.slice(0, name.indexOf('/') + 1)));
  const [folder = ''] = folders;
  if (folders.size !== 1 || folder === '') return undefined;
  return new Map([...files].map(([name, text]) => [name.slice(folder.length), text]));
}

function partProblems(
  parts: ReadonlyMap<string, string>,
  files: ReadonlyMap<string, Part>,
): BundleProblem[] {
  const problems: BundleProblem[] = [];
  for (const [path, hash] of parts) {
    const part = files.get(path);
    if (part === undefined)
      problems.push({ path, code: 'missing_part', message: 'It is listed, and not there.' });
    else if (createHash('sha256').update(part).digest('hex') !== hash)
      problems.push({ path, code: 'other_part', message: 'It is not what was listed.' });
  }
  for (const path of files.keys())
    if (path !== CRATE_FILE && path !== CRATE_SIGNATURE && !parts.has(path))
      problems.push({ path, code: 'unlisted_part', message: 'It is there, and not listed.' });
  return problems;
}

/** Statements of people with the signatures and keys beside them. */
function signaturesIn(files: ReadonlyMap<string, Part>): ReadBundle['signatures'] {
  return [...files].flatMap(([name, statement]) => {
    const isStatement = name.endsWith('.json') && !name.endsWith(STAMPED_END);
    if (!name.startsWith(SIGNATURES_FOLDER) || !isStatement) return [];
    const { data } = RunSignature.safeParse({
      statement,
      signature: files.get(`${name}.minisig`),
      public_key: keyOf(textOf(files.get(`${name}.pub`)) ?? ''),
    });
    const token = files.get(`${name}${STAMPED_END}${TOKEN_END}`);
    return data === undefined
      ? []
      : [{ signature: data, token: typeof token === 'string' ? undefined : token }];
  });
}

const nothing = (...problems: BundleProblem[]): ReadBundle => ({
  run: undefined,
  seal: undefined,
  signatures: [],
  problems,
});

/** Reads a bundle out of its files: their contents by the names that the ZIP file gives them. */
export function readBundle(zipped: ReadonlyMap<string, Part>): ReadBundle {
  const files = inFolder(zipped);
  if (files === undefined)
    return nothing({
      path: '',
      code: 'no_single_folder',
      message: 'A bundle has one folder, and everything in it.',
    });
  const metadata = textOf(files.get(CRATE_FILE));
  const parts = metadata === undefined ? undefined : crateParts(metadata);
  if (metadata === undefined || parts === undefined)
    return nothing({
      path: CRATE_FILE,
      code: 'no_metadata',
      message: 'There is no such file that lists the parts.',
    });
  if (!parts.has(RUN_PART))
    return nothing({
      path: CRATE_FILE,
      code: 'foreign',
      message: `It is a crate of something else: it lists no ${RUN_PART}.`,
    });
  const problems = partProblems(parts, files);
  const [signature, key] = [textOf(files.get(CRATE_SIGNATURE)), textOf(files.get(CRATE_KEY))];
  if (signature === undefined || key === undefined)
    problems.push({
      path: CRATE_SIGNATURE,
      code: 'no_signature',
      message: `The list of the parts is not signed, or ${CRATE_KEY} is not there.`,
    });
  const isListed = !problems.some(({ path }) => path === RUN_PART);
  return {
    run: isListed ? textOf(files.get(RUN_PART)) : undefined,
    seal:
      signature === undefined || key === undefined
        ? undefined
        : { metadata, signature, public_key: keyOf(key) },
    signatures: signaturesIn(files),
    problems,
  };
}
