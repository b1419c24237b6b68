import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { Station } from '../../support/station.ts';
import { CASE, Studios } from '../../support/studios.ts';

/** A small disk of its own for a desktop; undefined where this account may not mount one. */
function smallDisk(): { folder: string; grow(): void; remove(): void } | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), 'small-disk-'));
  const mount = (...words: string[]): unknown =>
    execFileSync('/bin/mount', [...words, folder], { stdio: 'ignore' });
  try {
    mount('-t', 'tmpfs', '-o', 'size=4m,mode=700', 'tmpfs');
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  return {
    folder,
    grow: () => void mount('-o', 'remount,size=64m'),
    remove() {
      execFileSync('/bin/umount', ['-l', folder], { stdio: 'ignore' });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
const disk = smallDisk();

// Only where a small file system may be mounted: as root, on Linux.
it.skipIf(disk === undefined)(
  'I2 a desktop whose disk is full while it receives: it says so, takes nothing by half, and goes on when there is room',
  { timeout: 120_000 },
  async () => {
    const studios = await Studios.begin(1);
    try {
      const small = await Station.begin('small', {}, path.join(disk?.folder ?? '', 'data'));
      await studios.link(small);
      await studios.quiet();
      // Text that does not compress, more of it than the disk has room for.
      let bytes = 0;
      for (let n = 0; bytes < 5_000_000; n += 1) {
        const outcomes = Array.from({ length: 60 }, (_, at) => ({
          item_uid: `big-${n}-${at}`,
          rule_uid: studios.rules[0],
          raw_outcome: 'TRUE',
          source_value: randomBytes(1_600).toString('base64'),
        }));
        await studios.hosted.send('POST', `cases/${CASE}/evidence`, {
          profile_uid: 'crispr_edit_evidence',
          items: outcomes.map(({ item_uid }) => ({ item_uid })),
          outcomes,
        });
        bytes += JSON.stringify(outcomes).length;
      }
      await expect
        .poll(
          async () => {
            await small.asPerson('POST', 'uplink/sync', {});
            const { body } = await small.asPerson('GET', 'uplink');
            return JSON.stringify([
              body.problem,
              body.links?.map((link: { problem: string | null }) => link.problem),
            ]);
          },
          { timeout: 30_000, interval: 300 },
        )
        .toMatch(/disk is full/i);
      // What it took it took whole: its log still is the beginning of the hosted server's.
      const [here, there] = [await studios.log(small), await studios.log(studios.hosted)];
      expect(here.map(({ id }) => id).filter((id) => !there.some((one) => one.id === id))).toEqual(
        [],
      );
      disk?.grow();
      await studios.expectNothingLost();
    } finally {
      await studios.end();
      disk?.remove();
    }
  },
);
