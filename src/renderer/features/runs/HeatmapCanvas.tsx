import { useEffect, useLayoutEffect, useRef, useState, type PointerEvent } from 'react';
import type { RunRecord } from '../../../shared/domain/run.ts';
import { useTheme } from '../../state/theme.ts';
import { cellAt, fitCells, paintHeatmap, type HeatmapColours, type HeatmapShape } from './heatmap-paint.ts';

const VIEW = 460;

function coloursOf(element: Element): HeatmapColours {
  const style = getComputedStyle(element);
  const token = (name: string) => style.getPropertyValue(name).trim();
  return { present: token('--false-solid'), problem: token('--true-solid'), unavailable: token('--na-bg'), hatch: token('--na-hatch'), bar: token('--true-solid-fg'), unrecorded: token('--surface'), edge: token('--unrecorded-border') };
}

function paintAll(canvas: HTMLCanvasElement, run: RunRecord, shape: HeatmapShape, top: number): void {
  const context = canvas.getContext('2d');
  if (context === null) return;
  const ratio = window.devicePixelRatio;
  const height = Math.min(VIEW, shape.rows * shape.cellHeight);
  canvas.width = Math.round(shape.columns * shape.cellWidth * ratio);
  canvas.height = Math.round(height * ratio);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  paintHeatmap(context, run.frozen.raw, shape, coloursOf(canvas), top, height);
}

interface HeatmapCanvasProps {
  run: RunRecord;
  /** Least pixels of a cell's edge; larger than what fits makes the drawing scroll. */
  least: number;
  onPoint: (cell: { row: number; column: number } | undefined) => void;
}

/** The matrix as frozen, a few pixels a cell. The canvas is as tall as the view and redrawn while its frame scrolls, so any number of items fits. */
export function HeatmapCanvas({ run, least, onPoint }: HeatmapCanvasProps) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const theme = useTheme((state) => state.theme);
  const { items, rules } = run.frozen;
  const shape = fitCells(rules.length, items.length, Math.max(1, width - 2), VIEW, least);

  useLayoutEffect(() => {
    if (frame.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    const paint = () => {
      if (canvas.current !== null && width > 0) paintAll(canvas.current, run, shape, frame.current?.scrollTop ?? 0);
    };
    paint();
    const scheme = window.matchMedia('(prefers-color-scheme: dark)');
    const scroller = frame.current;
    scheme.addEventListener('change', paint);
    scroller?.addEventListener('scroll', paint, { passive: true });
    return () => {
      scheme.removeEventListener('change', paint);
      scroller?.removeEventListener('scroll', paint);
    };
  });
  // `theme` is read so that a switch draws again.
  void theme;

  const point = (event: PointerEvent<HTMLCanvasElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    onPoint(cellAt(shape, event.clientX - box.left, event.clientY - box.top + (frame.current?.scrollTop ?? 0)));
  };
  const height = Math.min(VIEW, items.length * shape.cellHeight);
  return (
    <div ref={frame} className="heatmap-frame" style={{ height }} role="region" aria-label="Heatmap of the frozen matrix" tabIndex={0}>
      <div style={{ height: items.length * shape.cellHeight, width: rules.length * shape.cellWidth }}>
        <canvas ref={canvas} className="heatmap-canvas" style={{ width: rules.length * shape.cellWidth, height }} aria-hidden="true" onPointerMove={point} onPointerLeave={() => onPoint(undefined)} />
      </div>
    </div>
  );
}
