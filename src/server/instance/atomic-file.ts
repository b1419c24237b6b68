import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/**
 * Writes a new file beside `file`, readable by its owner alone, and flushes it to disk. The flag
 * `wx` does not follow a link that somebody planted.
 */
function writeBeside(file: string, bytes: Uint8Array): string {
  const temporary = `${file}.${process.pid}.tmp`;
  rmSync(temporary, { force: true });
  const handle = openSync(temporary, 'wx', 0o600);
  try {
    for (let done = 0; done < bytes.length;) done += writeSync(handle, bytes, done);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  return temporary;
}

/**
 * Replaces a file completely or not at all, whatever stood there (a link is replaced, not
 * followed).
 */
export function replaceFile(file: string, text: string | Uint8Array): void {
  const temporary = writeBeside(file, Buffer.from(text));
  try {
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Creates a file completely or not at all. Throws EEXIST where there is one. */
export function createFile(file: string, text: string | Uint8Array): void {
  const temporary = writeBeside(file, Buffer.from(text));
  try {
    linkSync(temporary, file);
  } catch (error) {
    // On a volume without hard links there is a moment between the check and the rename in which
    // another process may create the file.
    if (hasCode(error, 'EEXIST') || existsSync(file)) throw error;
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}
