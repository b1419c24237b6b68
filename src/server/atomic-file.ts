import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** A new file beside `file`, for its owner alone and on disk. `wx` follows no link that somebody planted. */
function writeBeside(file: string, bytes: Uint8Array): string {
  const temporary = `${file}.${process.pid}.tmp`;
  rmSync(temporary, { force: true });
  const handle = openSync(temporary, 'wx', 0o600);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  return temporary;
}

/** Puts a file in place whole or not at all, over whatever stood there (a link is replaced, not followed). */
export function replaceFile(file: string, text: string | Uint8Array): void {
  const temporary = writeBeside(file, Buffer.from(text));
  try {
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Puts a file in place whole, and only where there is none. Throws EEXIST. */
export function createFile(file: string, text: string | Uint8Array): void {
  const temporary = writeBeside(file, Buffer.from(text));
  try {
    linkSync(temporary, file);
  } catch (error) {
    // A volume without hard links: the moment between look and rename is the price.
    if (hasCode(error, 'EEXIST') || existsSync(file)) throw error;
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}
