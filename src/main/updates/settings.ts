import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../../server/instance/atomic-file.ts';
import { ReleaseVersion } from './feed.ts';

const Settings = z.strictObject({
  on: z.boolean(),
  looked_at: z.iso.datetime().nullable(),
  /** The newest version that was ever offered: an older one may not come after it. */
  newest: ReleaseVersion.nullable(),
  /** Versions that did not start here. */
  failed: z.array(ReleaseVersion).max(50),
});
export type UpdateSettings = z.infer<typeof Settings>;

const DEFAULTS: UpdateSettings = { on: false, looked_at: null, newest: null, failed: [] };

/** `updates.json` in the data folder: off where it cannot be read. */
export function openSettings(folder: string): {
  readonly value: UpdateSettings;
  set(change: Partial<UpdateSettings>): void;
} {
  const file = path.join(folder, 'updates.json');
  let value = DEFAULTS;
  try {
    value = Settings.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // There is none, or it is not one of ours.
  }
  return {
    get value() {
      return value;
    },
    set(change) {
      value = Settings.parse({ ...value, ...change });
      replaceFile(file, JSON.stringify(value));
    },
  };
}
