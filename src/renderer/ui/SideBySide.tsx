import type { ReactNode } from 'react';
import { t } from '../text/t.ts';

interface Value {
  key: string;
  /** Of the choice, for whoever hears it. */
  name: string;
  heading: ReactNode;
}
interface SideBySideLine {
  name: string;
  cells: readonly ReactNode[];
  differs?: boolean;
}

interface SideBySideProps {
  values: readonly Value[];
  lines: readonly SideBySideLine[];
  /** Name of the group of choices. */
  group: string;
  taken: string | null | undefined;
  disabled?: boolean;
  onTake: (key: string, at: number) => void;
}

/** What several people wrote, one column each, and the choice among them. */
export function SideBySide({
  values,
  lines,
  group,
  taken,
  disabled = false,
  onTake,
}: SideBySideProps) {
  return (
    <div className="side-by-side" role="region" aria-label={t('Values side by side')} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">{t('What')}</span>
            </th>
            {values.map(({ key, name, heading }, at) => (
              <th key={key} scope="col" data-chosen={taken === key || undefined}>
                <label>
                  <input
                    type="radio"
                    name={group}
                    checked={taken === key}
                    disabled={disabled}
                    aria-label={t('Value {position}: {name}', { position: at + 1, name })}
                    onChange={() => onTake(key, at)}
                  />
                  {heading}
                </label>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(({ name, cells, differs = false }) => (
            <tr key={name} data-differs={differs || undefined}>
              <th scope="row">
                {name}
                {differs && (
                  <>
                    <span aria-hidden="true"> ≠</span>
                    <span className="visually-hidden"> {t('differs')}</span>
                  </>
                )}
              </th>
              {values.map(({ key }, at) => (
                <td key={key}>
                  {cells[at] === '' ? <span className="muted">{t('none')}</span> : cells[at]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
