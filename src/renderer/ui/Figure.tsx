import { useId, useState, type ReactNode } from 'react';
import { Button } from './Button.tsx';
import { t } from '../text/t.ts';

interface FigureProps {
  title: string;
  /** One generated sentence that says what the picture shows. */
  sentence: string;
  picture: ReactNode;
  table: ReactNode;
  tools?: ReactNode;
}

/** Every chart of the studio: a title, one sentence, the picture, and the same facts as a table. */
export function Figure({ title, sentence, picture, table, tools }: FigureProps) {
  const [asTable, setAsTable] = useState(false);
  const id = useId();
  return (
    <figure className="figure" aria-labelledby={id}>
      <figcaption>
        <div className="section-head">
          <h2 id={id}>{title}</h2>
          <div className="actions">
            {tools}
            <Button size="sm" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
              {t('Show as table')}
            </Button>
          </div>
        </div>
        <p className="section-note">{sentence}</p>
      </figcaption>
      {asTable ? table : picture}
    </figure>
  );
}
