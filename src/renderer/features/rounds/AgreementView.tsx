import { CATEGORIES, type PairFigures } from '../../../shared/domain/agreement.ts';
import type { ProfileRule } from '../../../shared/domain/profile.ts';
import {
  AGREEMENT_HEADS,
  agreementRows,
  figure,
  interval,
  share,
} from '../../state/agreement-figures.ts';
import { formatCount } from '../../state/format.ts';
import { FiguresTable } from '../../ui/FiguresTable.tsx';
import { OutcomeMark } from '../../ui/OutcomeMark.tsx';
import { Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { t } from '../../text/t.ts';
import type { Agreement } from './use-rounds.ts';

interface AgreementViewProps {
  agreement: Agreement;
  rules: readonly ProfileRule[];
}

/** How far the recorders agree: over all cells, by rule, by pair, and where they differ. */
export function AgreementView({ agreement, rules }: AgreementViewProps) {
  const ruleName = (uid: string): string =>
    rules.find(({ ruleUid }) => ruleUid === uid)?.name ?? uid;
  const names = agreement.recorders.map(({ name, recorder }) => name ?? recorder);
  return (
    <>
      <Overall agreement={agreement} rules={rules} />
      <Pairs pairs={agreement.figures.all.pairs} names={names} />
      <Differing agreement={agreement} names={names} ruleName={ruleName} />
    </>
  );
}

function Overall({ agreement: { figures, recorders }, rules }: AgreementViewProps) {
  return (
    <Section
      title={t('Agreement')}
      note={t(
        'Of the cells that at least two recorders rated. Agreement does not show that they are right. Where a figure is undefined, the ratings do not determine it.',
      )}
    >
      <p>
        {recorders
          .map(({ name, recorder, rated, fit }) =>
            fit === 'fits'
              ? t('{name}: {rated, plural, one {# cell} other {# cells}}', {
                  name: name ?? recorder,
                  rated,
                })
              : t('{name}: not counted', { name: name ?? recorder }),
          )
          .join('; ')}
      </p>
      <FiguresTable
        caption={t('Agreement over all cells and by rule')}
        heads={AGREEMENT_HEADS}
        rows={agreementRows(figures, rules)}
      />
    </Section>
  );
}

function Pairs({ pairs, names }: { pairs: readonly PairFigures[]; names: readonly string[] }) {
  const pairName = ({ a, b }: PairFigures): string =>
    t('{a} and {b}', { a: names[a] ?? '', b: names[b] ?? '' });
  return (
    <Section title={t('Pairs of recorders')}>
      <Table
        caption={t('Agreement of each pair')}
        dense
        head={
          <tr>
            <th scope="col">{t('Pair')}</th>
            <th scope="col" className="n">
              {t('Rated by both')}
            </th>
            <th scope="col" className="n">
              {t('Agreement')}
            </th>
            <th scope="col" className="n">
              {t('Cohen’s kappa')}
            </th>
            <th scope="col" className="n">
              {t('95 % interval')}
            </th>
          </tr>
        }
      >
        {pairs.map((pair) => (
          <tr key={`${pair.a} ${pair.b}`}>
            <th scope="row">{pairName(pair)}</th>
            <td className="n">{formatCount(pair.n)}</td>
            <td className="n">{share(pair.percent)}</td>
            <td className="n">{figure(pair.kappa)}</td>
            <td className="n">{interval(pair.kappa_low, pair.kappa_high)}</td>
          </tr>
        ))}
      </Table>
      {pairs.map((pair) => (
        <Table
          key={`${pair.a} ${pair.b} confusion`}
          showCaption
          caption={t('Confusion matrix: {a} in rows, {b} in columns', {
            a: names[pair.a] ?? '',
            b: names[pair.b] ?? '',
          })}
          dense
          head={
            <tr>
              <th scope="col">
                <span className="visually-hidden">{t('Outcome')}</span>
              </th>
              {CATEGORIES.map((category) => (
                <th key={category} scope="col" className="n">
                  <OutcomeMark kind={category} label />
                </th>
              ))}
            </tr>
          }
        >
          {CATEGORIES.map((category, row) => (
            <tr key={category}>
              <th scope="row">
                <OutcomeMark kind={category} label />
              </th>
              {CATEGORIES.map((other, column) => (
                <td key={other} className="n">
                  {formatCount(pair.confusion[row]?.[column] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </Table>
      ))}
    </Section>
  );
}

function Differing({
  agreement: { differ, differing },
  names,
  ruleName,
}: {
  agreement: Agreement;
  names: readonly string[];
  ruleName: (uid: string) => string;
}) {
  return (
    <Section
      title={t('Where they differ')}
      note={
        differ > differing.length
          ? t('The first {shown, number} of {all, number} cells are listed.', {
              shown: differing.length,
              all: differ,
            })
          : undefined
      }
    >
      {differing.length === 0 ? (
        <p className="muted">{t('In no cell.')}</p>
      ) : (
        <Table
          caption={t('Cells in which recorders differ')}
          dense
          head={
            <tr>
              <th scope="col">{t('Item')}</th>
              <th scope="col">{t('Rule')}</th>
              {names.map((name, at) => (
                <th key={`${at} ${name}`} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          }
        >
          {differing.map(({ item_uid, rule_uid, outcomes }) => (
            <tr key={`${item_uid} ${rule_uid}`}>
              <th scope="row">{item_uid}</th>
              <td>{ruleName(rule_uid)}</td>
              {outcomes.map((outcome, at) => (
                <td key={`${at} ${outcome}`}>
                  <OutcomeMark kind={outcome ?? 'unrecorded'} label />
                </td>
              ))}
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}
