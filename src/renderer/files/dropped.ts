import { t } from '../text/t.ts';
type Dropped = Pick<DataTransfer, 'files' | 'items'>;

/** What an import reads, as a file dialog wants it. */
export const IMPORTED_FILES = '.csv,.tsv,.tab,.txt,.xlsx,.vcf,.gz,.json,.jsonl,.ndjson,.eln';

/** Files of one folder; more are rarely meant as one table. */
const MOST_FILES = 200;
const TABLES = /\.(?:csv|tsv|tab|txt)$/i;

/**
 * What was dropped: one file, several files that are to be one table, or in words why it cannot be
 * read. Undefined where nothing was.
 */
export type DroppedFiles = readonly File[] | string | undefined;

const listed = async (folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> => {
  const reader = folder.createReader();
  const found: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (some.length === 0) return found;
    found.push(...some);
  }
};

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => {
    entry.file(resolve, reject);
  });

async function tablesIn(folder: FileSystemDirectoryEntry): Promise<File[] | string> {
  const entries = (await listed(folder)).filter(
    (entry): entry is FileSystemFileEntry => entry.isFile && TABLES.test(entry.name),
  );
  if (entries.length === 0)
    return t('The folder {name} has no CSV or TSV files.', { name: folder.name });
  if (entries.length > MOST_FILES)
    return t('The folder has more than {most, number} files. Import some of them at a time.', {
      most: MOST_FILES,
    });
  return Promise.all(
    entries.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)).map(fileOf),
  );
}

/** To be called within the event: what was dropped is gone after it. */
export function droppedFiles({ files, items }: Dropped): Promise<DroppedFiles> {
  const folders = Array.from(items, (item) => item.webkitGetAsEntry?.() ?? null).filter(
    (entry): entry is FileSystemDirectoryEntry => entry?.isDirectory === true,
  );
  const [folder] = folders;
  if (folder !== undefined)
    return files.length > 1 || folders.length > 1
      ? Promise.resolve(t('Drop one folder, or files.'))
      : tablesIn(folder).catch(() => t('The folder cannot be read.'));
  const all = [...files];
  if (all.length > 1 && !all.every(({ name }) => TABLES.test(name)))
    return Promise.resolve(t('Several files are one import only where all are CSV or TSV.'));
  return Promise.resolve(all.length === 0 ? undefined : all);
}
