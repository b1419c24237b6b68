import { useMemo } from 'react';
import { Link } from 'react-router';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { formatCount, formatPercent } from '../../../state/format.ts';
import { Pager, usePager } from '../../../ui/Pager.tsx';
import { Table } from '../../../ui/Table.tsx';
import { nameOf } from '../figures/figure-items.ts';
import { itemPath } from '../item/item-path.ts';
import { ruleNames } from '../record.ts';
import type { SensitivityAnswers } from './find-sensitivity.ts';
import { Part } from './Part.tsx';
import { t } from '../../../text/t.ts';

const PAGE = 10;

const shareOf = (part: number, whole: number): string =>
  formatPercent(Number((part / Math.max(1, whole)).toFixed(3)));

function ByRule({ run }: { run: RunRecord }) {
  const { rules, global } = run.result;
  const names = ruleNames(run);
  const worst = useMemo(
    () =>
      rules
        .filter((rule) => rule.not_available + rule.unrecorded > 0)
        .toSorted((a, b) => b.not_available + b.unrecorded - (a.not_available + a.unrecorded)),
    [rules],
  );
  const pager = usePager(worst.length, PAGE);
  if (worst.length === 0) return null;
  return (
    <div className="section">
      <Table
        caption={t('Missing evidence by rule')}
        dense
        head={
          <tr>
            <th scope="col">{t('Rule')}</th>
            <th scope="col" className="n">
              {t('NA')}
            </th>
            <th scope="col" className="n">
              {t('Not recorded')}
            </th>
            <th scope="col" className="n">
              {t('Of items')}
            </th>
          </tr>
        }
      >
        {worst.slice(pager.first, pager.end).map((rule) => (
          <tr key={rule.rule_uid}>
            <th scope="row">{names(rule.rule_uid)}</th>
            <td className="n">{formatCount(rule.not_available)}</td>
            <td className="n">{formatCount(rule.unrecorded)}</td>
            <td className="n">{shareOf(rule.not_available + rule.unrecorded, global.n_items)}</td>
          </tr>
        ))}
      </Table>
      <Pager pager={pager} what={t('rules')} />
    </div>
  );
}

function ByItem({ run, answers: { counts } }: { run: RunRecord; answers: SensitivityAnswers }) {
  const { items, rules } = run.frozen;
  const worst = useMemo(() => {
    const missing = counts.unavailable.map((count, row) => count + (counts.unrecorded[row] ?? 0));
    return Array.from(missing.keys())
      .filter((row) => (missing[row] ?? 0) > 0)
      .sort((a, b) => (missing[b] ?? 0) - (missing[a] ?? 0) || a - b);
  }, [counts]);
  const pager = usePager(worst.length, PAGE);
  if (worst.length === 0) return null;
  return (
    <div className="section">
      <Table
        caption={t('Missing evidence by item')}
        dense
        head={
          <tr>
            <th scope="col">{t('Item')}</th>
            <th scope="col" className="n">
              {t('NA')}
            </th>
            <th scope="col" className="n">
              {t('Not recorded')}
            </th>
            <th scope="col" className="n">
              {t('Of rules')}
            </th>
          </tr>
        }
      >
        {worst.slice(pager.first, pager.end).map((row) => {
          const item = items[row];
          const [unavailable, unrecorded] = [
            counts.unavailable[row] ?? 0,
            counts.unrecorded[row] ?? 0,
          ];
          return item === undefined ? null : (
            <tr key={item.item_uid}>
              <th scope="row">
                <Link to={itemPath(run.run_uid, item.item_uid)}>{nameOf(item)}</Link>
              </th>
              <td className="n">{formatCount(unavailable)}</td>
              <td className="n">{formatCount(unrecorded)}</td>
              <td className="n">{shareOf(unavailable + unrecorded, rules.length)}</td>
            </tr>
          );
        })}
      </Table>
      <Pager pager={pager} what={t('items')} />
    </div>
  );
}

/** Where evidence is missing, by rule and by item. */
export function Missing({ run, answers }: { run: RunRecord; answers: SensitivityAnswers }) {
  const complete = answers.missing[0] ?? 0;
  return (
    <Part
      title={t('Missing evidence')}
      note={t(
        '{complete, number} of {items, plural, one {# item} other {# items}} {complete, plural, one {has} other {have}} TRUE or FALSE for every rule. NA says that evidence is not available; not recorded, that nobody has looked.',
        { complete, items: run.result.global.n_items },
      )}
    >
      <div className="two-columns">
        <ByRule run={run} />
        <ByItem run={run} answers={answers} />
      </div>
    </Part>
  );
}
