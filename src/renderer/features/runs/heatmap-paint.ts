import type { CellState } from '../../../shared/domain/outcome.ts';

/** Colours as the canvas takes them; read from the tokens of the page. */
export interface HeatmapColours {
  present: string;
  problem: string;
  unavailable: string;
  hatch: string;
  /** The bar inside a TRUE cell. */
  bar: string;
  unrecorded: string;
  /** The edge of an unrecorded cell. */
  edge: string;
}

export interface HeatmapShape {
  /** Pixels of one cell, gap included. */
  cellWidth: number;
  cellHeight: number;
  columns: number;
  rows: number;
}

/** Smallest cell edge at which the hatch of NA and the dot of unrecorded can be seen. */
export const MARKS_FROM = 4;
const WIDEST = 34;
const TALLEST = 18;

/** Cells that fill `width` and, down to `least` pixels, `height`. */
export function fitCells(
  columns: number,
  rows: number,
  width: number,
  height: number,
  least: number,
): HeatmapShape {
  const fit = (space: number, count: number, most: number) =>
    Math.min(most, Math.max(least, Math.floor(space / count)));
  return {
    columns,
    rows,
    cellWidth: fit(width, columns, WIDEST),
    cellHeight: fit(height, rows, TALLEST),
  };
}

/** Index of the cell under a point of the drawing, or undefined beside it. */
export function cellAt(
  shape: HeatmapShape,
  x: number,
  y: number,
): { row: number; column: number } | undefined {
  const column = Math.floor(x / shape.cellWidth);
  const row = Math.floor(y / shape.cellHeight);
  return column >= 0 && row >= 0 && column < shape.columns && row < shape.rows
    ? { row, column }
    : undefined;
}

/** Draws the rows in view. `top` is how far the drawing is scrolled, in CSS pixels. */
export function paintHeatmap(
  context: CanvasRenderingContext2D,
  raw: readonly (readonly CellState[])[],
  shape: HeatmapShape,
  colours: HeatmapColours,
  top: number,
  height: number,
): void {
  const { cellWidth, cellHeight, columns, rows } = shape;
  const gap = Math.min(cellWidth, cellHeight) >= 3 ? 1 : 0;
  context.clearRect(0, 0, columns * cellWidth, height);
  const first = Math.floor(top / cellHeight);
  const last = Math.min(rows, Math.ceil((top + height) / cellHeight));
  for (let row = first; row < last; row += 1) {
    const states = raw[row] ?? [];
    for (let column = 0; column < columns; column += 1) {
      paintCell(
        context,
        states[column] ?? null,
        {
          x: column * cellWidth,
          y: row * cellHeight - top,
          width: cellWidth - gap,
          height: cellHeight - gap,
        },
        colours,
      );
    }
  }
}

interface HeatmapBox {
  x: number;
  y: number;
  width: number;
  height: number;
}

function paintCell(
  context: CanvasRenderingContext2D,
  state: CellState,
  box: HeatmapBox,
  colours: HeatmapColours,
): void {
  const { x, y, width, height } = box;
  context.fillStyle =
    state === 'FALSE'
      ? colours.present
      : state === 'TRUE'
        ? colours.problem
        : state === 'NA'
          ? colours.unavailable
          : colours.unrecorded;
  context.fillRect(x, y, width, height);
  if (Math.min(width, height) < MARKS_FROM - 1) return;
  if (state === 'NA') hatch(context, box, colours.hatch);
  if (state === 'TRUE') bar(context, box, colours.bar);
  if (state === null) outline(context, box, colours.edge);
}

/** Diagonal lines: NA is distinct without its colour. */
function hatch(
  context: CanvasRenderingContext2D,
  { x, y, width, height }: HeatmapBox,
  colour: string,
): void {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  for (let offset = -height; offset < width; offset += 4) {
    context.moveTo(x + offset, y + height);
    context.lineTo(x + offset + height, y);
  }
  context.stroke();
  context.restore();
}

/** A bar through the middle: TRUE is distinct from FALSE without its colour. */
function bar(
  context: CanvasRenderingContext2D,
  { x, y, width, height }: HeatmapBox,
  colour: string,
): void {
  if (width < 6 || height < 5) return;
  context.fillStyle = colour;
  context.fillRect(x + width * 0.25, Math.round(y + height / 2) - 1, width * 0.5, 2);
}

/** An empty box with a dashed edge: nobody has looked. */
function outline(
  context: CanvasRenderingContext2D,
  { x, y, width, height }: HeatmapBox,
  colour: string,
): void {
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.setLineDash(Math.min(width, height) >= 8 ? [2, 2] : [1, 2]);
  context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
  context.setLineDash([]);
}
