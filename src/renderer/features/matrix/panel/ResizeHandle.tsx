import { type PointerEvent, useRef } from 'react';
import { clampWidth, PANEL_WIDTH } from '../model/preferences.ts';
import { useEditor } from '../editor/use-editor.ts';
import { t } from '../../../text/t.ts';

const STEP = 24;

/** The border between matrix and panel: dragged, or moved with the arrow keys. */
export function ResizeHandle({ width }: { width: number }) {
  const editor = useEditor();
  const from = useRef<{ x: number; width: number } | null>(null);
  const onPointerDown = (event: PointerEvent): void => {
    from.current = { x: event.clientX, width };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={t('Width of the evidence panel')}
      aria-valuenow={width}
      aria-valuemin={PANEL_WIDTH.least}
      aria-valuemax={PANEL_WIDTH.most}
      tabIndex={0}
      className="mx-resize"
      onPointerDown={onPointerDown}
      onPointerMove={(event) => {
        if (from.current !== null)
          editor.prefer({
            panelWidth: clampWidth(from.current.width + from.current.x - event.clientX),
          });
      }}
      onPointerUp={() => {
        from.current = null;
      }}
      onPointerCancel={() => {
        from.current = null;
      }}
      onKeyDown={(event) => {
        const change = event.key === 'ArrowLeft' ? STEP : event.key === 'ArrowRight' ? -STEP : 0;
        if (change === 0) return;
        event.preventDefault();
        editor.prefer({ panelWidth: clampWidth(width + change) });
      }}
    />
  );
}
