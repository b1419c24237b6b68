const KEPT_MS = 10 * 60_000;

/** Hands a text to the browser as a download. */
export function saveFile(name: string, type: 'application/json' | 'text/csv', text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The desktop asks for a place first and reads the content after that.
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
