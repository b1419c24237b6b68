import type { CellState } from '../../../shared/domain/outcome.ts';

/** Colours as the canvas takes them; read from the tokens of the page. */
export interface HeatmapColours {
  present: string;
  /** Of a cell with room for its letter. */
  pale: string;
  problem: string;
  unavailable: string;
  hatch: string;
  /** What stands in a cell that has room for it. */
  letters: Readonly<Record<'FALSE' | 'TRUE' | 'NA', string>>;
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
/** Smallest edge at which round and lozenge can be told apart. */
const SHAPES_FROM = 6;
/** Pixels of a cell that a letter fits into. */
const LETTERS_FROM = { width: 16, height: 12 };
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
  const isShaped = Math.min(width, height) >= SHAPES_FROM;
  const isLettered = width >= LETTERS_FROM.width && height >= LETTERS_FROM.height;
  if (state === 'FALSE' && isLettered) {
    context.fillStyle = colours.pale;
    context.strokeStyle = colours.present;
    context.lineWidth = 1;
    const inner = { x: x + 0.5, y: y + 0.5, width: width - 1, height: height - 1 };
    fillShape(context, inner, 'round');
    context.stroke();
  } else if (state === 'FALSE') {
    context.fillStyle = colours.present;
    fillShape(context, box, isShaped ? 'round' : 'box');
  } else if (state === 'TRUE') {
    context.fillStyle = colours.problem;
    fillShape(context, box, isShaped ? 'lozenge' : 'box');
  } else {
    context.fillStyle = state === 'NA' ? colours.unavailable : colours.unrecorded;
    context.fillRect(x, y, width, height);
    if (Math.min(width, height) < MARKS_FROM - 1) return;
    if (state === 'NA') hatch(context, box, colours.hatch);
    else outline(context, box, colours.edge);
  }
  if (state !== null && isLettered)
    letter(context, box, state === 'NA' ? 'NA' : state.charAt(0), colours.letters[state]);
}

/** The shapes of the marks that stand in the editor's cells. */
function fillShape(
  context: CanvasRenderingContext2D,
  { x, y, width, height }: HeatmapBox,
  shape: 'box' | 'round' | 'lozenge',
): void {
  context.beginPath();
  if (shape === 'box') context.rect(x, y, width, height);
  else if (shape === 'round') context.roundRect(x, y, width, height, Math.min(width, height) / 2);
  else {
    const side = Math.min(width / 4, height / 2);
    context.moveTo(x + side, y);
    context.lineTo(x + width - side, y);
    context.lineTo(x + width, y + height / 2);
    context.lineTo(x + width - side, y + height);
    context.lineTo(x + side, y + height);
    context.lineTo(x, y + height / 2);
  }
  context.fill();
}

function letter(
  context: CanvasRenderingContext2D,
  { x, y, width, height }: HeatmapBox,
  text: string,
  colour: string,
): void {
  context.fillStyle = colour;
  context.font = '600 10px Arial, Helvetica, sans-serif';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(text, x + width / 2, y + height / 2 + 0.5);
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
