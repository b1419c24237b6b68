import { describe, expect, it } from 'vitest';
import { droppedFile } from '../../../src/renderer/files/dropped.ts';

function drop(...names: string[]): Pick<DataTransfer, 'files' | 'items'> {
  const files = names.map((name) => new File(['x'], name));
  const items = names.map((name) => ({
    webkitGetAsEntry: () => ({ isDirectory: name.endsWith('/') }),
  }));
  return { files: files as unknown as FileList, items: items as unknown as DataTransferItemList };
}

describe('what was dropped', () => {
  it('is one file', () => expect(droppedFile(drop('a.csv'))).toMatchObject({ name: 'a.csv' }));
  it('is nothing where only text was', () => expect(droppedFile(drop())).toBeUndefined());
  it('is refused where it is a folder', () =>
    expect(droppedFile(drop('plates/'))).toBe(
      'A folder cannot be imported. Choose one of its files.',
    ));
  it('is refused where it is more than one', () =>
    expect(droppedFile(drop('a.csv', 'b.csv'))).toBe(
      'Several files were dropped. Import one after the other.',
    ));
});
