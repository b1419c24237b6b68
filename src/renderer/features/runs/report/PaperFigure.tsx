import type { Drawing } from '../figures/drawing.tsx';
import '../figures/figures.css';

/** A drawing on paper. */
export function PaperFigure({ drawing, label }: { drawing: Drawing; label: string }) {
  return (
    <svg
      className="report-figure"
      viewBox={`0 0 ${drawing.width} ${drawing.height}`}
      role="img"
      aria-label={label}
    >
      {drawing.body}
    </svg>
  );
}
