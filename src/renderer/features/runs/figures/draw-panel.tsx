import { type Drawing, DRAWING_WIDTH } from './drawing.tsx';

const HEAD = 26;
const GAP = 14;

/** Drawings below one another, each with its letter and title. */
export function drawPanel(parts: readonly { title: string; drawing: Drawing }[]): Drawing {
  let top = 0;
  const placed = parts.map(({ title, drawing }, index) => {
    const at = top;
    top += HEAD + drawing.height + GAP;
    return { title: `${String.fromCharCode(65 + index)}  ${title}`, drawing, at };
  });
  return {
    width: DRAWING_WIDTH,
    height: top,
    body: placed.map(({ title, drawing, at }) => (
      <g key={title} transform={`translate(0 ${at})`}>
        <text className="fig-title" x={12} y={18}>
          {title}
        </text>
        <g transform={`translate(0 ${HEAD})`}>{drawing.body}</g>
      </g>
    )),
  };
}
