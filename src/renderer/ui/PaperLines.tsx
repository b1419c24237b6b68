import './paper-matrix.css';
import { t } from '../text/t.ts';

/** Lines of one part, so that a page never has to lay out all of them at once. */
const PART = 500;
/** Letters that stand together, so that the eye can count. */
const GROUP = 5;

interface PaperLinesProps {
  rows: number;
  /** A letter a column. */
  letters: (row: number) => string;
  item: (row: number) => string;
}

/** A matrix too long for a drawn cell each: one line of letters a row, then the row's name. */
export function PaperLines({ rows, letters, item }: PaperLinesProps) {
  const line = (row: number): string =>
    `${letters(row).replaceAll(new RegExp(`.{${GROUP}}(?=.)`, 'g'), '$& ')}  ${item(row)}`;
  return (
    <>
      <p className="paper-key">
        {t(
          'One line an item, one letter a rule in the order of the list, {count} together: F FALSE, evidence present; T TRUE, problem found; N NA, not available; - not recorded.',
          { count: GROUP },
        )}
      </p>
      {Array.from({ length: Math.ceil(rows / PART) }, (_, part) => (
        <pre key={part} className="paper-lines">
          {Array.from({ length: Math.min(PART, rows - part * PART) }, (_line, index) =>
            line(part * PART + index),
          ).join('\n')}
        </pre>
      ))}
    </>
  );
}
