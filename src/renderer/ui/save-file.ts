/** Hands a text to the browser as a download. */
export function saveFile(name: string, type: 'application/json' | 'text/csv', text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The click has taken the content by the next task; the address may go.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}
