import { describe, expect, it } from 'vitest';
import { droppedFiles } from '../../../src/renderer/files/dropped.ts';

function drop(...names: string[]): Pick<DataTransfer, 'files' | 'items'> {
  const files = names.map((name) => new File(['x'], name));
  return { files, items: names.map(() => ({})) } as unknown as DataTransfer;
}

/** A folder as a browser hands it over: entries in portions, in any order. */
function folder(name: string, ...names: string[]): Pick<DataTransfer, 'files' | 'items'> {
  const portions = [names.slice(0, 1), names.slice(1), []];
  const entry = {
    name,
    isDirectory: true,
    createReader: () => ({
      readEntries: (take: (some: unknown[]) => void) =>
        take(
          (portions.shift() ?? []).map((file) => ({
            name: file,
            isFile: true,
            file: (give: (opened: File) => void) => give(new File(['x'], file)),
          })),
        ),
    }),
  };
  const items = [{ webkitGetAsEntry: () => entry }];
  return { files: [new File([], name)], items } as unknown as DataTransfer;
}
const namesOf = async (dropped: ReturnType<typeof drop>): Promise<unknown> => {
  const files = await droppedFiles(dropped);
  return typeof files === 'object' ? files.map(({ name }) => name) : files;
};

describe('what was dropped', () => {
  it('is one file of any kind', async () =>
    expect(await namesOf(drop('a.bin'))).toEqual(['a.bin']));
  it('is nothing where only text was', async () => expect(await namesOf(drop())).toBeUndefined());
  it('is several tables, and refused where another file is among them', async () => {
    expect(await namesOf(drop('b.csv', 'a.tsv'))).toEqual(['b.csv', 'a.tsv']);
    expect(await namesOf(drop('a.csv', 'b.xlsx'))).toBe(
      'Several files are one import only where all are CSV or TSV.',
    );
  });
  it('is the tables of a folder by name, whatever else lies in it', async () => {
    expect(await namesOf(folder('plates', 'p2.csv', 'notes.docx', 'p1.CSV'))).toEqual([
      'p1.CSV',
      'p2.csv',
    ]);
    expect(await namesOf(folder('empty', 'a.png'))).toBe(
      'The folder empty has no CSV or TSV files.',
    );
  });
});
