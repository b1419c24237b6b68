import { useId, useMemo, useState } from 'react';
import {
  betaAbove,
  betaCumulative,
  betaDensity,
  globalPosterior,
  mixtureCumulative,
  mixtureDensity,
} from '../../../../shared/domain/beta-density.ts';
import type { ItemResult } from '../../../../shared/domain/result.ts';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { formatPercent, formatShare } from '../../../state/format.ts';
import { Table } from '../../../ui/Table.tsx';
import { drawDensity } from '../figures/draw-density.tsx';
import { countResults } from '../figures/figure-items.ts';
import { RunFigure } from '../figures/RunFigure.tsx';
import { t } from '../../../text/t.ts';

const ROWS = Array.from({ length: 21 }, (_, index) => index / 20);

/** A density may be infinite at an end. */
const densityWords = (value: number): string =>
  Number.isFinite(value) ? formatShare(value, 3) : '∞';

/** The posterior density of an item, and what can be read off it at any share. */
export function ItemDensity({
  run,
  name,
  result,
}: {
  run: RunRecord;
  name: string;
  result: ItemResult;
}) {
  const [at, setAt] = useState(0.5);
  const id = useId();
  const global = useMemo(() => globalPosterior(countResults(run.result.items)), [run]);
  const { alpha, beta } = result;
  const level = formatPercent(run.settings.ci_level);
  const drawing = useMemo(
    () =>
      drawDensity(
        { name, alpha, beta, lower: result.theta_lower, upper: result.theta_upper, level, at },
        global,
      ),
    [name, alpha, beta, result, level, at, global],
  );
  return (
    <RunFigure
      run={run}
      title={t('Posterior density')}
      sentence={t(
        'Beta({alpha}, {beta}), the exact posterior of {name}, over that of all items together: the mean of their posteriors. The shaded part is the credible interval.',
        { alpha: alpha.toFixed(2), beta: beta.toFixed(2), name },
      )}
      drawing={drawing}
      table={
        <Table
          caption={t('Posterior density')}
          dense
          head={
            <tr>
              <th scope="col" className="n">
                {t('Sufficiency')}
              </th>
              <th scope="col" className="n">
                {t('Density of the item')}
              </th>
              <th scope="col" className="n">
                {t('Probability at most')}
              </th>
              <th scope="col" className="n">
                {t('Density of all items')}
              </th>
              <th scope="col" className="n">
                {t('Probability at most')}
              </th>
            </tr>
          }
        >
          {ROWS.map((x) => (
            <tr key={x}>
              <th scope="row" className="n">
                {formatShare(x)}
              </th>
              <td className="n">{densityWords(betaDensity(alpha, beta, x))}</td>
              <td className="n">{formatShare(betaCumulative(alpha, beta, x), 4)}</td>
              <td className="n">{densityWords(mixtureDensity(global, x))}</td>
              <td className="n">{formatShare(mixtureCumulative(global, x), 4)}</td>
            </tr>
          ))}
        </Table>
      }
    >
      <div className="fig-reading">
        <label htmlFor={id}>{t('Probability of more than')}</label>
        <input
          id={id}
          type="range"
          min="0"
          max="1"
          step="0.01"
          value={at}
          aria-valuetext={formatShare(at)}
          onChange={(event) => setAt(Number(event.target.value))}
        />
        <output htmlFor={id}>
          {t('{share}: {item} for this item, {all} for all items together', {
            share: formatShare(at),
            item: formatShare(betaAbove(alpha, beta, at), 3),
            all: formatShare(1 - mixtureCumulative(global, at), 3),
          })}
        </output>
      </div>
    </RunFigure>
  );
}
