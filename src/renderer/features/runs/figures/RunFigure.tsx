import { Download } from 'lucide-react';
import { type ReactNode, useCallback, useRef, useState } from 'react';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { Button } from '../../../ui/Button.tsx';
import { Figure } from '../../../ui/Figure.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { saveBlob } from '../../../ui/save-file.ts';
import { runFileName } from '../record.ts';
import type { Drawing } from './drawing.tsx';
import { figureFile, figureImage } from './save-figure.ts';
import './figures.css';
import { t } from '../../../text/t.ts';

interface RunFigureProps {
  run: Pick<RunRecord, 'run_uid' | 'content_hash'>;
  title: string;
  sentence: string;
  drawing: Drawing;
  table: ReactNode;
  tools?: ReactNode;
  /** Below the drawing. */
  children?: ReactNode;
  /** Of a drawing whose rows are items: opens the one that was pointed at. */
  onItem?: ((itemUid: string) => void) | undefined;
}

/** As a part of a file's name: without the letters that not every system keeps. */
const fileTitle = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/[äöü]/g, (letter) => `${letter.normalize('NFD').charAt(0)}e`)
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

/**
 * A figure of a run: drawn, as a table, and saved as a file that names its run. What the drawing
 * says by pointing stands in the table, for keyboards and screen readers.
 */
export function RunFigure({
  run,
  title,
  sentence,
  drawing,
  table,
  tools,
  children,
  onItem,
}: RunFigureProps) {
  const svg = useRef<SVGSVGElement>(null);
  const [problem, setProblem] = useState<string>();
  const drawn = useCallback(
    (element: SVGSVGElement) => {
      svg.current = element;
      const open = ({ target }: MouseEvent): void => {
        const row = target instanceof Element ? target.closest('[data-item]') : null;
        const item = row?.getAttribute('data-item') ?? null;
        if (item !== null) onItem?.(item);
      };
      element.addEventListener('click', open);
      return () => {
        svg.current = null;
        element.removeEventListener('click', open);
      };
    },
    [onItem],
  );
  const save = async (kind: 'svg' | 'png'): Promise<void> => {
    if (svg.current === null) return;
    setProblem(undefined);
    const file = figureFile(svg.current, run, { title, sentence });
    try {
      saveBlob(
        runFileName(run.run_uid, kind, fileTitle(title)),
        kind === 'svg' ? new Blob([file.text], { type: 'image/svg+xml' }) : await figureImage(file),
      );
    } catch {
      setProblem(t('The image could not be made. Save the figure as SVG.'));
    }
  };
  const icon = <Download size={13} aria-hidden="true" />;
  return (
    <Figure
      title={title}
      sentence={sentence}
      tools={tools}
      table={table}
      picture={
        <div className="panel">
          <div
            className="fig-frame"
            role="region"
            aria-label={t('{title}, drawn', { title })}
            tabIndex={0}
          >
            <svg
              ref={drawn}
              className="fig"
              viewBox={`0 0 ${drawing.width} ${drawing.height}`}
              role="img"
              aria-label={`${title}. ${sentence}`}
            >
              {drawing.body}
            </svg>
          </div>
          {children}
          <div className="actions">
            <Button size="sm" icon={icon} onClick={() => void save('svg')}>
              {t('Save SVG')}
            </Button>
            <Button size="sm" icon={icon} onClick={() => void save('png')}>
              {t('Save PNG')}
            </Button>
          </div>
          {problem !== undefined && (
            <Notice tone="danger" live title={t('Not saved')}>
              <p>{problem}</p>
            </Notice>
          )}
        </div>
      }
    />
  );
}
