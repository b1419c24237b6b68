import { CRATE_FILE, crateParts, RUN_PART } from '../../../../shared/domain/run-crate.ts';
import { FileProblem } from '../../../files/table.ts';
import { readZipDirectory, unzip, type ZipEntry } from '../../../files/zip.ts';
import { t } from '../../../text/t.ts';

/** What the list of the parts may unpack to, and the run. */
const MOST_METADATA = 10 * 1024 * 1024;
const MOST_RUN = 50 * 1024 * 1024;

async function bytesOf(file: Blob, entry: ZipEntry, most: number): Promise<Blob> {
  const pieces: BlobPart[] = [];
  for await (const { bytes } of unzip(file, entry, most)) pieces.push(new Uint8Array(bytes));
  return new Blob(pieces);
}

const hexOf = (digest: ArrayBuffer): string =>
  Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');

const sha256 = async (bytes: Blob): Promise<string> =>
  hexOf(await crypto.subtle.digest('SHA-256', await bytes.arrayBuffer()));

const other = (): FileProblem =>
  new FileProblem(
    t(
      'The run in the file is not what the bundle lists. Something changed it, so nothing is read.',
    ),
  );

/**
 * The run in a bundle (`.eln`) as a file of its own, once it is what the bundle lists; undefined
 * where a ZIP file is no crate. Signatures are for `evidence-studio verify`.
 */
export async function runInBundle(file: File): Promise<File | undefined> {
  const entries = await readZipDirectory(file);
  const lists = [...entries.values()].filter(({ name }) =>
    new RegExp(`^[^/]+/${CRATE_FILE.replaceAll('.', '\\.')}$`).test(name),
  );
  const [list] = lists;
  if (list === undefined) return undefined;
  const hash = crateParts(await (await bytesOf(file, list, MOST_METADATA)).text())?.get(RUN_PART);
  if (hash === undefined || lists.length > 1)
    throw new FileProblem(t('The file is no bundle of a run: it is a crate of something else.'));
  const run = entries.get(`${list.name.slice(0, -CRATE_FILE.length)}${RUN_PART}`);
  if (run === undefined) throw other();
  const bytes = await bytesOf(file, run, MOST_RUN);
  if ((await sha256(bytes)) !== hash) throw other();
  return new File([bytes], file.name);
}
