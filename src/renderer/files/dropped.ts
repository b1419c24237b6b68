type Dropped = Pick<DataTransfer, 'files' | 'items'>;

/**
 * The one file that was dropped, or in words why it cannot be read. Undefined where nothing was.
 */
export function droppedFile({ files, items }: Dropped): File | string | undefined {
  if (files.length > 1) return 'Several files were dropped. Import one after the other.';
  const isFolder = Array.from(
    items,
    (item) => item.webkitGetAsEntry?.()?.isDirectory === true,
  ).includes(true);
  return isFolder ? 'A folder cannot be imported. Choose one of its files.' : files[0];
}
