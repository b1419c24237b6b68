import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, MAX_OBJECT_BYTES, type ObjectStore, ObjectStoreError } from './object-store.ts';

const FULL = new Set(['ENOSPC', 'EDQUOT']);
const REFUSED = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'EISDIR']);

function meaning(error: unknown): ObjectStoreError {
  const code = codeOf(error);
  const problem = FULL.has(code) ? 'full' : REFUSED.has(code) ? 'refused' : 'unreachable';
  return new ObjectStoreError(problem, code, { cause: error });
}

/** Windows can flush no folder; its renames are journalled. */
async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a folder below the root, and its name durable; the root itself is never made. */
async function makeFolder(root: string, folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (made === undefined) return;
  for (let at = folder; at !== root && at.length > root.length; at = path.dirname(at))
    await flushFolder(path.dirname(at));
}

async function write(root: string, key: string, bytes: Uint8Array): Promise<void> {
  const file = path.join(root, key);
  const folder = path.dirname(file);
  // A folder that is not mounted is not to be filled in its place.
  await stat(root);
  await makeFolder(root, folder);
  const arriving = path.join(folder, `.${randomUUID()}.part`);
  try {
    const handle = await open(arriving, 'wx', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(arriving, file);
  } catch (error) {
    await rm(arriving, { force: true }).catch(() => undefined);
    throw error;
  }
  await flushFolder(folder);
}

/** Objects as files below a folder, each written beside its place, flushed and renamed into it. */
export function openFolderStore(root: string): ObjectStore {
  return {
    async put(key, bytes) {
      try {
        await write(root, key, bytes);
      } catch (error) {
        throw meaning(error);
      }
    },
    async get(key) {
      const file = path.join(root, key);
      try {
        return (await stat(file)).size > MAX_OBJECT_BYTES ? undefined : await readFile(file);
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return undefined;
        throw meaning(error);
      }
    },
  };
}
