import { mkdtemp, readFile, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { ElectronLike } from '../../../src/main/electron-like.ts';
import { savePdf } from '../../../src/main/page-output.ts';
import { FakeContents } from './fake-electron.ts';

const dialogOf = (
  showSaveDialog: () => Promise<{ canceled: boolean; filePath: string }>,
): ElectronLike['dialog'] => ({ showSaveDialog }) as unknown as ElectronLike['dialog'];

describe('a page as PDF', () => {
  it('is written where the person says, under a name that means nothing to a file system', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'pdf-'));
    const showSaveDialog = vi.fn(async () => ({
      canceled: false,
      filePath: path.join(folder, 'page.pdf'),
    }));
    expect(await savePdf(new FakeContents(), dialogOf(showSaveDialog))).toBe(true);
    expect((showSaveDialog.mock.calls as unknown[][])[0]?.[0]).toMatchObject({
      defaultPath: 'Case .. .. etc  x.pdf',
    });
    expect((await readFile(path.join(folder, 'page.pdf'), 'latin1')).startsWith('%PDF')).toBe(true);
    expect(
      await savePdf(
        new FakeContents(),
        dialogOf(async () => ({ canceled: true, filePath: '' })),
      ),
    ).toBe(false);
    expect(await readdir(folder)).toEqual(['page.pdf']);
  });
});
