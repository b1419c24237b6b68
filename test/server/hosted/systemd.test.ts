import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { findProgram } from '../../support/find-program.ts';
import { ROOT, runToEnd } from '../../support/served.ts';

const analyze = findProgram({
  variable: 'SYSTEMD_ANALYZE_PATH',
  places: () => ['/usr/bin/systemd-analyze'],
  debian: 'systemd',
});

it.skipIf(analyze === undefined)(
  'systemd has nothing to say against the unit, but would of a word that it does not know',
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'evidence-unit-'));
    try {
      const file = path.join(folder, 'evidence-studio.service');
      // Of this machine are the program and the folder that it runs in.
      const unit = (await readFile(path.join(ROOT, 'deploy/evidence-studio.service'), 'utf8'))
        .replace('/usr/bin/node', process.execPath)
        .replaceAll('/opt/evidence-studio', ROOT);
      const said = async (text: string): Promise<string[]> => {
        await writeFile(file, text);
        const { stdout, stderr } = await runToEnd(analyze!, ['verify', '--man=no', file]);
        // Units of this machine that ours names are none of ours.
        return (stdout + stderr)
          .split('\n')
          .filter((line) => line.includes('evidence-studio.service'));
      };
      expect(await said(unit)).toEqual([]);
      expect(await said(unit.replace('UMask=', 'UMasc='))).toEqual([
        expect.stringContaining('UMasc'),
      ]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);
