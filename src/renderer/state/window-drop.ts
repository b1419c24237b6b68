import { useEffect } from 'react';

type TakeDrop = (data: DataTransfer) => void;

/** Who takes files that are dropped anywhere on the window; the last one that began to. */
const takers: TakeDrop[] = [];

const holdsFiles = (event: DragEvent): boolean =>
  event.dataTransfer?.types.includes('Files') === true;

/** While a page shows something that files can be dropped on: it takes what no part of it took. */
export function useDroppedFiles(take: TakeDrop | undefined): void {
  useEffect(() => {
    if (take === undefined) return undefined;
    takers.push(take);
    return () => void takers.splice(takers.indexOf(take), 1);
  }, [take]);
}

/**
 * No file that is dropped on the window makes the browser leave the page for it: whoever takes
 * files gets it, else `otherwise` does.
 */
export function useWindowDrop(otherwise: TakeDrop): void {
  useEffect(() => {
    const onOver = (event: DragEvent): void => {
      if (holdsFiles(event)) event.preventDefault();
    };
    const onDrop = (event: DragEvent): void => {
      if (!holdsFiles(event) || event.defaultPrevented || event.dataTransfer === null) return;
      event.preventDefault();
      const take = takers.at(-1);
      (take ?? otherwise)(event.dataTransfer);
    };
    window.addEventListener('dragover', onOver);
    window.addEventListener('drop', onDrop);
    return () => {
      window.removeEventListener('dragover', onOver);
      window.removeEventListener('drop', onDrop);
    };
  }, [otherwise]);
}
