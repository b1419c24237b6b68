import { useEffect, useLayoutEffect, useRef, useState, type PointerEvent } from 'react';
import type { RunRecord } from '../../../shared/domain/run.ts';
import { useTheme } from '../../state/theme.ts';
import {
  cellAt,
  fitCells,
  paintHeatmap,
  type HeatmapColours,
  type HeatmapShape,
} from './heatmap-paint.ts';
import { t } from '../../text/t.ts';

const VIEW = 460;
/** Least height of a row that a name fits into. */
const LABEL_FROM = 14;

function coloursOf(element: Element): HeatmapColours {
  const style = getComputedStyle(element);
  const token = (name: string) => style.getPropertyValue(name).trim();
  return {
    present: token('--false-solid'),
    pale: token('--false-bg'),
    problem: token('--true-solid'),
    unavailable: token('--na-bg'),
    hatch: token('--na-hatch'),
    letters: {
      FALSE: token('--false-fg'),
      TRUE: token('--true-solid-fg'),
      NA: token('--na-fg'),
    },
    unrecorded: token('--surface'),
    edge: token('--unrecorded-border'),
  };
}

function paintAll(
  canvas: HTMLCanvasElement,
  run: RunRecord,
  shape: HeatmapShape,
  top: number,
): void {
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

/**
 * The matrix as frozen, a few pixels a cell. The canvas is as tall as the view and redrawn while
 * its frame scrolls, so any number of items fits.
 */
export function HeatmapCanvas({ run, least, onPoint }: HeatmapCanvasProps) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const theme = useTheme((state) => state.theme);
  const { items, rules } = run.frozen;
  const shape = fitCells(rules.length, items.length, Math.max(1, width - 2), VIEW, least);

  useLayoutEffect(() => {
    if (frame.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) =>
      setWidth(Math.floor(entry?.contentRect.width ?? 0)),
    );
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    const paint = () => {
      if (canvas.current !== null && width > 0)
        paintAll(canvas.current, run, shape, frame.current?.scrollTop ?? 0);
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
    onPoint(
      cellAt(
        shape,
        event.clientX - box.left,
        event.clientY - box.top + (frame.current?.scrollTop ?? 0),
      ),
    );
  };
  const height = Math.min(VIEW, items.length * shape.cellHeight);
  const drawn = { width: rules.length * shape.cellWidth, height: items.length * shape.cellHeight };
  const isLabelled = shape.cellHeight >= LABEL_FROM && drawn.height <= VIEW && drawn.width <= width;
  return (
    <div className="heatmap-plot" data-labelled={isLabelled || undefined}>
      {isLabelled && <Labels run={run} shape={shape} />}
      <div
        ref={frame}
        className="heatmap-frame"
        style={{ height }}
        role="region"
        aria-label={t('Heatmap of the frozen matrix')}
        tabIndex={0}
      >
        <div style={drawn}>
          <canvas
            ref={canvas}
            className="heatmap-canvas"
            style={{ width: drawn.width, height }}
            aria-hidden="true"
            onPointerMove={point}
            onPointerLeave={() => onPoint(undefined)}
          />
        </div>
      </div>
    </div>
  );
}

/**
 * Names of the rows and numbers of the columns, where a small matrix leaves room for them. The
 * table has them for assistive technology.
 */
function Labels({ run, shape }: { run: RunRecord; shape: HeatmapShape }) {
  const { items, rules, profile } = run.frozen;
  const orderByRule = new Map(profile.rules.map((rule) => [rule.ruleUid, rule.ruleOrder]));
  return (
    <>
      <div className="heatmap-columns" aria-hidden="true">
        {rules.map((uid) => (
          <span key={uid} style={{ width: shape.cellWidth }}>
            {orderByRule.get(uid)}
          </span>
        ))}
      </div>
      <div className="heatmap-rows" aria-hidden="true">
        {items.map((item) => (
          <span
            key={item.item_uid}
            style={{ height: shape.cellHeight, lineHeight: `${shape.cellHeight}px` }}
          >
            {item.label === '' ? item.item_uid : item.label}
          </span>
        ))}
      </div>
    </>
  );
}
