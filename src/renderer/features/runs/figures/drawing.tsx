import type { ReactNode } from 'react';
import { formatShare } from '../../../state/format.ts';
import { locale } from '../../../text/t.ts';

/** A figure as SVG of this size, made of the classes of `figure-style.ts` alone. */
export interface Drawing {
  width: number;
  height: number;
  body: ReactNode;
}

/** The rectangle that data are drawn in, in pixels of the drawing. */
export interface PlotArea {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export const SHARE_TICKS = [0, 0.25, 0.5, 0.75, 1] as const;
/** Width of every drawing: they stand below one another in the panel. */
export const DRAWING_WIDTH = 760;

export const along = (from: number, to: number, share: number): number =>
  from + share * (to - from);
/** Pixels with one digit: enough to be exact on screen, and a third of the file. */
export const px = (value: number): number => Math.round(value * 10) / 10;

/** Mean width of a character, as a share of the size of its letters. */
const CHARACTER = 0.56;

/** As much of a text as fits, with an ellipsis where something is left out. */
export function fitText(text: string, width: number, size = 12): string {
  const most = Math.max(1, Math.floor(width / (size * CHARACTER)));
  return text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`;
}

/** A text in at most so many lines, broken between words. */
export function wrapText(text: string, width: number, lines: number, size = 12): string[] {
  const most = Math.max(1, Math.floor(width / (size * CHARACTER)));
  const wrapped: string[] = [];
  let rest = text;
  while (rest.length > most && wrapped.length < lines - 1) {
    const space = rest.lastIndexOf(' ', most);
    const end = space > 0 ? space : most;
    wrapped.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...wrapped, fitText(rest, width, size)];
}

/** The axis of shares from 0 to 1 below an area, with its lines and its name. */
export function ShareAxis({ area, name }: { area: PlotArea; name: string }) {
  return (
    <g>
      {SHARE_TICKS.map((tick) => {
        const x = px(along(area.left, area.right, tick));
        return (
          <g key={tick}>
            <line className="fig-grid" x1={x} x2={x} y1={area.top} y2={area.bottom} />
            <text className="fig-muted" x={x} y={area.bottom + 16} textAnchor="middle">
              {tickWords(tick)}
            </text>
          </g>
        );
      })}
      <line className="fig-axis" x1={area.left} x2={area.right} y1={area.bottom} y2={area.bottom} />
      <text
        className="fig-muted"
        x={(area.left + area.right) / 2}
        y={area.bottom + 33}
        textAnchor="middle"
      >
        {name}
      </text>
    </g>
  );
}

/** A dashed line over an area at a share, with its words at the top. */
export function Reference({
  area,
  share,
  words,
}: {
  area: PlotArea;
  share: number;
  words?: string;
}) {
  const x = px(along(area.left, area.right, share));
  return (
    <g>
      <line className="fig-reference" x1={x} x2={x} y1={area.top} y2={area.bottom} />
      {words !== undefined && (
        <text
          className="fig-muted"
          x={share > 0.7 ? x - 4 : x + 4}
          y={area.top + 10}
          textAnchor={share > 0.7 ? 'end' : 'start'}
        >
          {words}
        </text>
      )}
    </g>
  );
}

const TICK = new Intl.NumberFormat(locale(), { useGrouping: false, maximumSignificantDigits: 12 });

/** A number of an axis, with the digits that it has. */
export const tickWords = (value: number): string => TICK.format(value);

export const shareWords = (value: number): string => formatShare(value, 3);

/** The path through points in pixels. */
export const pathThrough = (points: readonly (readonly [x: number, y: number])[]): string =>
  points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${px(x)} ${px(y)}`).join('');

/** About four round numbers from 0 up to `most`. */
export function roundTicks(most: number): number[] {
  const raw = most / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10) * power;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, index) =>
    Number((index * step).toPrecision(12)),
  );
}
