import { closeSync, constants, openSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { replaceFile } from './atomic-file.ts';

/** What `server.json` tells agents about the running server. It holds no key. */
export const Discovery = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  pid: z.int().min(1),
  instance_id: z.string().min(1).max(128),
  started_at: z.iso.datetime({ precision: 3 }),
});
export type Discovery = z.infer<typeof Discovery>;

/** Where a server says which one it is, to whoever asks. */
export const IDENTITY_PATH = '/.well-known/evidence-studio';

/**
 * `instance_id` as in `server.json`: whoever finds another one there has found another server.
 * Later versions may say more.
 */
export const Identity = z.object({
  product: z.literal('evidence-studio'),
  version: z.string(),
  instance_id: z.string(),
});
export type Identity = z.infer<typeof Identity>;

function fileIn(folder: string): string {
  return path.join(folder, 'server.json');
}

export function writeDiscovery(folder: string, discovery: Discovery): void {
  replaceFile(fileIn(folder), `${JSON.stringify(discovery)}\n`);
}

/**
 * Reads the file that some server left; undefined where there is none or it cannot be read. A
 * server that was killed leaves its file behind.
 */
export function readDiscovery(folder: string): Discovery | undefined {
  let handle: number;
  try {
    handle = openSync(fileIn(folder), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch {
    return undefined;
  }
  try {
    return Discovery.safeParse(JSON.parse(readFileSync(handle, 'utf8'))).data;
  } catch {
    return undefined;
  } finally {
    closeSync(handle);
  }
}

/** Removes the file if it is still this instance's. */
export function removeDiscovery(folder: string, instanceId: string): void {
  if (readDiscovery(folder)?.instance_id === instanceId) rmSync(fileIn(folder), { force: true });
}
