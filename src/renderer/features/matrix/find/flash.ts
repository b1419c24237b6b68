/** The grid may draw a cell some frames after it was scrolled to. */
const FRAMES = 30;

/** Marks the cell that was found until the returned function is called. */
export function flash(root: HTMLElement, row: number, column: string): () => void {
  let left = FRAMES;
  let marked: HTMLElement | undefined;
  let frame = 0;
  const look = (): void => {
    marked =
      root.querySelector<HTMLElement>(
        `.ag-row[row-index="${row}"] [col-id="${CSS.escape(column)}"]`,
      ) ?? undefined;
    if (marked !== undefined) marked.dataset['found'] = '';
    else if ((left -= 1) > 0) frame = requestAnimationFrame(look);
  };
  look();
  return () => {
    cancelAnimationFrame(frame);
    delete marked?.dataset['found'];
  };
}
