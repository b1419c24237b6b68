import { Link } from 'react-router';
import type { CountResult } from '../../../../shared/domain/result.ts';
import type { RunRecord } from '../../../../shared/domain/run.ts';
import { formatCount, formatShare } from '../../../state/format.ts';
import { OutcomeMark } from '../../../ui/OutcomeMark.tsx';
import { Table } from '../../../ui/Table.tsx';
import { itemPath } from '../item/item-path.ts';
import type { FigureItem } from './figure-items.ts';
import { t } from '../../../text/t.ts';

interface ItemsProps {
  run: RunRecord;
  items: readonly FigureItem[];
}

function ItemHead({ run, item }: { run: RunRecord; item: FigureItem }) {
  return (
    <th scope="row">
      <Link to={itemPath(run.run_uid, item.uid)}>{item.name}</Link>
      {item.name !== item.uid && (
        <>
          {' '}
          <code className="muted">{item.uid}</code>
        </>
      )}
    </th>
  );
}

/** Over the mean, the bounds and the percentile of a posterior. */
const PosteriorHeads = () =>
  [t('Mean'), t('Lower'), t('Upper'), t('Percentile')].map((name) => (
    <th key={name} scope="col" className="n">
      {name}
    </th>
  ));

/** The items of a figure with the parameters and numbers that it is drawn from. */
export function ItemsOfFigure({ run, items }: ItemsProps) {
  return (
    <Table
      caption={t('Items of the figure')}
      dense
      head={
        <tr>
          <th scope="col">{t('Item')}</th>
          <th scope="col" className="n">
            {t('Met')}
          </th>
          <th scope="col">{t('Posterior')}</th>
          <PosteriorHeads />
        </tr>
      }
    >
      {items.map((item) => (
        <tr key={item.uid}>
          <ItemHead run={run} item={item} />
          <td className="n">{t('{k} of {m}', { k: item.k, m: item.m })}</td>
          <td className="nowrap">{`Beta(${item.alpha}, ${item.beta})`}</td>
          <td className="n">{formatShare(item.mean, 3)}</td>
          <td className="n">{formatShare(item.lower, 3)}</td>
          <td className="n">{formatShare(item.upper, 3)}</td>
          <td className="n">{formatShare(item.percentile, 1)}</td>
        </tr>
      ))}
    </Table>
  );
}

/** How many items met how many rules, and the result that they share. */
export function CountsTable({ groups }: { groups: readonly CountResult[] }) {
  return (
    <Table
      caption={t('Items by rules met')}
      dense
      head={
        <tr>
          <th scope="col">{t('Rules met')}</th>
          <th scope="col" className="n">
            {t('Items')}
          </th>
          <th scope="col" className="n">
            {t('Observed proportion')}
          </th>
          <PosteriorHeads />
        </tr>
      }
    >
      {groups.toReversed().map((group) => (
        <tr key={group.k}>
          <th scope="row">{t('{k} of {m}', { k: group.k, m: group.m })}</th>
          <td className="n">{formatCount(group.size)}</td>
          <td className="n">{formatShare(group.p_hat, 3)}</td>
          <td className="n">{formatShare(group.theta_mean, 3)}</td>
          <td className="n">{formatShare(group.theta_lower, 3)}</td>
          <td className="n">{formatShare(group.theta_upper, 3)}</td>
          <td className="n">{formatShare(group.percentile, 1)}</td>
        </tr>
      ))}
    </Table>
  );
}

/** The outcomes of the items of a figure, rule by rule. */
export function OutcomesOfFigure({ run, items }: ItemsProps) {
  const { rules, raw, profile } = run.frozen;
  const names = new Map(profile.rules.map((rule) => [rule.ruleUid, rule.name]));
  return (
    <Table
      caption={t('Outcomes of the items')}
      dense
      head={
        <tr>
          <th scope="col">{t('Item')}</th>
          {rules.map((uid) => (
            <th key={uid} scope="col" className="matrix-rule">
              {names.get(uid) ?? uid}
            </th>
          ))}
        </tr>
      }
    >
      {items.map((item) => (
        <tr key={item.uid}>
          <ItemHead run={run} item={item} />
          {rules.map((uid, column) => (
            <td key={uid}>
              <OutcomeMark kind={raw[item.row]?.[column] ?? 'unrecorded'} />
            </td>
          ))}
        </tr>
      ))}
    </Table>
  );
}
