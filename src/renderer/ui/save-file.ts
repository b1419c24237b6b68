const KEPT_MS = 10 * 60_000;

/** Hands a file to the browser as a download. */
export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The desktop asks for a place first and reads the content after that.
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

export function saveFile(
  name: string,
  type: 'application/json' | 'text/csv' | 'text/plain',
  text: string,
): void {
  saveBlob(name, new Blob([text], { type: `${type};charset=utf-8` }));
}

/**
 * Saves what the server handed out. Excel reads UTF-8 only where the file says so at its beginning.
 */
export function saveFetched({ name, blob }: { name: string; blob: Blob }): void {
  saveBlob(
    name,
    name.endsWith('.csv') ? new Blob(['\ufeff', blob], { type: 'text/csv;charset=utf-8' }) : blob,
  );
}
